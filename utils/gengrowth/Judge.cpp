// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares what memleak says of a program with the truth.

#include "Judge.h"
#include "Recorder.h"
#include "memkit/Analysis/Growth.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace memkit::gengrowth {

/// The analysis of a trace, with everything that it needs.
namespace {
struct AnalysedTrace {
  std::unique_ptr<Trace> T;
  std::optional<SelectedStats> Of;
  GrowthReport Report;
  Error run(StringRef Bytes, StringRef Name);
};
} // namespace

Error AnalysedTrace::run(StringRef Bytes, StringRef Name) {
  auto Reader = TraceReader::create(
      MemoryBuffer::getMemBuffer(Bytes, Name, /*Terminated=*/false));
  if (!Reader)
    return Reader.takeError();
  if (Error E = Trace::create(std::move(*Reader)).moveInto(T))
    return E;
  auto Selected = Selection::create(*T, {});
  if (!Selected)
    return Selected.takeError();
  if (Error E = SelectedStats::create(*T, std::move(*Selected)).moveInto(Of))
    return E;
  auto Intervals = IntervalSeries::create(*Of);
  if (!Intervals)
    return Intervals.takeError();
  return findGrowth(**Intervals, *Of, {}).moveInto(Report);
}

/// Whether a finding is at the cause of the growth: below the function `leak`
/// of a process that leaks, or of arenas that grow.
static bool isAtPlace(const Program &P, const AnalysedTrace &A,
                      const Growth &G) {
  uint32_t Process = A.Report.Spans[G.Span].Process - 1;
  if (G.IsArenas)
    return any_of(P.Sites, [&](const Site &S) {
      return S.Grows && S.Process == Process && S.Heap + 1 == G.Heap;
    });
  if (!P.grows(Process))
    return false;
  const Trace &T = *A.T;
  for (uint32_t Node = G.Node; Node; Node = T.parent(Node))
    for (const ShownFrame &F : T.shown(T.frameOf(Node)))
      if (F.Function == "leak")
        return true;
  return false;
}

/// The heap with most of the growth.
static uint32_t mainHeap(const Program &P) {
  std::vector<double> Bytes(P.Heaps.size());
  for (const MadeBlock &B : P.Blocks)
    if (P.isGrowth(B))
      Bytes[P.Sites[B.Site].Heap] += static_cast<double>(B.Size);
  return static_cast<uint32_t>(max_element(Bytes) - Bytes.begin()) + 1;
}

static const char *text(GrowthWord Word) {
  switch (Word) {
  case GrowthWord::Leak:
    return "LEAK";
  case GrowthWord::Grows:
    return "grows";
  case GrowthWord::Grew:
    return "grew";
  }
  return "";
}

static std::string describe(const AnalysedTrace &A) {
  std::string Text;
  raw_string_ostream OS(Text);
  for (const Growth &G : A.Report.Found) {
    OS << "  " << text(G.Word) << ": ";
    for (uint32_t N = G.Node; N; N = A.T->parent(N))
      for (const ShownFrame &F : A.T->shown(A.T->frameOf(N)))
        OS << F.Function << ' ';
    OS << (G.IsArenas ? "arenas " : "")
       << format("process %u rate %.0f (%.0f to %.0f) p %.2g age %.3g ",
                 A.Report.Spans[G.Span].Process, G.Rate, G.Low, G.High,
                 G.PValue, G.Age)
       << "since " << G.SinceStep << '\n';
  }
  return Text;
}

/// Compares the rate of the only place that grows.
static void judgeRate(const Program &P, const GrowthReport &Report,
                      Judged &Out) {
  const Growth *Of = nullptr;
  for (const Growth &G : Report.Found) {
    if (G.Word == GrowthWord::Grew)
      continue;
    if (Of)
      return;
    Of = &G;
  }
  // Reported rates are per step or per second, the programs' rates per step or
  // tenth of a second.
  double True = P.Rate * (P.HasSteps ? 1 : 10);
  Out.IsRated = Of && Out.isAtPlace() && True > 0;
  Out.Holds =
      Out.IsRated && Of->Low <= True * 1.0001 && True * 0.9999 <= Of->High;
}

Expected<std::optional<Judged>> judge(const Scenario &S, uint64_t Seed) {
  Judged Out;
  Program P = S.make(Seed);
  Out.Is = truthOf(S.Is, P);
  if (S.Is == Nature::Leaks && !isClear(P))
    return std::nullopt;
  std::string Bytes;
  StringSink Sink(Bytes);
  if (Error E = writeProgram(P, Sink, /*WithEvents=*/false))
    return std::move(E);
  AnalysedTrace A;
  if (Error E = A.run(Bytes, S.Name))
    return std::move(E);
  uint32_t Main = mainHeap(P);
  for (const Growth &G : A.Report.Found) {
    bool IsAt = isAtPlace(P, A, G);
    Out.Leak |= G.Word == GrowthWord::Leak;
    Out.Grows |= G.Word == GrowthWord::Grows;
    Out.Grew |= G.Word == GrowthWord::Grew;
    Out.LeakAtPlace |= IsAt && G.Word == GrowthWord::Leak;
    Out.RisesAtPlace |= IsAt && G.Word != GrowthWord::Grew && G.Heap == Main;
    Out.LeakElsewhere |= !IsAt && G.Word == GrowthWord::Leak;
  }
  judgeRate(P, A.Report, Out);
  Out.Details = describe(A);
  return Out;
}

} // namespace memkit::gengrowth

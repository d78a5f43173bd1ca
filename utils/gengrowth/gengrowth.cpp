//===- gengrowth.cpp - Memory that grows, or only seems to ------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scenarios.h"
#include "memkit/Analysis/Growth.h"
#include "memkit/TraceText/Assembler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"

using namespace memkit;
using namespace memkit::gengrowth;
using namespace llvm;

static cl::OptionCategory Category("Options");
static cl::opt<std::string>
    Name("scenario", cl::value_desc("NAME"), cl::cat(Category),
         cl::desc("Print the trace of one, as memas reads it"));
static cl::opt<uint64_t> Seed("seed", cl::init(1), cl::cat(Category),
                              cl::desc("The first seed (1)"));
static cl::opt<unsigned> Count("count", cl::init(200), cl::cat(Category),
                               cl::desc("Traces of each scenario (200)"));
static cl::opt<unsigned> Steps("steps", cl::init(100), cl::cat(Category),
                               cl::desc("Steps of each trace (100)"));
static cl::opt<bool> ShowWrong("show-wrong", cl::cat(Category),
                               cl::desc("Print which seeds were judged wrong"));

/// Whether a finding names the subject, or none does at all, as it should.
static Expected<bool> isRight(const Scenario &S, uint64_t Seed) {
  std::string Text = makeTrace(S, Seed, Steps), Bytes;
  StringSink Out(Bytes);
  auto Assembled = assemble(MemoryBufferRef(Text, S.Name), Out);
  if (!Assembled)
    return Assembled.takeError();
  auto Reader = TraceReader::create(
      MemoryBuffer::getMemBuffer(Bytes, S.Name, /*Terminated=*/false));
  if (!Reader)
    return Reader.takeError();
  auto T = Trace::create(std::move(*Reader));
  if (!T)
    return T.takeError();
  auto Selected = Selection::create(**T, {});
  if (!Selected)
    return Selected.takeError();
  auto Of = Sums::create(**T, std::move(*Selected));
  if (!Of)
    return Of.takeError();
  auto Slices = SliceSeries::create(*Of);
  if (!Slices)
    return Slices.takeError();
  auto Report = findGrowth(**Slices, *Of, {});
  if (!Report)
    return Report.takeError();
  bool Subject = false, Other = false;
  for (const Growth &G : Report->Found) {
    bool Is = false;
    for (uint32_t N = G.Node; N; N = (*T)->parent(N))
      for (const ShownFrame &F : (*T)->shown((*T)->frameOf(N)))
        Is |= F.Function == "subject";
    (Is ? Subject : Other) = true;
  }
  return Subject == S.IsLeak && !Other;
}

static Error printTable() {
  outs() << "| scenario | what it does | leak | traces | judged right |\n"
         << "|---|---|---|---:|---:|\n";
  for (const Scenario &S : scenarios()) {
    unsigned Right = 0;
    for (uint64_t I = 0; I != Count; ++I) {
      Expected<bool> Is = isRight(S, Seed + I);
      if (!Is)
        return Is.takeError();
      Right += *Is;
      if (!*Is && ShowWrong)
        errs() << S.Name << ": wrong with --seed=" << Seed + I << '\n';
    }
    outs() << "| " << S.Name << " | " << S.What << " | "
           << (S.IsLeak ? "yes" : "no") << " | " << Count << " | "
           << format("%.1f %%", 100.0 * Right / std::max(1u, Count.getValue()))
           << " |\n";
  }
  return Error::success();
}

int main(int Argc, char **Argv) {
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(
      Argc, Argv,
      "Makes programs whose memory grows, or only seems to, and counts how "
      "many "
      "the analysis of growth judges right\n\n"
      "  memkit-gengrowth --count=200\n"
      "  memkit-gengrowth --scenario=slow --seed=7 | memas -o slow.fb\n");
  if (Name.empty()) {
    Error E = printTable();
    if (!E)
      return 0;
    logAllUnhandledErrors(std::move(E), errs(), "memkit-gengrowth: error: ");
    return 1;
  }
  const Scenario *S =
      find_if(scenarios(), [](const Scenario &S) { return S.Name == Name; });
  if (S == scenarios().end()) {
    errs() << "memkit-gengrowth: error: no scenario '" << Name << "'\n";
    return 2;
  }
  outs() << makeTrace(*S, Seed, Steps);
  return 0;
}

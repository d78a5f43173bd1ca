// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memleak's findings for scripts.

#include "Export/Collapsed.h"
#include "Export/Sarif.h"
#include "Export/StackText.h"
#include "Export/TableText.h"
#include "LeakPrinter.h"
#include "Tables/Columns.h"
#include "TraceText/EnumNames.h"
#include "memkit/Model/StackKeys.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace llvm;

namespace memkit {

static constexpr LeakKinds AllKinds[] = {FK_Exit, FK_Growth, FK_Outlier};

template <class T> static void writeBytes(json::OStream &J, const T &Of) {
  J.attribute("bytes", Of.Bytes);
  if (Of.Variance)
    J.attribute("stderr_bytes", standardError(Of.Variance));
}

/// Whole bytes, except for small rates.
static json::Value rateValue(double Bytes) {
  return std::abs(Bytes) < 100 || std::abs(Bytes) >= 0x1p62
             ? json::Value(Bytes)
             : json::Value(static_cast<int64_t>(std::llround(Bytes)));
}

/// A time, or null.
static json::Value timeOrNull(uint64_t Ns) {
  return Ns ? json::Value(Ns) : json::Value(nullptr);
}

static void writeWord(json::OStream &J, const Growth &G) {
  StringRef Evidence = evidenceName(G.Evidence);
  J.attribute("verdict", growthWordName(G.Word));
  J.attribute("evidence",
              Evidence.empty() ? json::Value(nullptr) : json::Value(Evidence));
  J.attribute("rounds",
              G.Rounds ? json::Value(G.Rounds) : json::Value(nullptr));
  J.attribute("until_ns",
              timeOrNull(G.Word == GrowthWord::Grew ? G.UntilNs : 0));
  J.attribute("freed_ns", timeOrNull(G.FreedNs));
  J.attribute("idle_since_ns", timeOrNull(G.IdleSinceNs));
  J.attribute("bounded_by", jsonTextOrNull(G.Bounded));
}

static void writeRates(json::OStream &J, const LeakView &V, const Growth &G) {
  const GrowthRange &S = V.R.Growth.Spans[G.Span];
  writeWord(J, G);
  auto Write = [&](bool Steps, StringRef Name, double Rate) {
    J.attribute(Name, Steps == S.HasSteps ? rateValue(Rate) : nullptr);
  };
  Write(true, "bytes_per_step", G.Rate);
  J.attribute("p_value", G.PValue);
  Write(false, "bytes_per_second", G.Rate);
  J.attribute("rate_low", rateValue(G.Low));
  J.attribute("rate_high", rateValue(G.High));
  J.attribute("growth_bytes", G.Rise);
  J.attribute("growing_stacks", G.Stacks);
  J.attribute("process", S.Process);
  auto Step = [&](StringRef Name, uint64_t Value) {
    J.attribute(Name, S.HasSteps ? json::Value(Value) : nullptr);
  };
  Step("since_step", G.SinceStep ? G.SinceStep : S.FirstStep);
  J.attribute("since_ns", G.SinceNs ? G.SinceNs : S.BeginNs);
  Step("first_step", S.FirstStep);
  Step("last_step", S.LastStep);
  J.attribute("begin_ns", S.BeginNs);
  J.attribute("end_ns", S.EndNs);
  J.attribute(S.HasSteps ? "older_than_steps" : "older_than_seconds", G.Age);
  J.attribute("container", G.IsContainer);
  J.attribute("python_arenas", G.IsArenas);
  J.attribute("freed_at_exit", G.FreedAtExit);
  J.attribute("heap_begin_bytes", G.HeapBegin);
  J.attribute("heap_end_bytes", G.HeapEnd);
}

static void writeOutlier(json::OStream &J, const Outlier &O) {
  J.attribute("allocations", O.Allocations);
  J.attribute("lifetime_ns", O.LifeNs);
  J.attribute("process", O.Process);
  J.attribute("since_ns", O.OldestNs);
  J.attribute("newest_ns", O.NewestNs);
}

/// Only if names were looked for.
static void writeHolders(json::OStream &J, const LeakView &V,
                         const LeakFinding &F) {
  if (V.R.Searches.empty())
    return;
  writeRowsJson(J, "held_by", *holderColumns().rows(F.HeldBy));
}

static void writeFinding(json::OStream &J, const LeakView &V,
                         const LeakFinding &F) {
  J.object([&] {
    J.attribute("kind", kindName(F.Kind));
    J.attribute("heap", jsonText(V.T.heapName(F.Heap)));
    writeBytes(J, F);
    J.attribute("blocks", F.Blocks);
    if (F.Kind == FK_Growth) {
      writeRates(J, V, V.R.Growth.Found[F.Place]);
    } else {
      J.attribute("bytes_per_step", nullptr);
      J.attribute("p_value", nullptr);
    }
    if (F.Kind == FK_Outlier)
      writeOutlier(J, V.R.Outliers[F.Place]);
    J.attribute("layer", jsonTextOrNull(V.T.string(F.Layer)));
    writeHolders(J, V, F);
    J.attributeBegin("stack");
    writeFrames(J, V.T.shownWay(F.Node));
    J.attributeEnd();
  });
}

static void writeHidden(json::OStream &J, const SuppressionUse &U) {
  writeBytes(J, U);
  J.attribute("blocks", U.Blocks);
  J.attribute("findings", U.Findings);
  if (U.Others)
    J.attribute("over_time", U.Others);
}

static void writeHeap(json::OStream &J, const Trace &T, const HeapLeaks &H) {
  J.object([&] {
    J.attribute("name", jsonText(T.heapName(H.Heap)));
    writeBytes(J, H);
    J.attribute("blocks", H.Blocks);
    J.attribute("findings", H.Findings);
  });
}

static StringRef spaceName(const Trace &T, uint32_t Space) {
  return Space == 0 ? "outside" : T.spaceName(Space - 1);
}

static void writeOutside(json::OStream &J, const Trace &T,
                         const OutsideRise &O) {
  J.attribute("heap", jsonText(T.heapName(O.Heap)));
  J.attribute(O.HasSteps ? "bytes_per_step" : "bytes_per_second",
              rateValue(O.Rate));
  J.attribute("growth_bytes", O.Rise);
  if (!O.Line.empty())
    J.attribute("line", jsonText(O.Line));
}

static void writeMeasured(json::OStream &J, const LeakView &V) {
  const GrowthReport &G = V.R.Growth;
  using R = GrowthRange;
  auto Step = [](uint64_t R::*Field) {
    return [Field](const R &S) {
      return S.HasSteps ? std::optional(S.*Field) : std::nullopt;
    };
  };
  TableMaker<R> M;
  M.id("process", [](const R &S) { return S.Process; })
      .name("space", [&](const R &S) { return spaceName(V.T, S.Space).str(); })
      .number("points", [](const R &S) { return S.Intervals; })
      .maybe("first_step", Step(&R::FirstStep))
      .maybe("last_step", Step(&R::LastStep))
      .field("begin_ns", &R::BeginNs)
      .field("end_ns", &R::EndNs);
  writeRowsJson(J, "measured", *M.rows(G.Spans));
  J.attribute("series", static_cast<uint64_t>(G.Series));
  J.attribute("series_left_out", static_cast<uint64_t>(G.LeftOut));
  J.attribute("left_out_below_bytes", G.LeftOutBytes);
  if (G.FewArenaBytes)
    J.attribute("few_arena_bytes", G.FewArenaBytes);
  J.attribute("needs_intervals", static_cast<uint64_t>(MinGrowthIntervals));
  J.attribute("too_short", static_cast<uint64_t>(G.TooShort));
  if (G.TooShort)
    J.attribute("has_intervals", static_cast<uint64_t>(G.MaxIntervals));
  if (!V.R.Outside.empty())
    J.attributeArray("outside", [&] {
      for (const OutsideRise &O : V.R.Outside)
        J.object([&] { writeOutside(J, V.T, O); });
    });
}

void writeLeakJson(raw_ostream &OS, const LeakView &V) {
  const LeakReport &R = V.R.Exit;
  json::OStream J(OS, /*IndentSize=*/1);
  J.object([&] {
    J.attributeArray("findings", [&] {
      for (LeakKinds Kind : AllKinds)
        for (const LeakFinding &F : V.shown(Kind))
          writeFinding(J, V, F);
    });
    J.attributeArray("suppressed", [&] {
      for (const SuppressionUse &U : R.Suppressed)
        J.object([&] {
          J.attribute("pattern", jsonText(U.Pattern));
          writeHidden(J, U);
        });
    });
    J.attributeArray("heaps", [&] {
      for (const HeapLeaks &H : R.Heaps)
        writeHeap(J, V.T, H);
    });
    writeBytes(J, R);
    J.attribute("blocks", R.Blocks);
    J.attribute("lost", V.T.lostEvents());
    J.attributeObject("losses", [&] {
      std::vector<uint64_t> Counts = V.T.losses();
      for (size_t K = 0; K != Counts.size(); ++K)
        if (Counts[K] || lossKindAt(K) != LossKind::Unknown)
          J.attribute(enumName(lossKindAt(K)), Counts[K]);
    });
    J.attributeObject("kept_by_design", [&] { writeHidden(J, R.ByDefault); });
    J.attribute("in_baseline", V.R.InBaseline);
    // A moment has no leaks: its findings are what lived then.
    if (std::string Text = unknownText(V); !Text.empty())
      J.attribute("not_known", jsonText(Text));
    J.attributeObject("growth", [&] { writeMeasured(J, V); });
  });
  OS << '\n';
}

//===----------------------------------------------------------------------===//
// SARIF, collapsed
//===----------------------------------------------------------------------===//

void writeLeakSarif(raw_ostream &OS, const LeakView &V) {
  static constexpr SarifRule Rules[] = {
      {"exit", "warning", "Memory that was allocated and never freed"},
      {"growth", "error", "Memory that leaks while the program repeats itself"},
      {"outlier", "note",
       "A few blocks that were never freed, of a stack whose others soon are"},
      {"grows", "warning", "Memory that grows to the end: loaded, or leaked"},
      {"grew", "note", "Memory that grew, and then stayed level or was freed"}};
  constexpr size_t RuleOfGrows = 3;
  std::vector<uint64_t> Keys = nodeKeys(V.T, SameFrame::Function);
  std::vector<SarifResult> Results;
  for (size_t K = 0; K != std::size(AllKinds); ++K)
    for (const LeakFinding &F : V.shown(AllKinds[K])) {
      SarifResult &R = Results.emplace_back();
      R.Rule = K;
      R.Message = titleOf(V, F);
      if (std::string Why = evidenceOf(V, F); !Why.empty())
        R.Message += ": " + Why;
      R.Stack = framesOf(V, F);
      R.Fingerprint = Keys[F.Node] ^ xxh3_64bits(V.T.heapName(F.Heap));
      R.Properties["heap"] = jsonText(V.T.heapName(F.Heap));
      R.Properties["bytes"] = F.Bytes;
      R.Properties["blocks"] = F.Blocks;
      if (F.Kind == FK_Growth) {
        const Growth &G = V.R.Growth.Found[F.Place];
        if (G.Word != GrowthWord::Leak)
          R.Rule = RuleOfGrows + (G.Word == GrowthWord::Grew);
        R.Properties["verdict"] = growthWordName(G.Word);
        bool Steps = V.R.Growth.Spans[G.Span].HasSteps;
        R.Properties[Steps ? "bytes_per_step" : "bytes_per_second"] =
            rateValue(G.Rate);
        R.Properties["p_value"] = G.PValue;
      }
    }
  writeSarif(OS, "memleak", Rules, Results);
}

void writeLeakCollapsed(raw_ostream &OS, const LeakView &V) {
  for (LeakKinds Kind : AllKinds)
    for (const LeakFinding &F : V.shown(Kind))
      writeCollapsedLine(OS, framesOf(V, F),
                         Kind == FK_Growth ? V.R.Growth.Found[F.Place].Rise
                                           : F.Bytes);
}

} // namespace memkit

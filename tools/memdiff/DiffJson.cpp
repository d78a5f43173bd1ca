// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences for scripts.

#include "DiffText.h"
#include "Export/StackText.h"
#include "Export/TableText.h"
#include "Tables/TableMaker.h"
#include "TraceText/EnumNames.h"
#include "memkit/Model/CutOff.h"
#include <cmath>

using namespace llvm;

namespace memkit {

/// Writes the errors of estimates; exact values have no errors.
static void writeErrors(json::OStream &J, double Allocated, double Live,
                        StringRef PeakName, double Peak) {
  J.attribute("allocated_stderr_bytes", standardError(Allocated));
  J.attribute("live_stderr_bytes", standardError(Live));
  J.attribute(PeakName, standardError(Peak));
}

static void writeFields(json::OStream &J, const DiffStats &T) {
  J.attribute("allocations", T.Allocations);
  J.attribute("frees", T.Frees);
  J.attribute("allocated_bytes", T.AllocatedBytes);
  J.attribute("freed_bytes", T.FreedBytes);
  J.attribute("live_bytes", T.LiveBytes);
  J.attribute("live_blocks", T.LiveBlocks);
  J.attribute("peak_bytes", T.PeakBytes);
  J.attribute("peak_time_ns",
              T.PeakTimeNs ? json::Value(*T.PeakTimeNs) : json::Value(nullptr));
  J.attribute("temporaries", T.Temporaries);
  if (T.Steps) {
    J.attribute("steps", T.Steps);
    J.attribute("step_peak_bytes", T.StepPeakBytes);
    J.attribute("step_allocated_bytes", T.StepAllocatedBytes);
  }
  const SampleVariances &V = T.Variances;
  if (V.Allocated)
    writeErrors(J, V.Allocated, V.Live, "peak_stderr_bytes", V.SpacePeak);
}

static void writeInterval(json::OStream &J,
                          const std::optional<ConfidenceInterval> &I) {
  if (!I) {
    J.value(nullptr);
    return;
  }
  J.object([&] {
    J.attribute("mean", I->Mean);
    J.attribute("low", I->Low);
    J.attribute("high", I->High);
  });
}

/// Writes the members of `totals`, and of each entry of `heaps`.
static void writeSums(json::OStream &J, const DiffView &V,
                      const DiffStatsOfRuns &S) {
  J.attributeObject("before", [&] { writeFields(J, S.Before); });
  J.attributeObject("after", [&] { writeFields(J, S.After); });
  static constexpr struct {
    const char *Name;
    uint64_t DiffStats::*Field;
    double SampleVariances::*Error;
  } Changes[] = {
      {"peak_bytes", &DiffStats::PeakBytes, &SampleVariances::SpacePeak},
      {"live_bytes", &DiffStats::LiveBytes, &SampleVariances::Live},
      {"allocated_bytes", &DiffStats::AllocatedBytes,
       &SampleVariances::Allocated},
      {"allocations", &DiffStats::Allocations, nullptr}};
  J.attributeObject("change", [&] {
    for (const auto &C : Changes) {
      J.attributeBegin(C.Name);
      writeInterval(J,
                    changeOfTotal(V.Runs, S, C.Field, C.Error, V.Confidence));
      J.attributeEnd();
    }
  });
  if (V.Runs.isPair())
    return;
  auto Each = [&](StringRef Name, ArrayRef<DiffStats> Runs) {
    J.attributeArray(Name, [&] {
      for (const DiffStats &T : Runs)
        J.object([&] { writeFields(J, T); });
    });
  };
  Each("runs_before", V.Runs.before<DiffStats>(S.Runs));
  Each("runs_after", V.Runs.after<DiffStats>(S.Runs));
}

static void writeMetrics(json::OStream &J, StringRef Side,
                         const StackMetrics &M, const SampledHeap &Errors,
                         bool IsStack) {
  J.attributeObject(Side, [&] {
    J.attribute("allocations", M.Allocations);
    J.attribute("frees", M.Frees);
    J.attribute("allocated_bytes", M.AllocatedBytes);
    J.attribute("live_bytes", M.LiveBytes);
    J.attribute("live_blocks", M.LiveBlocks);
    // Peaks of several stacks do not add up.
    J.attribute("peak_bytes",
                IsStack ? json::Value(M.PeakBytes) : json::Value(nullptr));
    J.attribute("at_peak_bytes", M.AtPeakBytes);
    J.attribute("temporaries", M.Temporaries);
    auto Variance = [&](Metric By) { return varianceOf(M, By, Errors); };
    if (Errors)
      writeErrors(J, Variance(Metric::Allocated), Variance(Metric::Live),
                  "at_peak_stderr_bytes", Variance(Metric::Peak));
  });
}

static void writeSides(json::OStream &J, const DiffView &V, uint32_t Heap,
                       const StackMetrics &Before, const StackMetrics &After,
                       bool IsStack) {
  const DiffRuns::HeapInfo &H = V.Runs.heaps()[Heap];
  writeMetrics(J, "before", Before, H.Before, IsStack);
  writeMetrics(J, "after", After, H.After, IsStack);
}

static void writeDifference(json::OStream &J, const DiffView &V,
                            const Difference &D) {
  J.object([&] {
    J.attribute("heap", jsonText(V.Runs.heaps()[D.Heap].Name));
    J.attributeBegin("stack");
    DiffStack Shown = D.shown();
    writeStack(J, V.Runs.trace(Shown.Run), Shown.Stack);
    J.attributeEnd();
    writeSides(J, V, D.Heap, D.Before, D.After, /*IsStack=*/true);
  });
}

/// The JSON field of a stack for a metric.
static StringRef fieldOf(Metric M) {
  switch (M) {
  case Metric::Peak:
    return "at_peak_bytes";
  case Metric::Live:
  case Metric::Leaked:
    return "live_bytes";
  case Metric::Allocated:
    return "allocated_bytes";
  case Metric::Count:
    return "allocations";
  case Metric::Temporary:
    return "temporaries";
  }
  llvm_unreachable("all metrics are handled");
}

static void writePlace(json::OStream &J, const DiffView &V, DiffPlace P) {
  J.attributeBegin("stack");
  writeFrames(J, V.Runs.trace(P.Run).shownWay(P.Node));
  J.attributeEnd();
  J.attribute("python_arenas", P.IsArenas);
}

static void writeParts(json::OStream &J, const DiffView &V, StringRef Name,
                       ArrayRef<Finding::MergedPart> Parts) {
  J.attributeArray(Name, [&] {
    for (const Finding::MergedPart &P : Parts)
      J.object([&] {
        writePlace(J, V, P.Place);
        J.attribute("change", std::round(P.Change));
      });
  });
}

static void writeMove(json::OStream &J, const DiffView &V, const Move &M) {
  J.object([&] {
    J.attribute("heap", jsonText(V.Runs.heaps()[M.Heap].Name));
    J.attribute("metric", fieldOf(M.By));
    writePlace(J, V, M.Place);
    J.attribute("value", std::round(M.Value));
    writeParts(J, V, "largest_parts", M.Parts);
  });
}

static void writeFinding(json::OStream &J, const DiffView &V,
                         const Finding &F) {
  J.object([&] {
    J.attribute("heap", jsonText(V.Runs.heaps()[F.Heap].Name));
    J.attribute("metric", fieldOf(F.By));
    writePlace(J, V, F.Place);
    J.attribute("inner", F.IsInner);
    J.attribute("parts", F.Parts);
    writeParts(J, V, "largest_parts", F.Largest);
    writeSides(J, V, F.Heap, F.Before, F.After, /*IsStack=*/false);
    J.attributeBegin("change");
    writeInterval(J, F.Change);
    J.attributeEnd();
  });
}

static void writeRuns(json::OStream &J, const DiffView &V, StringRef Name,
                      size_t Begin, size_t End) {
  J.attributeArray(Name, [&] {
    for (size_t R = Begin; R != End; ++R)
      J.object([&] {
        const Trace &T = V.Runs.trace(R);
        J.attribute("file", jsonText(T.name()));
        J.attributeArray("command", [&] {
          for (const std::string &Word : T.header().Command)
            J.value(jsonText(Word));
        });
        J.attribute("host", jsonTextOrNull(T.header().Host));
        J.attribute("lost", T.lostEvents());
        J.attribute("cut_off", !cutOffText(T).empty());
      });
  });
}

static uint64_t lostIn(const DiffView &V, size_t Begin, size_t End) {
  uint64_t Sum = 0;
  for (size_t R = Begin; R != End; ++R)
    Sum += V.Runs.trace(R).lostEvents();
  return Sum;
}

/// AsBefore: the place as it was called before.
static void writePlaceChange(json::OStream &J, const DiffView &V,
                             const PlaceChange &C, bool AsBefore = false) {
  const DiffPlaces &Of = V.Report.Places;
  const Place *Then = Of.otherBefore(C);
  J.attribute("space", jsonText(C.Space));
  if (AsBefore && Then) {
    writePlace(J, Of.Where[C.Earlier->Run], *Then);
  } else {
    writePlace(J, Of.Where[C.Run], Of.place(C));
    J.attribute("was", jsonTextOrNull(Of.textBefore(C)));
  }
  auto Side = [&](StringRef Name, const StackMetrics &M) {
    J.attributeObject(Name, [&] {
      J.attribute("at_peak_bytes", M.AtPeakBytes);
      J.attribute("live_bytes", M.LiveBytes);
      J.attribute("allocations", M.Allocations);
      J.attribute("allocated_bytes", M.AllocatedBytes);
      J.attribute("temporaries", M.Temporaries);
    });
  };
  Side("before", C.Before);
  Side("after", C.After);
  J.attributeBegin("change");
  writeInterval(J, changeOfPlace(V.Runs, C, V.By, V.Confidence));
  J.attributeEnd();
}

/// The places that the text shows, of each memory space.
static void writePlaces(json::OStream &J, const DiffView &V) {
  J.attributeArray("places", [&] {
    for (const SpaceChange &S : V.Report.Spaces)
      for (const PlaceChange *C : placeRows(V, S).Shown)
        J.object([&] { writePlaceChange(J, V, *C); });
  });
  J.attributeArray("moved_places", [&] {
    for (const SpaceChange &S : V.Report.Spaces)
      for (auto [Old, New] : placeRows(V, S).Moved)
        J.object([&, Old = Old, New = New] {
          J.attributeObject("from", [&] {
            writePlaceChange(J, V, *Old, /*AsBefore=*/Old == New);
          });
          J.attributeObject("to", [&] { writePlaceChange(J, V, *New); });
        });
  });
}

/// The columns of a change of one named thing.
static TableMaker<NamedChange> changeColumns() {
  using C = NamedChange;
  TableMaker<C> M;
  M.name("space", [](const C &R) { return R.Space; })
      .name("layer", [](const C &R) { return R.Name; })
      .name("category", [](const C &R) { return categoryKey(R.Category); })
      .field("before", &C::Before)
      .field("after", &C::After);
  return M;
}

static RowListRef operatorRows(const DiffDetails &D) {
  using C = OperatorChange;
  TableMaker<C> M;
  M.name("operator", [](const C &R) { return R.Name; })
      .field("calls_before", &C::CallsBefore)
      .field("calls_after", &C::CallsAfter)
      .field("self_ns_before", &C::SelfNsBefore)
      .field("self_ns_after", &C::SelfNsAfter)
      .field("allocated_bytes_before", &C::AllocatedBefore)
      .field("allocated_bytes_after", &C::AllocatedAfter);
  return M.rows(D.Operators);
}

static RowListRef stepRows(const DiffDetails &D) {
  using C = StepChange;
  TableMaker<C> M;
  M.name("space", [](const C &R) { return R.Space; })
      .field("aligned", &C::Aligned)
      .maybe("first", [](const C &R) { return R.First; })
      .field("last", &C::Last)
      .integer("median_change", [](const C &R) { return R.MedianChange; });
  return M.rows(D.Steps);
}

static void writeDetails(json::OStream &J, const DiffView &V) {
  const DiffDetails &D = V.Report.Details;
  writeRowsJson(
      J, "layers",
      *changeColumns().pick("space, layer, before, after").rows(D.Layers));
  writeRowsJson(J, "operators", *operatorRows(D));
  writeRowsJson(J, "tensors",
                *changeColumns()
                     .pick("space as heap, category, before, after")
                     .rows(D.Categories));
  writeRowsJson(J, "steps", *stepRows(D));
  J.attributeArray("growing", [&] {
    for (const GrowthChange &C : D.Growing)
      J.object([&] {
        writePlace(J, V.Report.Places.Where[C.Run], C.Where);
        J.attribute("unit", C.HasSteps ? "step" : "second");
        J.attribute("before", C.Before);
        J.attribute("after", C.After);
      });
  });
  auto Resident = [&](StringRef Name, const std::optional<NamedChange> &C) {
    if (C)
      J.attributeObject(Name, [&] {
        J.attribute("before", C->Before);
        J.attribute("after", C->After);
      });
    else
      J.attribute(Name, nullptr);
  };
  Resident("resident_peak_bytes", D.ResidentPeak);
  Resident("resident_last_bytes", D.ResidentEnd);
  const DiffPlaces &P = V.Report.Places;
  J.attributeObject("suppressed", [&] {
    J.attribute("before", metricOf(P.HiddenBefore, V.By));
    J.attribute("after", metricOf(P.HiddenAfter, V.By));
  });
}

void writeDiffJson(raw_ostream &OS, const DiffView &V) {
  size_t Half = V.Runs.numBefore(), All = V.Runs.size();
  json::OStream J(OS, /*IndentSize=*/1);
  J.object([&] {
    J.attributeObject("totals", [&] { writeSums(J, V, V.Report.TotalStats); });
    ArrayRef<Difference> Shown = V.Report.Differences;
    Shown = Shown.take_front(V.Report.Shown);
    J.attributeArray("differences", [&] {
      for (const Difference &D : V.Max ? Shown.take_front(V.Max) : Shown)
        writeDifference(J, V, D);
    });
    J.attribute("noise", V.Report.NoiseValue);
    J.attribute("below_noise", V.Report.BelowNoise);
    J.attributeObject("lost", [&] {
      J.attribute("before", lostIn(V, 0, Half));
      J.attribute("after", lostIn(V, Half, All));
    });
    ArrayRef<Finding> Found = V.Report.Changes.Findings;
    J.attributeArray("findings", [&] {
      for (const Finding &F : V.Max ? Found.take_front(V.Max) : Found)
        writeFinding(J, V, F);
    });
    J.attributeArray("moves", [&] {
      for (const Move &M : V.Report.Changes.Moves)
        writeMove(J, V, M);
    });
    J.attribute("uncertain", V.Report.Changes.Uncertain);
    writePlaces(J, V);
    writeDetails(J, V);
    J.attributeArray("heaps", [&] {
      for (const HeapChange &H : V.Report.Heaps)
        J.object([&] {
          J.attribute("heap", jsonText(V.Runs.heaps()[H.Heap].Name));
          writeSums(J, V, H.Stats);
        });
    });
    J.attributeArray("spaces", [&] {
      for (const SpaceChange &S : V.Report.Spaces)
        J.object([&] {
          J.attribute("name", jsonText(S.Name));
          J.attribute("noise", S.Noise);
          writeSums(J, V, S.Stats);
        });
    });
    J.attributeObject("runs", [&] {
      writeRuns(J, V, "before", 0, Half);
      writeRuns(J, V, "after", Half, All);
    });
  });
  OS << '\n';
}

} // namespace memkit

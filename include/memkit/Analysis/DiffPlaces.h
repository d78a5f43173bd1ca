// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes by the lines of the user's own code, and by what else has a name.

#ifndef MEMKIT_ANALYSIS_DIFFPLACES_H
#define MEMKIT_ANALYSIS_DIFFPLACES_H

#include "memkit/Analysis/ConfidenceInterval.h"
#include "memkit/Analysis/DiffRuns.h"
#include "memkit/Model/Places.h"
#include "memkit/Trace/Sampling.h"

namespace memkit {

/// A place of one run: DiffPlaces::Where[Run].
struct PlaceOfRun {
  uint32_t Run = 0, Place = 0;
};

/// A place in one memory space. Places of two runs are the same if their
/// functions are, and their lines are counterparts: equal text, else the same
/// order in the function. Functions are the same under the rules of
/// StackKeys.h; one that a run lacks is the one of the same name in another
/// file, that with the same lines of text, or that which the same line calls
/// (lib/Analysis/PlaceMatcher.h).
struct PlaceChange {
  std::string Space;
  /// The place of DiffPlaces::Where[Run]. Run: the last run with the place; if
  /// the place holds nothing after, the first run with it.
  uint32_t Run = 0;
  uint32_t Place = 0;
  std::optional<PlaceOfRun> Earlier; ///< in the first run before; none: new
  std::optional<PlaceOfRun> Later;   ///< in the first run after; none: gone
  std::vector<StackMetrics> Runs;    ///< by run; all zeros: not in this run
  StackMetrics Before, After;        ///< on average
  SampleVariances Variances;         ///< of the change; zero for exact values

  uint64_t before(Metric By) const { return metricOf(Before, By); }
  uint64_t after(Metric By) const { return metricOf(After, By); }
  int64_t change(Metric By) const {
    return static_cast<int64_t>(after(By) - before(By));
  }
};

struct DiffPlaces {
  std::vector<Places> Where; ///< by run
  /// By the name of the memory space.
  std::vector<PlaceChange> All;
  /// The memory that suppressions hide, on average.
  StackMetrics HiddenBefore, HiddenAfter;
  /// By run and function: KeyRules::Counterparts.
  std::vector<std::vector<uint64_t>> Counterparts;

  /// DiffRuns::rules(), and the functions that are the same.
  KeyRules rules(const DiffRuns &Runs, size_t Run) const {
    KeyRules Rules = Runs.rules(Run);
    Rules.Counterparts = Counterparts[Run];
    return Rules;
  }
  const Place &place(const PlaceChange &C) const {
    return Where[C.Run].place(C.Place);
  }
  std::string text(const PlaceChange &C) const {
    return Where[C.Run].text(place(C));
  }
  /// The place before, of Where[C.Earlier->Run], if function or file had
  /// another name; else null.
  const Place *otherBefore(const PlaceChange &C) const;
  /// Its text; empty: function and file had the same names.
  std::string textBefore(const PlaceChange &C) const {
    const Place *P = otherBefore(C);
    return P ? Where[C.Earlier->Run].text(*P) : std::string();
  }
};

/// Heaps outside the totals count only if they were chosen.
DiffPlaces diffPlaces(const DiffRuns &Runs);

/// The interval of the change of a place; none: the change is exact.
std::optional<ConfidenceInterval> changeOfPlace(const DiffRuns &Runs,
                                                const PlaceChange &C, Metric By,
                                                double Confidence);

/// A value with a name in both groups, on average.
struct NamedChange {
  std::string Name;
  std::string Space;       ///< the memory space; of tensors, the heap
  TensorCategory Category; ///< of tensors, which have no Name
  uint64_t Before = 0, After = 0;

  int64_t change() const { return static_cast<int64_t>(After - Before); }
};

/// An operator in both groups, on average; 0: not run.
struct OperatorChange {
  std::string Name;
  uint64_t CallsBefore = 0, CallsAfter = 0;
  uint64_t SelfNsBefore = 0, SelfNsAfter = 0;
  uint64_t AllocatedBefore = 0, AllocatedAfter = 0; ///< bytes
};

/// Steps that the runs have in common.
struct StepChange {
  std::string Space;
  uint64_t Aligned = 0; ///< the number of such steps
  /// The first step from which on (nearly) each step has a higher, or lower,
  /// peak than before by the noise; none: no such step.
  std::optional<uint64_t> First;
  uint64_t Last = 0;        ///< the last aligned step
  int64_t MedianChange = 0; ///< of the peaks from First on, in bytes
};

/// A line that grows in one run of a pair, or in both.
struct GrowthChange {
  uint32_t Run = 0;             ///< the run of Where
  memkit::Place Where;          ///< of DiffPlaces::Where[Run]
  bool HasSteps = false;        ///< whether rates are per step, else per second
  double Before = 0, After = 0; ///< rates in bytes; 0: the line does not grow
};

/// The lines that grow in only one of two runs, or at another rate (by half);
/// new growth first, then the highest rate. Runs: a pair. Rates per second
/// count if both runs are long enough for them, and one of the growths is a
/// leak. Reads intervals.
llvm::Expected<std::vector<GrowthChange>> diffGrowth(const DiffRuns &Runs,
                                                     const DiffPlaces &Of);

/// What else changed. Layers, operators, categories and the resident size are
/// those of whole traces.
struct DiffDetails {
  std::vector<NamedChange> Layers;       ///< bytes held at the peak
  std::vector<OperatorChange> Operators; ///< largest change of self time first
  std::vector<NamedChange> Categories;   ///< of tensors, at the heap's peak
  std::vector<StepChange> Steps;         ///< by memory space
  std::vector<GrowthChange> Growing;     ///< of a pair, if asked for
  /// The highest resident size of a process; none: not sampled in each run.
  std::optional<NamedChange> ResidentPeak;
  /// Of all processes in the last sample.
  std::optional<NamedChange> ResidentEnd;
};

/// NoiseOf: the noise of a memory space, in bytes. Reads marks.
llvm::Expected<DiffDetails>
diffDetails(const DiffRuns &Runs,
            llvm::function_ref<uint64_t(llvm::StringRef Space)> NoiseOf);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_DIFFPLACES_H

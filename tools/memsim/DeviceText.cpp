// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what programs would take of their devices, for people.

#include "DeviceText.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Export/StackText.h"
#include "Report/FirstScreen.h"
#include "Support/Table.h"
#include "memkit/Model/Query.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace memkit;

static constexpr size_t MaxRanked = 5;

std::string memkit::exportLine(const TorchConfig &C) {
  std::string Text = C.text();
  if (Text.empty())
    return "unset PYTORCH_CUDA_ALLOC_CONF";
  bool IsPlain = Text.find_first_of("[>") == std::string::npos;
  return "export PYTORCH_CUDA_ALLOC_CONF=" +
         (IsPlain ? Text : "'" + Text + "'");
}

uint32_t memkit::freePpm(const TorchResult &R) {
  return R.Reserved ? uint32_t(double(R.freeBytes()) / double(R.Reserved) * 1e6)
                    : 0;
}

/// `3.2 s (step 12)`.
static std::string timeText(const Trace &T, uint64_t TimeNs) {
  std::string Text = formatTime(TimeNs);
  if (std::optional<uint64_t> Step = stepAt(T, TimeNs))
    Text += " (step " + utostr(*Step) + ")";
  return Text;
}

static std::string targetText(const Trace &T, const DeviceTarget &Of) {
  std::string Text = T.heapName(Of.Heap).str();
  if (T.processes().size() > 1)
    Text +=
        (" of " + T.processName(Of.Process) + " (#" + Twine(Of.Process) + ")")
            .str();
  return Text;
}

//===----------------------------------------------------------------------===//
// The answer
//===----------------------------------------------------------------------===//

/// `1.5 GiB less than`, `as much as`.
static std::string comparedText(uint64_t Bytes, uint64_t With) {
  if (Bytes == With)
    return "as much as";
  return Bytes < With ? formatSize(With - Bytes) + " less than"
                      : formatSize(Bytes - With) + " more than";
}

/// The place of the allocator that serves most, then takes least; nothing: none
/// serves what the recorded run served.
static std::optional<size_t> findBest(ArrayRef<TorchResult> Results) {
  std::optional<size_t> Best;
  auto KeyOf = [&](size_t At) {
    return std::pair(Results[At].NumFailures, Results[At].Reserved);
  };
  for (size_t I = 0; I != Results.size(); ++I)
    if (!Results[I].hasEnded() && (!Best || KeyOf(I) < KeyOf(*Best)))
      Best = I;
  return Best;
}

/// Whether a recording of the CPU fits a device, and what this answer lacks.
static void printFit(SimPage &P, const DeviceView &V, const DeviceFit &F) {
  raw_ostream &OS = P.text();
  uint64_t Bytes = V.Targets.front().Target.DeviceBytes;
  const TorchResult &R = F.OnDevice;
  if (F.fits()) {
    OS << "fits " << formatSize(Bytes) << ": " << formatSize(R.Reserved)
       << " reserved at the peak, at " << timeText(V.T, R.PeakNs) << '\n';
  } else {
    OS << "does not fit " << formatSize(Bytes) << ": "
       << formatSize(F.LeastBytes - Bytes) << " short, first at "
       << (R.Failure->Stack ? stackInShort(V.T, R.Failure->Stack)
                            : timeText(V.T, R.Failure->TimeNs))
       << '\n';
  }
  OS << "not in it: CUDA's context and modules, workspaces of cuBLAS and "
        "cuDNN, work memory inside of kernels";
  if (F.fits())
    OS << "; " << formatSize(Bytes - F.LeastBytes) << " are left for them";
  OS << "\nin it: all tensors of the CPU, also data that would stay on the "
        "host\n";
  if (F.NumOthers)
    OS << "not in it: the tensors of " << formatCount(F.NumOthers)
       << (F.NumOthers == 1 ? " other process" : " other processes")
       << "; --process chooses one\n";
  OS << '\n';
}

/// What the best allocator takes, beside what was recorded.
static void printAnswer(SimPage &P, const DeviceView &V,
                        const TargetResults &Of) {
  raw_ostream &OS = P.text();
  OS << targetText(V.T, Of.Target);
  if (Of.Target.DeviceBytes)
    OS << ", a device with " << formatSize(Of.Target.DeviceBytes);
  OS << ": ";
  std::optional<size_t> Best = findBest(Of.Results);
  if (!Best) {
    OS << "no allocator serves all requests\n";
    return;
  }
  const RecordedUse &Was = Of.Target.Recorded;
  const TorchResult &R = Of.Results[*Best];
  bool Helps = Was.NumRefused && !R.NumFailures && R.NumServed;
  OS << (Helps ? "no request fails with " : "least with ")
     << V.Allocators[*Best].Name << ", " << formatSize(R.Reserved)
     << " at the peak";
  if (Was.HasReserved)
    OS << ", " << comparedText(R.Reserved, Was.Reserved) << " recorded";
  OS << '\n';
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static std::string failureText(const Trace &T, const TorchResult &R) {
  return R.Failure ? "at " + timeText(T, R.Failure->TimeNs) : "";
}

static Table resultTable() {
  using Side = Table::Side;
  return Table({{"allocator", Side::Left, true},
                {"reserved", Side::Right},
                {"live then", Side::Right, false, 1},
                {"free then", Side::Right, false, 2},
                {"largest hole", Side::Right, false, 3},
                {"cudaMalloc", Side::Right, false, 4},
                {"cudaFree", Side::Right, false, 5},
                {"out of memory", Side::Left}});
}

static void addRecorded(Table &To, const Trace &T, const RecordedUse &R) {
  if (!R.HasReserved)
    return;
  uint64_t Free = R.Reserved > R.Active ? R.Reserved - R.Active : 0;
  auto Ppm = R.Reserved ? uint32_t(double(Free) / double(R.Reserved) * 1e6) : 0;
  To.add({"recorded", formatSize(R.Reserved), formatSize(R.Active),
          formatShare(Ppm), "", formatCount(R.NumMallocs),
          formatCount(R.NumFrees),
          R.NumRefused ? "at " + timeText(T, R.RefusedNs) : ""});
}

static void printTable(SimPage &P, const DeviceView &V,
                       const TargetResults &Of) {
  Table Rows = resultTable();
  addRecorded(Rows, V.T, Of.Target.Recorded);
  for (auto &&[A, R] : zip_equal(V.Allocators, Of.Results))
    Rows.add({A.Name, formatSize(R.Reserved), formatSize(R.Allocated),
              formatShare(freePpm(R)), formatSize(R.LargestFree),
              formatCount(R.NumMallocs), formatCount(R.NumFrees),
              failureText(V.T, R)});
  P.table(Rows, outputWidth());
}

//===----------------------------------------------------------------------===//
// Below the table
//===----------------------------------------------------------------------===//

/// How well the model repeats what was recorded, unless on a smaller device.
static void printCheck(SimPage &P, const DeviceView &V,
                       const TargetResults &Of) {
  raw_ostream &OS = P.text();
  const RecordedUse &Was = Of.Target.Recorded;
  const ChosenAllocator *At =
      find_if(V.Allocators, [](const auto &A) { return A.IsRecorded; });
  bool IsSmaller =
      Of.Target.DeviceBytes && Of.Target.DeviceBytes < Was.Reserved;
  if (!Was.HasReserved || At == V.Allocators.end() || IsSmaller)
    return;
  const TorchResult &R = Of.Results[At - V.Allocators.begin()];
  OS << "check: with the " << (V.Recorded.IsKnown ? "recorded" : "default")
     << " settings the model reserves "
     << comparedText(R.Reserved, Was.Reserved) << " recorded";
  if (uint64_t Off = AbsoluteDifference(R.Reserved, Was.Reserved);
      Off && Was.Reserved)
    OS << format(" (%.1f %%)", double(Off) / double(Was.Reserved) * 100);
  if (R.hasEnded())
    OS << ", and runs out of memory where the recorded run did not";
  else if (R.NumServed)
    OS << ", and serves " << R.NumServed << " of " << Was.NumRefused
       << " requests that failed";
  OS << '\n';
  if (!V.Recorded.Variable.empty())
    OS << "the trace does not have the value of " << V.Recorded.Variable
       << ", which was set: say --with=torch:VALUE\n";
  else if (Was.HasExpanded && !V.Recorded.Config.Expandable)
    OS << "segments of the recorded run expanded: compare with "
          "--with=torch:expandable_segments:True\n";
}

/// What failed with an allocator, and where.
static void printFailure(SimPage &P, const DeviceView &V,
                         const ChosenAllocator &A, const TorchResult &R) {
  raw_ostream &OS = P.text();
  const TorchResult::TorchFailure &F = *R.Failure;
  OS << A.Name << ": out of memory at " << timeText(V.T, F.TimeNs)
     << (F.IsRecorded ? ", as recorded" : "") << ": " << formatSize(F.Bytes)
     << " requested, " << formatSize(F.Reserved) << " reserved, "
     << formatSize(F.Reserved - F.Allocated)
     << " of it free, the largest hole has " << formatSize(F.LargestFree)
     << '\n';
  if (!F.Stack)
    return;
  if (isVerbose())
    return printStack(OS, V.T, F.Stack, 4, outputWidth(), /*Full=*/true);
  OS << "    " << stackInShort(V.T, F.Stack) << '\n';
}

static void printTarget(SimPage &P, const DeviceView &V,
                        const TargetResults &Of) {
  raw_ostream &OS = P.text();
  printAnswer(P, V, Of);
  printTable(P, V, Of);
  printCheck(P, V, Of);
  for (auto &&[A, R] : zip_equal(V.Allocators, Of.Results)) {
    if (R.Failure)
      printFailure(P, V, A, R);
    if (R.NumServed)
      OS << A.Name << ": serves " << R.NumServed << " of "
         << Of.Target.Recorded.NumRefused << " requests that failed\n";
  }
}

/// `  (3 requests fail)`.
static std::string rankedDoubt(const RankedConfig &R) {
  if (!R.NumFailures)
    return "";
  return "  (" + plural(R.NumFailures, "request") +
         (R.NumFailures == 1 ? " fails)" : " fail)");
}

static void printRanked(SimPage &P, const DeviceView &V) {
  raw_ostream &OS = P.text();
  // Those that run out of memory come last.
  size_t NumRanked =
      find_if(V.Ranked, [](const RankedConfig &R) { return R.HasEnded; }) -
      V.Ranked.begin();
  if (!NumRanked) {
    OS << "none of " << V.NumTried << " settings serves all requests\n";
    return;
  }
  OS << "best of " << V.NumTried << " settings";
  if (V.Targets.size() > 1)
    OS << ", sums of " << V.Targets.size() << " allocators";
  OS << ":\n";
  using Side = Table::Side;
  Table Rows({{"reserved", Side::Right},
              {"cudaMalloc", Side::Right},
              {"setting", Side::Left, true}});
  for (const RankedConfig &R :
       V.Ranked.take_front(std::min(NumRanked, MaxRanked)))
    Rows.add({formatSize(R.Reserved), formatCount(R.NumMallocs),
              exportLine(R.Config) + rankedDoubt(R)});
  P.table(Rows, 0);
}

void memkit::printDevices(SimPage &P, const DeviceView &V) {
  raw_ostream &OS = P.text();
  if (!V.Ranked.empty()) {
    printRanked(P, V);
    OS << '\n';
  }
  if (V.Fit)
    printFit(P, V, *V.Fit);
  for (const TargetResults &Of : V.Targets) {
    if (&Of != &V.Targets.front())
      OS << '\n';
    printTarget(P, V, Of);
  }
}

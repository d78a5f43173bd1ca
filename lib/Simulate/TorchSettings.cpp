// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings of PyTorch's allocator: recorded, and worth a try.

#include "TorchSettings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace memkit;

//===----------------------------------------------------------------------===//
// Recorded
//===----------------------------------------------------------------------===//

/// Reads `{'1': 4, '2': 4}`, as snapshots have the divisions of sizes.
static void readDivisionFact(StringRef Text, TorchConfig &Out) {
  SmallVector<StringRef> Pairs;
  Text.split(Pairs, ',');
  for (StringRef Pair : Pairs) {
    auto [From, Value] = Pair.split(':');
    uint64_t Mebibytes, Division;
    if (From.trim(" {}'\"").getAsInteger(10, Mebibytes) ||
        Value.trim(" {}").getAsInteger(10, Division) ||
        !isPowerOf2_64(Mebibytes) || (Division && !isPowerOf2_64(Division)) ||
        Log2_64(Mebibytes) >= TorchConfig::NumIntervals)
      continue;
    Out.Divisions[Log2_64(Mebibytes)] = Division;
  }
}

/// Reads one setting of a snapshot. False: another fact.
static bool readFact(StringRef Name, StringRef Value, TorchConfig &Out) {
  uint64_t Bytes;
  double Part;
  if (Name == "expandable_segments")
    Out.Expandable = Value == "True";
  else if (Name == "max_split_size") // -1: none
    Out.MaxSplit = Value.getAsInteger(10, Bytes) || Bytes < Out.LargeSegment
                       ? TorchConfig::NoLimit
                       : Bytes;
  else if (Name == "garbage_collection_threshold")
    Out.GcThreshold =
        Value.getAsDouble(Part) || !(Part > 0 && Part < 1) ? 0 : Part;
  else if (Name == "roundup_power2_divisions")
    readDivisionFact(Value, Out);
  else
    return false;
  return true;
}

RecordedTorchConfig memkit::recordedTorchConfig(const Header &H) {
  RecordedTorchConfig Out;
  std::optional<TorchConfig> OfVariable;
  for (StringRef Fact : H.Machine) {
    auto [Name, Value] = Fact.split('=');
    if (Name == "variables") {
      for (StringRef Set : split(Value, ','))
        if (Set == "PYTORCH_ALLOC_CONF" || Set == "PYTORCH_CUDA_ALLOC_CONF")
          Out.Variable = Set.str();
      continue;
    }
    if (!Name.consume_front("torch-allocator."))
      continue;
    if (Name != "PYTORCH_ALLOC_CONF" && Name != "PYTORCH_CUDA_ALLOC_CONF") {
      Out.IsKnown |= readFact(Name, Value, Out.Config);
    } else if (Expected<TorchConfig> C = TorchConfig::parse(Value)) {
      OfVariable = *C;
    } else {
      consumeError(C.takeError());
    }
  }
  if (OfVariable)
    Out.Config = *OfVariable;
  Out.IsKnown |= OfVariable.has_value();
  if (Out.IsKnown)
    Out.Variable.clear();
  return Out;
}

//===----------------------------------------------------------------------===//
// To try
//===----------------------------------------------------------------------===//

std::vector<TorchConfig> memkit::torchConfigsToTry(bool KnowsDevice) {
  // 0: none. Garbage collection needs a share of the device.
  constexpr uint64_t AllSplits[] = {0, 32, 64, 128, 256, 512, 1024, 2048};
  constexpr uint64_t FewSplits[] = {0, 64, 256, 1024};
  ArrayRef<uint64_t> Splits = AllSplits;
  constexpr double AllThresholds[] = {0, 0.8};
  auto Thresholds = ArrayRef(AllThresholds).take_front(1);
  if (KnowsDevice) {
    Splits = FewSplits;
    Thresholds = AllThresholds;
  }
  std::vector<TorchConfig> Out;
  for (bool Expandable : {false, true})
    for (uint64_t Split : Splits)
      for (uint64_t Divisions : {0, 16, 8, 4})
        for (double Threshold : Thresholds) {
          TorchConfig &C = Out.emplace_back();
          C.Expandable = Expandable;
          C.MaxSplit = Split ? Split * TorchConfig::MiB : TorchConfig::NoLimit;
          C.Divisions.fill(Divisions);
          C.GcThreshold = Threshold;
          C.MemoryFraction = Threshold > 0 ? 0.95 : 1;
        }
  return Out;
}

std::vector<RankedConfig> memkit::rankConfigs(ArrayRef<TorchConfig> Configs,
                                              ArrayRef<TargetResults> Of) {
  std::vector<RankedConfig> Ranked;
  for (size_t I = 0; I != Configs.size(); ++I) {
    RankedConfig &R = Ranked.emplace_back();
    R.Config = Configs[I];
    for (const TargetResults &T : Of) {
      const TorchResult &Result = T.Results[I];
      R.Reserved += Result.Reserved;
      R.NumMallocs += Result.NumMallocs;
      R.HasEnded |= Result.hasEnded();
      R.NumFailures += Result.NumFailures;
    }
  }
  auto SumsOf = [](const RankedConfig &R) {
    return std::tuple(R.HasEnded, R.NumFailures, R.Reserved, R.NumMallocs);
  };
  llvm::stable_sort(Ranked, [&](const RankedConfig &A, const RankedConfig &B) {
    return std::tuple(SumsOf(A), A.Config.text().size()) <
           std::tuple(SumsOf(B), B.Config.text().size());
  });
  Ranked.erase(llvm::unique(Ranked,
                            [&](const RankedConfig &A, const RankedConfig &B) {
                              return SumsOf(A) == SumsOf(B);
                            }),
               Ranked.end());
  return Ranked;
}

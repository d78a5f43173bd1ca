// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes settings of PyTorch's caching allocator.

#include "TorchConfig.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace memkit;

static constexpr uint64_t MinLargeSegment = 11;
static constexpr uint64_t MaxLargeSegment = 1 << 20;

/// Settings that PyTorch 2.13 knows and that change no reserved byte of a
/// device.
static constexpr StringLiteral Skipped[] = {
    "graph_capture_record_stream_reuse", "pinned_free_catch_all",
    "pinned_max_cached_size_mb",         "pinned_max_round_threshold_mb",
    "pinned_num_register_threads",       "pinned_reserve_segment_size_mb",
    "pinned_use_background_threads",     "pinned_use_cuda_host_register",
    "pinned_use_hip_host_register",      "release_lock_on_cudamalloc",
    "release_lock_on_hipmalloc",         "throw_on_cudamalloc_oom",
};

static constexpr StringLiteral Known =
    "expandable_segments, garbage_collection_threshold, "
    "large_segment_size_mb, max_non_split_rounding_mb, max_split_size_mb, "
    "per_process_memory_fraction, roundup_power2_divisions";

/// Takes the setting in front of Text, up to a comma outside of brackets.
static StringRef takeSetting(StringRef &Text) {
  size_t Depth = 0, End = 0;
  for (; End != Text.size() && (Depth || Text[End] != ','); ++End) {
    Depth += Text[End] == '[';
    Depth -= Depth && Text[End] == ']';
  }
  StringRef Setting = Text.take_front(End);
  Text = Text.drop_front(std::min(End + 1, Text.size()));
  return Setting;
}

static Error badValue(StringRef Name, StringRef Value, const Twine &What) {
  return makeError(Name + ":" + Value + ": " + What);
}

/// Mebibytes of at least Min. Larger numbers than the address space has are no
/// limit.
static Error readMiB(StringRef Name, StringRef Value, uint64_t Min,
                     uint64_t &Out) {
  uint64_t Number;
  if (Value.getAsInteger(10, Number))
    return badValue(Name, Value, "not a number of MiB");
  if (Number < Min)
    return badValue(Name, Value, "at least " + Twine(Min) + " is needed");
  Out = Number > UINT64_MAX / TorchConfig::MiB ? TorchConfig::NoLimit
                                               : Number * TorchConfig::MiB;
  return Error::success();
}

static Error readSegmentSize(StringRef Name, StringRef Value,
                             TorchConfig &Out) {
  if (Error E = readMiB(Name, Value, MinLargeSegment, Out.LargeSegment))
    return E;
  return Out.LargeSegment > MaxLargeSegment * TorchConfig::MiB
             ? badValue(Name, Value,
                        "at most " + Twine(MaxLargeSegment) + " is possible")
             : Error::success();
}

static Error readFraction(StringRef Name, StringRef Value, bool MayBeOne,
                          double &Out) {
  double Number;
  if (Value.getAsDouble(Number) || !(Number >= 0) || Number > 1 ||
      (!MayBeOne && (Number == 0 || Number == 1)))
    return badValue(Name, Value,
                    MayBeOne ? "not a number from 0 to 1"
                             : "not a number between 0 and 1");
  Out = Number;
  return Error::success();
}

static Error readFlag(StringRef Name, StringRef Value, bool &Out) {
  if (Value != "True" && Value != "False")
    return badValue(Name, Value, "neither True nor False");
  Out = Value == "True";
  return Error::success();
}

static bool isDivision(StringRef Text, uint64_t &Out) {
  return !Text.getAsInteger(10, Out) && (Out == 0 || isPowerOf2_64(Out));
}

/// Reads `[256:1,512:2,>:4]`: the divisions of sizes from each number of MiB
/// on. The first is also for smaller sizes, `>` for the intervals after the
/// last.
static Error readDivisionList(StringRef Name, StringRef Value,
                              TorchConfig &Out) {
  StringRef List = Value;
  if (!List.consume_front("[") || !List.consume_back("]"))
    return badValue(Name, Value, "the list has no end");
  SmallVector<StringRef> Pairs;
  List.split(Pairs, ',');
  unsigned Next = 0;
  for (StringRef Pair : Pairs) {
    auto [From, Text] = Pair.split(':');
    uint64_t Division, Mebibytes;
    if (!isDivision(Text, Division))
      return badValue(Name, Value, "'" + Text + "' is no power of two");
    if (From == ">") {
      std::fill(Out.Divisions.begin() + Next, Out.Divisions.end(), Division);
      continue;
    }
    if (From.getAsInteger(10, Mebibytes) || !isPowerOf2_64(Mebibytes))
      return badValue(Name, Value, "'" + From + "' is no power of two");
    unsigned Index =
        std::min(Log2_64(Mebibytes), TorchConfig::NumIntervals - 1);
    if (Pair.data() == Pairs.front().data())
      std::fill_n(Out.Divisions.begin(), Index, Division);
    Out.Divisions[Index] = Division;
    Next = Index + 1;
  }
  return Error::success();
}

static Error readDivisions(StringRef Name, StringRef Value, TorchConfig &Out) {
  if (Value.starts_with("["))
    return readDivisionList(Name, Value, Out);
  uint64_t Division;
  if (!isDivision(Value, Division) || !Division)
    return badValue(Name, Value, "no power of two");
  Out.Divisions.fill(Division);
  return Error::success();
}

static Error readSetting(StringRef Name, StringRef Value, TorchConfig &Out) {
  uint64_t MinSplit = Out.LargeSegment / TorchConfig::MiB;
  if (Name == "expandable_segments")
    return readFlag(Name, Value, Out.Expandable);
  if (Name == "garbage_collection_threshold")
    return readFraction(Name, Value, /*MayBeOne=*/false, Out.GcThreshold);
  if (Name == "large_segment_size_mb")
    return readSegmentSize(Name, Value, Out);
  if (Name == "max_non_split_rounding_mb")
    return readMiB(Name, Value, MinSplit, Out.MaxNonSplitRounding);
  if (Name == "max_split_size_mb")
    return readMiB(Name, Value, MinSplit, Out.MaxSplit);
  if (Name == "per_process_memory_fraction")
    return readFraction(Name, Value, /*MayBeOne=*/true, Out.MemoryFraction);
  if (Name == "roundup_power2_divisions")
    return readDivisions(Name, Value, Out);
  if (Name == "backend")
    return Value == "native"
               ? Error::success()
               : badValue(Name, Value, "only native can be simulated");
  if (is_contained(Skipped, Name))
    return Error::success();
  return makeError("no setting '" + Name + "'; settings are " + Known);
}

Expected<TorchConfig> TorchConfig::parse(StringRef Text) {
  std::string Dense;
  copy_if(Text, std::back_inserter(Dense), [](char C) { return !isSpace(C); });
  TorchConfig Out;
  // Other settings have the size of segments as their minimum.
  for (bool OfSegments : {true, false})
    for (StringRef Rest = Dense; !Rest.empty();) {
      auto [Name, Value] = takeSetting(Rest).split(':');
      if ((Name == "large_segment_size_mb") != OfSegments)
        continue;
      if (Error E = readSetting(Name, Value, Out))
        return std::move(E);
    }
  return Out;
}

static void writeDivisions(
    raw_ostream &OS,
    const std::array<uint64_t, TorchConfig::NumIntervals> &Divisions) {
  OS << "roundup_power2_divisions:";
  if (all_equal(Divisions)) {
    OS << Divisions[0];
    return;
  }
  // The first pair is also for smaller sizes, `>` for all after the last.
  OS << '[';
  unsigned Last = TorchConfig::NumIntervals - 1;
  while (Last &&
         Divisions[Last - 1] == Divisions[TorchConfig::NumIntervals - 1])
    --Last;
  for (unsigned I = 0; I != Last; ++I)
    OS << (uint64_t(1) << I) << ':' << Divisions[I] << ',';
  OS << ">:" << Divisions[Last] << ']';
}

std::string TorchConfig::text() const {
  std::string Out;
  raw_string_ostream OS(Out);
  auto Next = [&]() -> raw_ostream & { return OS << (Out.empty() ? "" : ","); };
  static const TorchConfig Default;
  if (Expandable)
    Next() << "expandable_segments:True";
  if (GcThreshold != Default.GcThreshold)
    Next() << "garbage_collection_threshold:" << format("%g", GcThreshold);
  if (LargeSegment != Default.LargeSegment)
    Next() << "large_segment_size_mb:" << LargeSegment / TorchConfig::MiB;
  if (MaxNonSplitRounding != Default.MaxNonSplitRounding)
    Next() << "max_non_split_rounding_mb:"
           << MaxNonSplitRounding / TorchConfig::MiB;
  if (MaxSplit != Default.MaxSplit)
    Next() << "max_split_size_mb:" << MaxSplit / TorchConfig::MiB;
  if (MemoryFraction != Default.MemoryFraction)
    Next() << "per_process_memory_fraction:" << format("%g", MemoryFraction);
  if (Divisions != Default.Divisions) {
    Next();
    writeDivisions(OS, Divisions);
  }
  return Out;
}

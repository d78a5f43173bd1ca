// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collective operations of ranks.

#include "memkit/Analysis/JobCollectives.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <map>

using namespace llvm;

namespace memkit {

namespace {
/// The ends of the ranges of one name in a process.
struct RangeEnds {
  static constexpr size_t Most = 512;
  uint64_t Count = 0, Stride = 1;
  std::vector<std::pair<uint64_t, uint64_t>> Kept; ///< number, time

  void add(uint64_t TimeNs) {
    uint64_t Number = ++Count;
    if (Number % Stride)
      return;
    Kept.push_back({Number, TimeNs});
    if (Kept.size() <= Most)
      return;
    Stride *= 2;
    erase_if(Kept, [&](const auto &One) { return One.first % Stride != 0; });
  }
};

/// A program may have ranges of any number of names.
constexpr size_t MaxNames = 4096;

class RangeReader {
public:
  void take(const Mark &M) {
    if (M.Kind == MarkKind::RangeBegin)
      Open[{M.Process, M.Id}] = M.Name;
    if (M.Kind != MarkKind::RangeEnd)
      return;
    auto At = Open.find({M.Process, M.Id});
    if (At == Open.end())
      return;
    std::pair Key(M.Process, At->second);
    Open.erase(At);
    if (Ends.size() < MaxNames || Ends.count(Key))
      Ends[Key].add(M.TimeNs);
  }

  std::map<std::pair<uint32_t, uint32_t>, RangeEnds>
      Ends; ///< by process and name

private:
  DenseMap<std::pair<uint32_t, uint64_t>, uint32_t> Open;
};
} // namespace

bool isCollective(StringRef Name) {
  static constexpr StringLiteral Starts[] = {
      "nccl:", "gloo:", "c10d::", "mpi:", "ucc:", "xccl:"};
  if (any_of(Starts, [&](StringRef S) { return Name.starts_with(S); }))
    return true;
  // `ncclAllReduce`; a group has no end of its own.
  return Name.starts_with("nccl") && Name.size() > 4 && isUpper(Name[4]) &&
         !Name.starts_with("ncclGroup") && !Name.starts_with("ncclComm");
}

Error readCollectives(const Trace &T, function_ref<Error()> ReadNames,
                      std::vector<JobRank> &Ranks) {
  // A recording that began later has other numbers.
  auto IsBegun = [](StringRef Option) { return Option.starts_with("start="); };
  if (!T.hasReader() || any_of(T.header().Options, IsBegun))
    return Error::success();
  RangeReader Ranges;
  if (Error E = T.forEachMark([&](const Mark &M) { Ranges.take(M); }))
    return E;
  if (Ranges.Ends.empty())
    return Error::success();
  if (Error E = ReadNames())
    return E;
  for (JobRank &R : Ranks) {
    for (auto At = Ranges.Ends.lower_bound({R.Main, 0});
         At != Ranges.Ends.end() && At->first.first == R.Main; ++At) {
      StringRef Name = T.string(At->first.second);
      if (!isCollective(Name))
        continue;
      uint64_t Of = xxh3_64bits(Name);
      for (auto [Number, TimeNs] : At->second.Kept)
        R.Collectives.push_back({Of + Number, TimeNs});
    }
    sort(R.Collectives, [](const RankCollective &A, const RankCollective &B) {
      return A.Key < B.Key;
    });
  }
  return Error::success();
}

} // namespace memkit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums of device work of all processes.

#include "Output/DeviceTimeTable.h"
#include <algorithm>

using namespace memkit;

/// Ids and the program's 32-bit numbers, two in a word. Names are ids of the
/// trace, never the highest number, so no key is one that DenseMap reserves.
std::pair<DeviceTimeTable::WordPair, DeviceTimeTable::WordPair>
DeviceTimeTable::keyOf(const DeviceTimeStats &S) {
  auto Pack = [](uint64_t High, uint32_t Low) { return High << 32 | Low; };
  return {{Pack(S.Stream, S.Name), Pack(S.Process, S.Graph)},
          {Pack(S.Stack, S.ScopePath), Pack(S.Device, uint32_t(S.Kind))}};
}

size_t DeviceTimeTable::rowOf(DeviceTimeStats S) {
  auto Find = [&] { return Places.find(keyOf(S)); };
  auto At = Find();
  if (At == Places.end() && Rows.size() >= MaxRows) {
    S.Stack = S.ScopePath = 0;
    At = Find();
    if (At == Places.end() && Rows.size() >= 2 * MaxRows) {
      S.Stream = S.Name = S.Graph = 0;
      At = Find();
    }
  }
  if (At != Places.end())
    return At->second;
  Places.try_emplace(keyOf(S), Rows.size());
  S.Calls = S.DurationNs = S.LongestNs = S.Bytes = S.EndNs = S.Untied = 0;
  Rows.push_back(S);
  HasChanged.push_back(false);
  return Rows.size() - 1;
}

void DeviceTimeTable::add(const DeviceTimeStats &One) {
  size_t Row = rowOf(One);
  HasChanged[Row] = true;
  DeviceTimeStats &To = Rows[Row];
  To.Calls += One.Calls;
  To.DurationNs += One.DurationNs;
  To.LongestNs = std::max(To.LongestNs, One.DurationNs);
  To.Bytes += One.Bytes;
  To.BeginNs = std::min(To.BeginNs, One.BeginNs);
  To.EndNs = std::max(To.EndNs, One.EndNs);
  To.Untied += One.Untied;
}

std::vector<DeviceTimeStats> DeviceTimeTable::takeChanged() {
  std::vector<DeviceTimeStats> Out;
  for (size_t I = 0; I != Rows.size(); ++I)
    if (HasChanged[I])
      Out.push_back(Rows[I]);
  HasChanged.assign(Rows.size(), false);
  return Out;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums by key of a graph, of few of its keys.

#ifndef MEMKIT_LIB_VIEW_KEYSUMS_H
#define MEMKIT_LIB_VIEW_KEYSUMS_H

#include "memkit/Model/Profile.h"
#include "llvm/ADT/ArrayRef.h"

namespace memkit {

/// Sums of bytes and blocks by key. The blocks of a moment have few of a
/// trace's stacks: taking the sums costs time for the keys with bytes alone,
/// and the table of all keys is kept from one moment to the next.
class KeySums {
public:
  /// Keys are below NumKeys. Before the first add(), and after each take().
  void begin(size_t NumKeys) {
    if (Sums.size() < NumKeys)
      Sums.resize(NumKeys);
  }
  void add(uint32_t Key, uint64_t Bytes, uint64_t Blocks) {
    if (!Bytes)
      return;
    KeySum &S = Sums[Key];
    if (!S.Bytes)
      Keys.push_back(Key);
    S.Bytes += Bytes;
    S.Blocks += Blocks;
  }
  /// Adds the sums to Bytes and its total, and to Blocks, in the order in which
  /// the keys came; empties this object.
  void take(Profile &Bytes, std::vector<KeyValue> &Blocks) {
    for (uint32_t Key : Keys) {
      KeySum &S = Sums[Key];
      Bytes.Values.push_back({Key, S.Bytes});
      Bytes.Total += S.Bytes;
      Blocks.push_back({Key, S.Blocks});
      S = {};
    }
    Keys.clear();
  }

private:
  struct KeySum {
    uint64_t Bytes = 0, Blocks = 0;
  };
  std::vector<KeySum> Sums; ///< by key; all 0 between take() and add()
  std::vector<uint32_t> Keys;
};

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_KEYSUMS_H

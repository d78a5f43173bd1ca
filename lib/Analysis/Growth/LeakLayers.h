// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layers of findings.

#ifndef MEMKIT_LIB_ANALYSIS_LEAKLAYERS_H
#define MEMKIT_LIB_ANALYSIS_LEAKLAYERS_H

#include "FindingIndex.h"

namespace memkit {

/// Fills LeakFinding::Layer from the blocks that lived at the end.
class LeakLayers {
public:
  LeakLayers(const Trace &T, llvm::MutableArrayRef<LeakFinding> All);
  /// Whether the trace has layers; without layers, add() needs no blocks.
  static bool areIn(const Trace &T);
  void add(const LiveBlock &B);
  void finish();

private:
  void addTo(uint32_t Place, uint32_t Layer, uint64_t Bytes);

  const Trace &T;
  llvm::MutableArrayRef<LeakFinding> All;
  std::vector<uint32_t> LayerOf; ///< by scope path
  FindingIndex Index;
  static constexpr uint32_t NoBlock = UINT32_MAX, Several = UINT32_MAX - 1;
  std::vector<uint32_t> Seen; ///< by finding
  /// Of growth: bytes by layer; by finding.
  std::vector<llvm::DenseMap<uint32_t, uint64_t>> Bytes;
};

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_LEAKLAYERS_H

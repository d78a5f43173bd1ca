// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters and buffers that the layers of a process hold.

#ifndef MEMKIT_LIB_RECORD_PARAMETERTABLE_H
#define MEMKIT_LIB_RECORD_PARAMETERTABLE_H

#include "memkit/Trace/Summary.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <tuple>
#include <vector>

namespace memkit {

/// Sums up the tensors of modules as they report them. Belongs to the
/// recorder's thread.
class ParameterTable {
public:
  /// Rows: of all processes; Process has its own rows there. A row whose
  /// tensors are gone stays, with zeros.
  ParameterTable(std::vector<ParameterStats> &Rows, uint32_t Process)
      : Rows(Rows), Process(Process) {}

  /// A module with the name Layer, a string, begins its report: earlier reports
  /// of the layer do not count any more.
  void begin(uint32_t Layer);
  /// The module holds a tensor. Address: of its memory. Not counted if another
  /// layer has reported the memory before. Dtype: string.
  void add(uint64_t Address, uint32_t Layer, uint32_t Dtype, bool Buffer,
           uint64_t Elements, uint64_t Bytes);
  /// The memory at Address has become another tensor's.
  void forget(uint64_t Address) { Holders.erase(key(Address)); }

  static constexpr size_t MaxTensors = 1 << 20;

private:
  struct LayerTensor {
    uint64_t Address;
    size_t Row;
    uint64_t Elements, Bytes;
  };
  /// Not a value that DenseMap reserves.
  static uint64_t key(uint64_t Address) { return Address & INT64_MAX; }
  size_t rowOf(uint32_t Layer, uint32_t Dtype, bool Buffer);

  std::vector<ParameterStats> &Rows;
  uint32_t Process;
  size_t NumTensors = 0;
  llvm::DenseMap<uint64_t, uint32_t> Holders; ///< layers by address
  std::map<uint32_t, std::vector<LayerTensor>> OfLayers;
  std::map<std::tuple<uint32_t, uint32_t, bool>, size_t> Places; ///< in Rows
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PARAMETERTABLE_H

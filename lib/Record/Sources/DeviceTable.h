// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of CUDA's driver in a process.

#ifndef MEMKIT_LIB_RECORD_DEVICETABLE_H
#define MEMKIT_LIB_RECORD_DEVICETABLE_H

#include "Sources/LiveTable.h"
#include "Wire/Layout.h"
#include <map>

namespace memkit {

/// A block of CUDA's driver.
struct DeviceBlock {
  uint64_t End = 0;
  LiveEntry Entry;    ///< Row 0: counts nothing now
  uint32_t Place = 0; ///< wire::CudaPlace
  /// Of Reserved: the entry of the mapped part, a block of its own.
  LiveEntry Mapped;
  // Of Physical: the size and its mapped part. Entry is the block of the
  // unmapped part, with the rows below. Imported: memory of another process.
  uint64_t Bytes = 0, MappedBytes = 0;
  uint32_t Row = 0, ScopeRow = 0;
  uint32_t References = 1;
  bool IsImported = false;
  bool IsKept = false; ///< freed, but may be freed again

  wire::CudaHeap heap() const {
    return wire::CudaHeap(wire::CudaPlace::heap(Place));
  }
};

/// A mapping of physical memory. Counted: bytes counted in this mapping.
struct DeviceMapping {
  uint64_t End = 0, Handle = 0, Counted = 0;
};

/// The blocks of a process by address or handle. Blocks at addresses of devices
/// or of the host do not overlap; registered memory, handles and reservations
/// have tables of their own. Belongs to one thread.
class DeviceTable {
public:
  using DeviceBlockMap =
      std::map<uint64_t, DeviceBlock>; ///< by start, or handle

  /// The table for the blocks of heap H.
  DeviceBlockMap &of(wire::CudaHeap H) { return Tables[tableOf(H)]; }
  const DeviceBlockMap &of(wire::CudaHeap H) const {
    return Tables[tableOf(H)];
  }

  size_t size() const {
    size_t N = 0;
    for (const DeviceBlockMap &M : Tables)
      N += M.size();
    return N;
  }
  template <class Fn> void forEach(Fn F) const {
    for (const DeviceBlockMap &M : Tables)
      for (const auto &[Begin, B] : M)
        F(B);
  }
  /// The block of M around Address, or null.
  static const DeviceBlock *find(const DeviceBlockMap &M, uint64_t Address) {
    auto It = M.upper_bound(Address);
    if (It == M.begin() || Address >= std::prev(It)->second.End)
      return nullptr;
    return &std::prev(It)->second;
  }
  /// The first block of M that overlaps [Begin, End).
  static DeviceBlockMap::iterator overlapping(DeviceBlockMap &M, uint64_t Begin,
                                              uint64_t End) {
    auto It = M.upper_bound(Begin);
    if (It != M.begin() && std::prev(It)->second.End > Begin)
      return std::prev(It);
    return It != M.end() && It->first < End ? It : M.end();
  }

  static constexpr unsigned NumTables =
      1 + wire::NumCudaHeaps - unsigned(wire::CudaHeap::Registered);
  DeviceBlockMap &table(unsigned I) { return Tables[I]; }
  std::map<uint64_t, DeviceMapping> Mappings; ///< by start

  /// Keeps a freed block in the table; false: the table keeps too many.
  bool keep(DeviceBlock &B) {
    if (!B.IsKept && NumKept == MaxKept)
      return false;
    NumKept += !B.IsKept;
    B.IsKept = true;
    return true;
  }
  DeviceBlockMap::iterator erase(DeviceBlockMap &M,
                                 DeviceBlockMap::iterator It) {
    NumKept -= It->second.IsKept;
    return M.erase(It);
  }

private:
  static constexpr size_t MaxKept = 1 << 16;
  size_t NumKept = 0;
  static unsigned tableOf(wire::CudaHeap H) {
    return H < wire::CudaHeap::Registered
               ? 0
               : 1 + unsigned(H) - unsigned(wire::CudaHeap::Registered);
  }
  DeviceBlockMap Tables[NumTables];
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_DEVICETABLE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a process has of CUDA's driver.

#ifndef MEMKIT_LIB_RECORD_DEVICETABLE_H
#define MEMKIT_LIB_RECORD_DEVICETABLE_H

#include "Sources/LiveTable.h"
#include "Wire/Layout.h"
#include <map>

namespace memkit {

/// A block that CUDA's driver gave out.
struct DeviceBlock {
  uint64_t End = 0;
  LiveEntry Entry;    ///< Row 0: it counts nothing now
  uint32_t Place = 0; ///< wire::CudaPlace
  /// Of Reserved: what is mapped of it is a block, too, of this entry.
  LiveEntry Mapped;
  // Of Physical: its size, and how much of that is mapped; what is not is the
  // block Entry, of these rows. Imported: another's memory.
  uint64_t Bytes = 0, MappedBytes = 0;
  uint32_t Row = 0, ScopeRow = 0;
  uint32_t References = 1;
  bool IsImported = false;
  bool IsKept = false; ///< it has ended, and may be freed again

  wire::CudaHeap heap() const {
    return wire::CudaHeap(wire::CudaPlace::heap(Place));
  }
};

/// Where physical memory is mapped. Counted: bytes that count here.
struct DeviceMapping {
  uint64_t End = 0, Handle = 0, Counted = 0;
};

/// The blocks of a process by address or handle. Those at addresses of devices
/// or of the host do not overlap; registered memory, handles and reservations
/// are tables of their own. Belongs to one thread.
class DeviceTable {
public:
  using Map = std::map<uint64_t, DeviceBlock>; ///< by begin, or handle

  /// The table in which blocks of a heap stand.
  Map &of(wire::CudaHeap H) { return Tables[tableOf(H)]; }
  const Map &of(wire::CudaHeap H) const { return Tables[tableOf(H)]; }

  size_t size() const {
    size_t N = 0;
    for (const Map &M : Tables)
      N += M.size();
    return N;
  }
  template <class Fn> void forEach(Fn F) const {
    for (const Map &M : Tables)
      for (const auto &[Begin, B] : M)
        F(B);
  }
  /// The block of M in which Address lies.
  static const DeviceBlock *find(const Map &M, uint64_t Address) {
    auto It = M.upper_bound(Address);
    if (It == M.begin() || Address >= std::prev(It)->second.End)
      return nullptr;
    return &std::prev(It)->second;
  }
  /// The first of M that lies, at least in part, in [Begin, End).
  static Map::iterator overlapping(Map &M, uint64_t Begin, uint64_t End) {
    auto It = M.upper_bound(Begin);
    if (It != M.begin() && std::prev(It)->second.End > Begin)
      return std::prev(It);
    return It != M.end() && It->first < End ? It : M.end();
  }

  static constexpr unsigned NumTables =
      1 + wire::NumCudaHeaps - unsigned(wire::CudaHeap::Registered);
  Map &table(unsigned I) { return Tables[I]; }
  std::map<uint64_t, DeviceMapping> Mappings; ///< by begin

  /// Keeps a block that was freed; false: there are too many.
  bool keep(DeviceBlock &B) {
    if (!B.IsKept && NumKept == MaxKept)
      return false;
    NumKept += !B.IsKept;
    B.IsKept = true;
    return true;
  }
  Map::iterator erase(Map &M, Map::iterator It) {
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
  Map Tables[NumTables];
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_DEVICETABLE_H

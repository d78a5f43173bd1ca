// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapped memory of a recording that is being imported.

#ifndef MEMKIT_LIB_IMPORT_MAPPINGTABLE_H
#define MEMKIT_LIB_IMPORT_MAPPINGTABLE_H

#include <cstdint>
#include <map>

namespace memkit {

class TraceBuilder;
struct ImportedBlock;

/// Blocks that are address ranges, and that a program unmaps in parts: an unmap
/// frees, shrinks or splits blocks. Belongs to one thread.
class MappingTable {
public:
  /// The events go to To as events of Process.
  MappingTable(TraceBuilder &To, uint32_t Process) : To(To), Process(Process) {}

  /// B.Address and B.Size are the range. What was mapped there is unmapped.
  void map(uint32_t Thread, uint64_t TimeNs, const ImportedBlock &B);
  void unmap(uint32_t Thread, uint64_t TimeNs, uint64_t Begin, uint64_t Size);

private:
  struct Mapping {
    uint64_t End, Block;
  };
  TraceBuilder &To;
  uint32_t Process;
  std::map<uint64_t, Mapping> Mappings; ///< by begin, without overlap
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_MAPPINGTABLE_H

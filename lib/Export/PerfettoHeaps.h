// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heap profiles of a trace of Perfetto.

#ifndef MEMKIT_LIB_EXPORT_PERFETTOHEAPS_H
#define MEMKIT_LIB_EXPORT_PERFETTOHEAPS_H

#include "HeapDumps.h"
#include "NamePaths.h"
#include "PerfettoWriter.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace memkit {

/// The paths of dumps. The call stacks of a file hold their frames one by one,
/// so stacks with the lowest peaks are folded when all frames are too many.
class HeapPaths {
public:
  /// T: the tree of S, whose keys are stacks. MaxFrames: the limit of the
  /// frames of all paths; 0: none.
  HeapPaths(ShownTree T, const SelectedStats &S, size_t MaxFrames);

  /// By stack.
  llvm::ArrayRef<uint32_t> byStack() const { return PathOf; }
  /// The numbers of a path's names, outermost first; at least one.
  void names(uint32_t Path, llvm::SmallVectorImpl<uint32_t> &Out) const;
  const FlameNames::FlameName &name(uint32_t Number) const {
    return Names.names()[Number];
  }
  llvm::StringRef binary(uint32_t Number) const;

private:
  std::vector<bool> largest(const SelectedStats &S, size_t MaxFrames) const;

  ShownTree T;
  FlameNames Names;
  NamePaths Paths;
  std::vector<uint32_t> PathOf; ///< by stack; Paths.size(): folded
};

/// Writes dumps as the packets of Perfetto's native heap profiler.
class PerfettoHeaps {
public:
  PerfettoHeaps(PerfettoWriter &Out, const Trace &T, const HeapPaths &Paths);
  /// Dumps: by time.
  void write(llvm::ArrayRef<HeapDump> Dumps);

private:
  using HeapPath = std::pair<uint32_t, uint32_t>; ///< heap and path

  /// Texts of one kind, numbered from 1.
  struct ProfileTexts {
    unsigned Field; ///< of InternedData
    llvm::StringMap<uint64_t> Ids;
  };
  /// A number of the system, which several processes may have had.
  struct DumpedPid {
    uint32_t Process = 0; ///< the last one
    /// Sums of all processes; kept only if there are several.
    llvm::DenseMap<HeapPath, HeapTotals> Sums, Before;
    std::map<uint32_t, std::vector<HeapDumpRow>> Gone; ///< by heap
    std::map<uint32_t, uint64_t> LastNs;               ///< by heap
  };

  uint64_t text(ProfileTexts &Of, llvm::StringRef Text);
  uint64_t mapping(llvm::StringRef Binary);
  uint64_t frame(uint32_t Heap, uint32_t Name);
  uint64_t callstack(uint32_t Heap, uint32_t Path);
  void startProcess(DumpedPid &Pid, uint32_t Process);
  std::vector<HeapDumpRow> sums(DumpedPid &Pid, const HeapDump &D) const;
  void writeDump(const HeapDump &D);
  void writeRows(const HeapDump &D, uint64_t StartNs,
                 llvm::ArrayRef<HeapDumpRow> Rows, bool Continued);

  PerfettoWriter &Out;
  const Trace &T;
  const HeapPaths &Paths;
  ProtoWriter Interned; ///< of the next packet
  ProfileTexts Functions{5, {}}, Sources{18, {}}, Binaries{17, {}};
  llvm::StringMap<uint64_t> Mappings;
  llvm::DenseMap<HeapPath, uint64_t> Frames, Callstacks; ///< heap, name or path
  std::map<uint32_t, DumpedPid> Pids;
  std::map<uint32_t, unsigned> ProcessesOfPid;
  uint64_t Index = 0; ///< of the next packet
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_PERFETTOHEAPS_H

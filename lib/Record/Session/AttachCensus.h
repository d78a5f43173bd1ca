// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lived in the programs when memrec attached to them.

#ifndef MEMKIT_LIB_RECORD_SESSION_ATTACHCENSUS_H
#define MEMKIT_LIB_RECORD_SESSION_ATTACHCENSUS_H

#include "Census/Census.h"
#include "Session/ChildList.h"
#include "Session/RecordOptions.h"
#include "Shared/SideThread.h"
#include <optional>

namespace memkit {

/// Takes a census of each program that memrec has attached to, while it runs
/// and its records are taken: a thread reads; then the recorder's thread adds
/// the blocks, some of them in each pass. Belongs to the recorder's thread.
class AttachCensus {
public:
  /// Main: the memory of the program itself.
  AttachCensus(const RecordOptions &O, ChildList &Children, TargetMemory Main)
      : O(O), Children(Children), Main(std::move(Main)) {}

  /// All programs are attached to: counts them, one after the other.
  void start();
  /// Once in a pass, after the records up to the clock Tsc.
  void pass(uint64_t Tsc);
  bool isOver() const { return IsStarted && !Process && Waiting.empty(); }

private:
  void next();
  void read(const TargetMemory &Memory);
  void end();

  const RecordOptions &O;
  ChildList &Children;
  TargetMemory Main;
  std::optional<TargetMemory> Other;
  std::vector<uint32_t> Waiting;               ///< processes, the next one last
  uint32_t Process = 0;                        ///< that is counted; 0: none
  std::optional<llvm::Expected<Census>> Found; ///< of the thread while it reads
  uint64_t ReadTsc = 0;                        ///< when it was read; 0: not yet
  size_t Added = 0;                            ///< blocks
  bool IsStarted = false;
  /// Last, so that the thread has ended before its data end.
  SideThread Thread;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_ATTACHCENSUS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last events of a trace, kept aside.
//
// A long run of which only the last events are wanted writes them to two
// unlinked files in turn: when one is full the other begins anew. What both
// hold is appended to the trace at its end.

#ifndef MEMKIT_LIB_TRACE_EVENTTAIL_H
#define MEMKIT_LIB_TRACE_EVENTTAIL_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <vector>

namespace memkit {

/// Takes sections of events and snapshots, compressed, in a TraceWriter's
/// place. Belongs to one thread.
class EventTail {
public:
  /// Makes the files in Folder, to hold Bytes together. Each half begins with
  /// the snapshots that are taken after turn(); those come beside.
  static llvm::Expected<std::unique_ptr<EventTail>>
  create(llvm::StringRef Folder, uint64_t Bytes);
  ~EventTail();

  llvm::Error take(const SectionInfo &B, llvm::StringRef Frame);
  /// Whether turn() is due: this half is full.
  bool isHalfFull() const { return Halves[Current].isFull(HalfBytes); }
  /// From now on the other half is written, and what it held is gone: how many
  /// events of which process.
  llvm::Expected<std::map<uint32_t, uint64_t>> turn();

  /// Gives all that is kept, the older half first, and in each the snapshots
  /// with which it begins before all else of their process. What it gives it
  /// does not keep.
  llvm::Error forEach(
      llvm::function_ref<llvm::Error(const SectionInfo &, llvm::StringRef)> Do);

private:
  struct Half {
    int Fd = -1;
    uint64_t Bytes = 0, EventBytes = 0;
    std::vector<SectionInfo> Sections; ///< Offset: in the file
    /// Few sections are usual; their list is bounded, too.
    bool isFull(uint64_t Max) const {
      return EventBytes >= Max || Sections.size() >= MaxBlocks;
    }
  };
  static constexpr size_t MaxBlocks = 1 << 18;

  EventTail() = default;
  llvm::Error give(
      Half &H, bool Begins,
      llvm::function_ref<llvm::Error(const SectionInfo &, llvm::StringRef)> Do);

  Half Halves[2];
  unsigned Current = 0;
  uint64_t Turns = 0;
  uint64_t HalfBytes = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_EVENTTAIL_H

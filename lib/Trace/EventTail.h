// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last events of a trace, kept aside.
//
// Keeps the last events of a long run, in two unlinked files in turn. When one
// file is full, the other is emptied and written next. At the end of the trace
// both are appended to the trace.

#ifndef MEMKIT_LIB_TRACE_EVENTTAIL_H
#define MEMKIT_LIB_TRACE_EVENTTAIL_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <vector>

namespace memkit {

/// Takes compressed sections of events and snapshots that would otherwise go to
/// a TraceWriter. Belongs to one thread.
class EventTail {
public:
  /// Makes the two files in Folder, which hold Bytes together; snapshots come
  /// in addition. Each half begins with the snapshots taken after turn().
  static llvm::Expected<std::unique_ptr<EventTail>>
  create(llvm::StringRef Folder, uint64_t Bytes);
  ~EventTail();

  llvm::Error take(const SectionInfo &B, llvm::StringRef Frame);
  /// Whether turn() is due: this half is full.
  bool isHalfFull() const { return Halves[Current].isFull(HalfBytes); }
  /// Empties the other half and makes it the current one. Returns the number of
  /// events dropped, by process.
  llvm::Expected<std::map<uint32_t, uint64_t>> turn();

  /// Passes all kept sections to Do and forgets them. The older half comes
  /// first. In each half, the snapshots at its begin come before all other
  /// sections of their process.
  llvm::Error forEach(
      llvm::function_ref<llvm::Error(const SectionInfo &, llvm::StringRef)> Do);

private:
  struct Half {
    int Fd = -1;
    uint64_t Bytes = 0, EventBytes = 0;
    std::vector<SectionInfo> Sections; ///< Offset: in this half's file
    /// The usual number of sections is small; the list is bounded as well.
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a trace, section by section.

#ifndef MEMKIT_TRACE_TRACEWRITER_H
#define MEMKIT_TRACE_TRACEWRITER_H

#include "memkit/Trace/Sections.h"
#include "memkit/Trace/Sink.h"
#include <memory>

namespace memkit {

class EventLog;
class EventTail;

/// Writes a trace to a sink section by section, in bounded memory: under 20
/// bytes a section (the index) and 4 bytes a stack node.
///
/// Sections must obey Sections.h (dictionary before use, row limits, allocation
/// ids in sequence); the writer asserts these rules. Belongs to one thread.
class TraceWriter {
public:
  /// Writes the Header at once. Copy gets all sections, too, other than events,
  /// snapshots and categories of blocks. Out and Copy must outlive the writer.
  static llvm::Expected<std::unique_ptr<TraceWriter>>
  create(Sink &Out, const Header &H, Sink *Copy = nullptr);
  /// Goes on with a file of Known sections: writes what follows them.
  static std::unique_ptr<TraceWriter> resume(Sink &Out,
                                             llvm::ArrayRef<SectionInfo> Known);
  ~TraceWriter();

  llvm::Error write(const Dictionary &D);
  llvm::Error write(const Events &E);
  llvm::Error write(const EventLog &L);
  llvm::Error write(const Marks &M);
  llvm::Error write(const Intervals &S);
  llvm::Error write(const Lifetimes &L);
  llvm::Error write(const Snapshot &K);
  llvm::Error write(const Summary &S);
  llvm::Error write(const Partial &P);
  llvm::Error write(const BlockCategories &C);
  llvm::Error write(const ScopeTimes &S);
  llvm::Error write(const DeviceSpans &S);
  /// Writes a section of another trace. Does nothing for a header and an index,
  /// which a writer makes itself, and for a section of a newer format.
  llvm::Error copy(const AnySection &Section);

  // As write(), but step() does the slow work. Until busy() is false, the
  // caller may write no other section.

  /// L must not change until busy() is false.
  llvm::Error begin(const EventLog &L);
  llvm::Error begin(const Dictionary &D);
  llvm::Error begin(const Marks &M);
  llvm::Error begin(const Intervals &S);
  llvm::Error begin(const Snapshot &K);
  llvm::Error begin(const Partial &P);
  llvm::Error begin(const BlockCategories &C);
  llvm::Error begin(const ScopeTimes &S);
  llvm::Error begin(const DeviceSpans &S);
  bool busy() const;
  /// Does a part of the work, some 100 microseconds. Only while busy().
  llvm::Error step();

  /// Sends further sections of events, snapshots and categories of blocks to
  /// Tail, which must outlive the writer; null: to the trace again.
  void keepEvents(EventTail *Tail);
  /// Writes a section from a tail.
  llvm::Error append(const SectionInfo &B, llvm::StringRef Frame);

  /// Writes the index and the seek table. No write may follow.
  llvm::Error finish();

  /// Bytes given to the sink so far.
  uint64_t bytes() const;
  /// Bytes given to the copy; without a copy, bytes().
  uint64_t copyBytes() const;
  /// The sections of the file so far, as IndexLog saves them; empty where a
  /// copy gets less.
  std::string index() const;
  /// Bytes of all sections of events and snapshots so far, including sections
  /// in a tail.
  uint64_t eventBytes() const;

private:
  class Impl;
  explicit TraceWriter(std::unique_ptr<Impl> I);
  std::unique_ptr<Impl> I;
};

} // namespace memkit

#endif // MEMKIT_TRACE_TRACEWRITER_H

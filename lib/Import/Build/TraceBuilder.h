// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a trace of what a reader finds in another tool's recording.

#ifndef MEMKIT_LIB_IMPORT_TRACEBUILDER_H
#define MEMKIT_LIB_IMPORT_TRACEBUILDER_H

#include "Trace/Catalog.h"
#include "Trace/EventLog.h"
#include "Trace/ScopeTree.h"
#include "memkit/Model/Imported.h"
#include "memkit/Trace/Partial.h"
#include "memkit/Trace/TraceWriter.h"
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace memkit {

/// A block that an event allocates. 0: not known, or none.
struct ImportedBlock {
  uint64_t Size = 0;      ///< bytes that the heap counts
  uint32_t Heap = 0;      ///< required
  uint32_t Stack = 0;     ///< of TraceBuilder::stack()
  uint32_t ScopePath = 0; ///< of TraceBuilder::Scopes
  uint64_t Address = 0;
  /// Block of the same process in which this block lies, plus 1.
  uint64_t Enclosing = 0;
  uint64_t Requested = 0; ///< bytes that the program asked for
  uint32_t Stream = 0;    ///< of stream()
  uint32_t Pool = 0;
  /// Number of blocks that the block stands for; only in a heap that a profiler
  /// sampled, or of a format that counts blocks by stack.
  uint32_t Weight = 0;
};

/// Takes the events of another tool's recording in the order of time, and
/// writes a complete trace: names, events, marks, and the intervals, lifetimes
/// and summary that memrec would have written.
///
/// Times are ns since the trace's start, and may not fall: an earlier time
/// counts as the time of the event before. Blocks are numbered by process from
/// 0. A reader frees a block once; the tables of BlockTable.h hold what a file
/// may free. Memory: the trace's events, compressed, until finish(). Belongs to
/// one thread.
class TraceBuilder {
public:
  /// File: the imported file's name without folders. Format: as in
  /// ImportedFrom.
  TraceBuilder(llvm::StringRef Format, llvm::StringRef File);
  ~TraceBuilder();

  /// What the reader knows of the run; memimport fills in the versions.
  Header Head;
  ImportedFrom Origin;
  void lacks(Lack L);
  /// For the user, once for each text: a sentence without a full stop.
  void warn(const llvm::Twine &What);
  llvm::ArrayRef<std::string> warnings() const { return Warnings; }

  //===--------------------------------------------------------------------===//
  // Names
  //===--------------------------------------------------------------------===//

  Catalog Names;
  ScopeTree Scopes{Names};

  uint32_t string(llvm::StringRef Text) { return Names.Names.string(Text); }
  /// A source file's path; one of Windows with slashes, as all rules expect.
  static std::string filePath(llvm::StringRef Path);
  /// A frame of an interpreted language: a function and the line that runs.
  uint32_t pythonFrame(llvm::StringRef Function, llvm::StringRef File,
                       uint32_t Line, uint32_t FirstLine = 0);
  /// A frame of a function whose name alone is known.
  uint32_t namedFrame(llvm::StringRef Function, llvm::StringRef File = "",
                      uint32_t Line = 0);
  /// A frame of native code at Address in the binary Path; Locations, if the
  /// recording has them, the innermost inlined function first.
  uint32_t nativeFrame(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildId,
                       uint64_t Address,
                       llvm::ArrayRef<SourceLocation> Locations = {});
  /// Code outside of all binaries of Process.
  uint32_t unknownFrame(uint32_t Process, uint64_t Address,
                        llvm::ArrayRef<SourceLocation> Locations = {});
  /// The stack of Frames, outermost first; 0 without frames.
  uint32_t stack(llvm::ArrayRef<uint32_t> Frames);
  /// The node of Frames below Parent (0: the root), and its stack: for formats
  /// that have a tree of stacks themselves.
  Catalog::FramePath path(uint32_t Parent, llvm::ArrayRef<uint32_t> Frames);

  /// The process of a recording that has one.
  uint32_t addProcess(const ProcessRecord &P);
  uint32_t addThread(uint32_t Process, uint32_t Tid, llvm::StringRef Name = "");
  /// A memory space, `cuda:0`; the same for equal names.
  uint32_t space(llvm::StringRef Name, const Device &Info = {});
  /// A heap in Space (0: `host`); the same for equal names. At most MaxHeaps.
  uint32_t heap(llvm::StringRef Name, uint32_t Space = 0, uint32_t Parent = 0,
                uint32_t Flags = HF_None, uint64_t SampleBytes = 0);
  static constexpr uint32_t MaxHeaps = 4096;
  /// The trace's number for a stream's handle; 0: the default stream.
  uint32_t stream(uint64_t Handle);
  /// The trace's number for a pool of an allocator; 0: the allocator's own.
  uint32_t pool(uint64_t First, uint64_t Second);

  //===--------------------------------------------------------------------===//
  // Events. Thread: of addThread().
  //===--------------------------------------------------------------------===//

  /// The number of the new block in its process.
  uint64_t allocate(uint32_t Process, uint32_t Thread, uint64_t TimeNs,
                    const ImportedBlock &B);
  void free(uint32_t Process, uint32_t Thread, uint64_t TimeNs, uint64_t Block);
  void resize(uint32_t Process, uint32_t Thread, uint64_t TimeNs,
              uint64_t Block, uint64_t Size);
  /// Splits the block at Size: the remainder is the new block, whose number is
  /// the result.
  uint64_t split(uint32_t Process, uint32_t Thread, uint64_t TimeNs,
                 uint64_t Block, uint64_t Size);
  /// Count blocks of together Bytes bytes, of which the recording has the sums
  /// alone. B.Heap: with HF_Sums. The blocks have no numbers that a reader
  /// could free.
  void allocateSum(uint32_t Process, uint32_t Thread, uint64_t TimeNs,
                   ImportedBlock B, uint64_t Count, uint64_t Bytes);
  /// The time of the last event.
  uint64_t lastNs() const { return LastTick * TimeUnitNs; }
  uint64_t numEvents() const { return NumEvents; }

  /// M.TimeNs as for events. Marks between two events keep their place.
  void mark(Mark M);
  /// Step: from 1, rising in a process.
  void step(uint32_t Process, uint64_t TimeNs, uint64_t Step);
  void loss(uint32_t Process, LossKind Kind, uint64_t Count = 1);
  /// The process has ended; ExitStatus -1: not known.
  void endProcess(uint32_t Process, uint64_t TimeNs, int32_t ExitStatus = -1,
                  uint32_t Signal = 0);
  /// An out-of-memory event, with the memory of heaps then; gives O its number.
  void outOfMemory(OomRecord O, std::vector<OomHeap> Heaps);
  /// What events cannot give: stats of scopes and layers, peaks of RSS.
  void addStats(LayerStats L) { Extra.Layers.push_back(std::move(L)); }
  void addStats(ProcessStats P) { Extra.Processes.push_back(std::move(P)); }
  /// The category of a tensor.
  void category(uint32_t Process, uint64_t Block, TensorCategory C);

  /// Writes the trace to Out. Errors: of Out; of the events, which would be a
  /// fault of the reader.
  llvm::Error finish(Sink &Out);

private:
  struct ProcessEvents {
    EventLog Log;
    uint64_t NextBlock = 0;
    std::vector<uint32_t> Lanes; ///< by thread: lane + 1 in this epoch
    std::vector<BlockCategory> Categories;
  };
  ProcessEvents &begin(uint32_t Process, uint32_t Thread, uint64_t TimeNs);
  uint32_t laneOf(ProcessEvents &P, uint32_t Thread);
  void flush();
  void write(llvm::Error E);
  void writeNames();
  void writeCategories();
  void writePartial();
  void leaveOutOom(OomRecord &New);

  std::vector<std::string> Warnings;
  std::set<std::string> Warned;
  std::string File; ///< the trace so far, without stats
  StringSink InMemory{File};
  std::unique_ptr<TraceWriter> Writer;
  std::optional<std::string> Problem; ///< of the writer
  std::deque<ProcessEvents> Processes;
  std::vector<Heap> Heaps;
  std::map<std::string, uint32_t> HeapOf, SpaceOf;
  llvm::DenseMap<uint64_t, uint32_t> Streams;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> Pools;
  Marks PendingMarks;
  /// The row of the mark in PendingMarks.
  std::map<std::pair<uint32_t, LossKind>, size_t> PendingLosses;
  Partial Extra;
  uint32_t NumOoms = 0;
  uint32_t Epoch = 1, LastProcess = 0;
  uint64_t LastTick = 0, LastMarkNs = 0, NumEvents = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_TRACEBUILDER_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a trace says, ready to be asked.
//
// The dictionary and the summary of a trace in memory: names, stacks, heaps,
// processes, sums. Every id in it was checked against the dictionary when it
// was read, so that accessors need no errors; ids given to accessors must come
// from the same trace. Not copyable; reading it from several threads is fine
// once open() has returned.

#ifndef MEMKIT_MODEL_TRACE_H
#define MEMKIT_MODEL_TRACE_H

#include "memkit/Model/PackedRows.h"
#include "memkit/Model/StackView.h"
#include "memkit/Support/ProgressCallback.h"
#include "memkit/Trace/Sections.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memkit {

/// One function of a stack as it is shown. The texts live as long as the trace.
struct ShownFrame {
  llvm::StringRef Function; ///< demangled; `libc.so.6+0x1234` without symbols
  llvm::StringRef File;     ///< of the source, empty when unknown
  llvm::StringRef Binary;  ///< path of the binary, empty for Python and markers
  uint32_t Line = 0;       ///< 0 when unknown
  uint32_t FunctionId = 0; ///< 0 without symbols
  /// What stands for the function where no file is shown: `step (train.py)` for
  /// Python, whose names say little alone, else Function.
  llvm::StringRef Label;
  bool IsPython = false;
};

class Trace {
public:
  /// Reads the dictionary and the summary of the trace Path (`-`: standard
  /// input). A trace that was cut off has its summary computed from its events;
  /// warnings() says so. Errors: TraceError. OnProgress is kept, and called
  /// while the events of the trace are replayed, here and later.
  static llvm::Expected<std::unique_ptr<Trace>>
  open(llvm::StringRef Path, ProgressCallback OnProgress = {});
  static llvm::Expected<std::unique_ptr<Trace>>
  create(std::unique_ptr<TraceReader> Reader);
  ~Trace();

  llvm::StringRef name() const { return Reader->name(); }
  const Header &header() const { return Reader->header(); }
  TraceReader &reader() const { return *Reader; }
  const ProgressCallback &onProgress() const { return OnProgress; }
  /// How many ids of each kind there are, for the sections that reader() reads.
  const IdLimits &limits() const { return Limits; }
  /// What the user ought to know about what was read, each without a prefix.
  llvm::ArrayRef<std::string> warnings() const { return Warnings; }

  //===--------------------------------------------------------------------===//
  // Names
  //===--------------------------------------------------------------------===//

  /// The text of a string id; empty for 0.
  llvm::StringRef string(uint32_t Id) const { return Strings[Id]; }
  llvm::ArrayRef<Heap> heaps() const { return Heaps; } ///< id - 1
  llvm::ArrayRef<ProcessRecord> processes() const {
    return Processes;
  } ///< id - 1
  llvm::ArrayRef<Thread> threads() const { return Threads; }   ///< id - 1
  llvm::ArrayRef<Device> devices() const { return Devices; }   ///< id - 1
  llvm::ArrayRef<Binary> binaries() const { return Binaries; } ///< id - 1
  llvm::ArrayRef<Scope> scopes() const { return Scopes; }      ///< id - 1
  llvm::ArrayRef<ScopePath> scopePaths() const {
    return ScopePaths;
  } ///< id - 1
  llvm::ArrayRef<Load> loads() const { return Loads; }
  const Heap &heap(uint32_t Id) const { return Heaps[Id - 1]; }
  llvm::StringRef heapName(uint32_t Id) const { return string(heap(Id).Name); }
  const Function &function(uint32_t Id) const { return Functions[Id - 1]; }
  uint32_t numFunctions() const { return Functions.size(); }
  /// `host`, or the name of the device's memory space; Id as TotalStats::Id.
  llvm::StringRef spaceName(uint32_t Id) const;
  /// The program of a process: its command's first word, or its executable.
  llvm::StringRef program(uint32_t Process) const;
  /// What views call a process: its role (`train.py`) or title, else the last
  /// part of program().
  llvm::StringRef processName(uint32_t Process) const;

  //===--------------------------------------------------------------------===//
  // Stacks
  //===--------------------------------------------------------------------===//

  uint32_t numStacks() const { return Tree.Leaves.size() - 1; }
  /// Nodes have the ids 1..numNodes(); a parent's id is lower. 0 is the root.
  uint32_t numNodes() const { return Tree.numNodes(); }
  /// The leaf node of a stack; 0 for an empty stack.
  uint32_t leaf(uint32_t Stack) const { return Tree.leaf(Stack); }
  uint32_t parent(uint32_t Node) const { return Tree.parent(Node); }
  uint32_t frameOf(uint32_t Node) const { return Tree.frameOf(Node); }
  uint32_t numFrames() const { return Frames.size(); }
  const Frame &frame(uint32_t Id) const { return Frames[Id - 1]; }
  /// What a frame resolves to, innermost first; empty without symbols.
  llvm::ArrayRef<Location> locations(uint32_t Frame) const;
  /// What is shown for a frame, innermost first; at least one.
  llvm::ArrayRef<ShownFrame> shown(uint32_t Frame) const;
  /// What is shown for all frames, in one piece.
  llvm::ArrayRef<ShownFrame> allShown() const { return Shown; }
  /// The path of a native frame's binary, else empty.
  llvm::StringRef binaryPath(uint32_t Frame) const;
  /// The stacks as they are shown: all that the trace has, until foldFrames().
  const StackView &view() const { return Folded ? *Folded : Tree; }
  /// Folds the frames that make Python run (see FrameRoles.h) out of view().
  /// What chooses stacks (selections, suppressions) sees all frames.
  void foldFrames();
  /// All frames of a stack that view() has, innermost first.
  std::vector<ShownFrame> shownStack(uint32_t Stack) const {
    return shownWay(view().leaf(Stack));
  }
  /// The frames from a node of view() to the root, innermost first.
  std::vector<ShownFrame> shownWay(uint32_t Node) const;
  /// The names of the scopes of a scope path, outermost first, joined by `/`.
  std::string scopePathText(uint32_t ScopePath) const;

  //===--------------------------------------------------------------------===//
  // Sums
  //===--------------------------------------------------------------------===//

  /// The parts of the last complete summary, in order, without the rows of
  /// stacks and scope paths. Each list of totals is the concatenation over the
  /// parts.
  llvm::ArrayRef<Summary> summary() const { return Parts; }
  /// Its rows of stacks, in order.
  llvm::ArrayRef<PackedRows> stackRows() const { return StackRows; }
  /// Its rows of scope paths. What has no scope path is in none.
  llvm::ArrayRef<PackedRows> scopeRows() const { return ScopeRows; }
  uint64_t endNs() const { return EndNs; }
  /// Whether the trace had no summary, being cut off, so that its events were
  /// replayed for it.
  bool isReplayed() const { return Replayed; }
  /// Of a heap, all zeros when nothing was recorded of it.
  const HeapStats &heapStats(uint32_t Heap) const {
    return HeapStatsOf[Heap - 1];
  }
  /// Of the memory space `host`.
  const TotalStats &hostStats() const { return HostSums; }
  /// Events that the recording missed: all losses but what was left out on
  /// request and stacks that were only cut short.
  uint64_t lostEvents() const;
  /// Events that were left out of the trace on request; its sums have them.
  uint64_t eventsLeftOut() const;
  /// The counts of losses by lossIndex(), over all processes.
  std::vector<uint64_t> losses() const;
  /// True for a process that exec replaced by another one; what lived in it
  /// then was given back by the kernel, and is no leak.
  bool wasReplaced(uint32_t Process) const { return Replaced[Process]; }

private:
  explicit Trace(std::unique_ptr<TraceReader> R);
  static llvm::Expected<std::unique_ptr<Trace>>
  make(std::unique_ptr<TraceReader> Reader, std::unique_ptr<TraceReader> Second,
       ProgressCallback OnProgress);
  llvm::Error readDictionary();
  void reserveNodes();
  void take(Dictionary &D);
  llvm::Error replaySummary();
  void packScopes(Summary &Part);
  void prepareSums();
  void showFrames();
  void labelPython(ShownFrame &F);
  FrameRole roleOf(uint32_t Frame) const;

  struct Span {
    uint32_t Begin = 0;
    uint32_t Count = 0;
  };
  class Arena;

  std::unique_ptr<TraceReader> Reader;
  ProgressCallback OnProgress;
  std::vector<std::string> Warnings;
  IdLimits Limits;
  std::vector<std::vector<std::string>> StringSections;
  std::vector<llvm::StringRef> Strings{llvm::StringRef()};
  std::vector<Heap> Heaps;
  std::vector<ProcessRecord> Processes;
  std::vector<Thread> Threads;
  std::vector<Device> Devices;
  std::vector<Binary> Binaries;
  std::vector<Scope> Scopes;
  std::vector<ScopePath> ScopePaths;
  std::vector<Load> Loads;
  std::vector<Function> Functions;
  std::vector<Frame> Frames;
  StackView Tree;
  std::optional<StackView> Folded;
  std::vector<Location> Locations;
  std::vector<Span> FrameLocations; ///< by frame - 1
  std::vector<ShownFrame> Shown;
  std::vector<Span> FrameShown; ///< by frame - 1
  std::unique_ptr<Arena> MadeNames;
  std::vector<llvm::StringRef> PythonLabels; ///< by function
  std::vector<Summary> Parts;
  std::vector<PackedRows> StackRows, ScopeRows;
  std::vector<HeapStats> HeapStatsOf;
  TotalStats HostSums;
  std::vector<bool> Replaced; ///< by process
  uint64_t EndNs = 0;
  bool Replayed = false;
};

/// The last part of a path.
llvm::StringRef baseName(llvm::StringRef Path);

} // namespace memkit

#endif // MEMKIT_MODEL_TRACE_H

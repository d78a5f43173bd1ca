// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One dictionary for many traces.
//
// Names, frames, stacks and scopes that are equal in several traces are there
// once. Definitions are made when an id is asked for, so a merged trace has
// only the names that its rows use. Processes are those of their traces.

#ifndef MEMKIT_LIB_MERGE_NAMEMERGER_H
#define MEMKIT_LIB_MERGE_NAMEMERGER_H

#include "memkit/Model/Trace.h"
#include "memkit/Trace/TraceWriter.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <string>

namespace memkit {

/// Belongs to one thread.
class NameMerger {
public:
  explicit NameMerger(TraceWriter &Out) : Out(Out) {}

  /// The ids asked for next are ids of T, which must live until the next
  /// start(). T has TP_Stacks. ShiftNs is added to times of T.
  void start(const Trace &T, uint64_t ShiftNs);

  /// The new id of an id of the trace; 0 stays 0.
  uint32_t string(uint32_t Id);
  uint32_t device(uint32_t Id);
  uint32_t heap(uint32_t Id);
  uint32_t process(uint32_t Id) const { return Id ? Processes + Id : 0; }
  llvm::Expected<uint32_t> stack(uint32_t Id);
  uint32_t scopePath(uint32_t Id);
  uint32_t thread(uint32_t Id);
  /// The stack of one frame with this name, of no trace.
  llvm::Expected<uint32_t> namedStack(llvm::StringRef Name);

  /// Defines all processes of the trace.
  llvm::Error addProcesses();
  /// Defines where the processes of the trace have loaded their binaries.
  llvm::Error addLoads();
  /// Ends the trace: the processes of the next trace come after those of this.
  void finish();
  /// Writes the definitions made since the last flush(); before any section
  /// that uses their ids.
  llvm::Error flush();

private:
  uint32_t text(llvm::StringRef Text);
  uint32_t binary(uint32_t Id);
  uint32_t function(uint32_t Id);
  uint32_t frame(uint32_t Id);
  uint32_t newFrame(const Frame &F);
  uint32_t newFunction(const Function &F);
  uint32_t scope(uint32_t Id);
  uint32_t newHeap(uint32_t Id);
  template <class Row>
  llvm::Error writeLong(std::vector<Row> Dictionary::*List);
  llvm::Error flushIfFull();
  std::string hostOf(llvm::StringRef Name) const;
  std::string freeName(std::string Name) const;

  TraceWriter &Out;
  Dictionary Block;
  size_t BlockBytes = 0; ///< of Block.Strings

  const Trace *T = nullptr;
  uint64_t ShiftNs = 0;
  uint32_t Processes = 0; ///< of the traces before
  /// By id of the trace; 0: not asked for yet.
  std::vector<uint32_t> StringOf, DeviceOf, HeapOf, BinaryOf, FunctionOf,
      FrameOf, NodeOf, StackOf, ScopeOf, ScopePathOf, ThreadOf;

  // What there is, by what makes things equal.
  llvm::StringMap<uint32_t> Strings;
  std::map<std::pair<uint32_t, std::vector<uint8_t>>, uint32_t> BinaryIds;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> FunctionIds;
  std::map<std::tuple<FrameKind, uint32_t, uint64_t>, uint32_t> FrameIds;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> NodeIds;
  llvm::DenseMap<uint32_t, uint32_t> StackIds; ///< by leaf
  std::map<std::tuple<ScopeKind, uint32_t, uint32_t>, uint32_t> ScopeIds;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> ScopePathIds;
  std::map<std::pair<std::string, std::string>, uint32_t> DeviceIds;
  std::vector<std::string> DeviceNames;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint64_t>,
           uint32_t>
      HeapIds;
  uint32_t Nodes = 0, Stacks = 0, Threads = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_MERGE_NAMEMERGER_H

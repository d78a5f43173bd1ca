// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of a trace: heaps, processes, threads, devices, scopes, functions.
//
// string(), heapName(), spaceName(), program(), processName(), tid() and
// scopePathText() take any id and give an empty name (0) for an unknown id. The
// other functions take ids of this trace only. Lists are by id - 1.

#ifndef MEMKIT_MODEL_TRACENAMES_H
#define MEMKIT_MODEL_TRACENAMES_H

#include "memkit/Trace/Sections.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>
#include <vector>

namespace memkit {

/// H with texts that a terminal shows as they are: controls, marks that change
/// the direction of text, and bytes that are no UTF-8 are escaped.
Header harmlessHeader(Header H);

/// All names are harmless in the same way, and in one line.
class TraceNames {
public:
  /// How many ids of each kind there are, for the sections of the trace.
  const IdLimits &limits() const { return Limits; }

  /// The text of a string id; empty for 0. The text lives as long as the trace.
  llvm::StringRef string(uint32_t Id) const {
    return Id < Strings.size() ? Strings[Id] : wantedString(Id);
  }
  llvm::ArrayRef<Heap> heaps() const { return Heaps; }
  llvm::ArrayRef<ProcessRecord> processes() const { return Processes; }
  llvm::ArrayRef<Thread> threads() const { return Threads; }
  llvm::ArrayRef<Device> devices() const { return Devices; }
  llvm::ArrayRef<Binary> binaries() const { return Binaries; }
  llvm::ArrayRef<ScopeRecord> scopes() const { return Scopes; }
  llvm::ArrayRef<ScopePath> scopePaths() const { return ScopePaths; }
  llvm::ArrayRef<Load> loads() const { return Loads; }
  const Heap &heap(uint32_t Id) const { return Heaps[Id - 1]; }
  llvm::StringRef heapName(uint32_t Id) const {
    return hasId(Heaps, Id) ? string(heap(Id).Name) : llvm::StringRef();
  }
  const Function &function(uint32_t Id) const { return Functions[Id - 1]; }
  uint32_t numFunctions() const { return Functions.size(); }
  /// `host`, or the name of the device's memory space; Id as TotalStats::Id.
  llvm::StringRef spaceName(uint32_t Id) const;
  /// The program of a process: its command's first word, or its executable.
  llvm::StringRef program(uint32_t Process) const;
  /// The name of a process in views: the role (`train.py`) or title, else the
  /// last part of program(); of several processes of one program with the
  /// argument that tells them apart, `cc1plus heavy.cpp`.
  llvm::StringRef processName(uint32_t Process) const;
  /// The system's id of a thread.
  uint32_t tid(uint32_t Thread) const {
    return hasId(Threads, Thread) ? Threads[Thread - 1].Tid : 0;
  }
  /// The text of a line of a file (string ids); empty: not recorded.
  llvm::StringRef sourceLine(uint32_t File, uint32_t Line) const {
    return string(SourceLines.lookup({File, Line})).ltrim();
  }
  /// All lines of a file whose text the trace has, with the blanks in front
  /// that were recorded, by line.
  std::map<uint32_t, llvm::StringRef> sourceLines(uint32_t File) const;
  /// The names of the scopes of a scope path, outermost first, joined by `/`.
  std::string scopePathText(uint32_t ScopePath) const;

protected:
  template <class T>
  static bool hasId(const std::vector<T> &List, uint32_t Id) {
    return Id - 1 < List.size();
  }
  /// Adds a dictionary section whose ids were checked.
  void takeNames(Dictionary &D);
  /// Adds heaps, processes and devices, and counts the other ids. Result: the
  /// problem, or empty.
  std::string takeOutline(DictionaryOutline &D);
  /// Adds a dictionary section without stacks, and counts the stacks. Result:
  /// likewise.
  std::string takeNamesAlone(DictionaryOutline &D);
  /// Adds a string that takeOutline() has counted.
  void takeString(uint32_t Id, std::string Text);
  /// Sets a role that the recorder learnt late.
  void setRole(uint32_t Process, uint32_t Role) {
    Processes[Process - 1].Role = Role;
  }
  /// Once all names are known: gives processes of one program their arguments.
  void tellProcessesApart();
  void clearNames() { *this = TraceNames(); }

  IdLimits Limits;

private:
  llvm::StringRef wantedString(uint32_t Id) const;
  std::string
  nameWithArgument(uint32_t Process, uint32_t Same,
                   const llvm::DenseMap<uint32_t, uint32_t> &Uses) const;

  std::vector<std::vector<std::string>> StringSections;
  std::vector<llvm::StringRef> Strings{llvm::StringRef()}; ///< by id
  /// Single strings, while Strings are not read.
  llvm::DenseMap<uint32_t, std::string> Wanted;
  std::vector<Heap> Heaps;
  std::vector<ProcessRecord> Processes;
  std::vector<Thread> Threads;
  std::vector<Device> Devices;
  std::vector<Binary> Binaries;
  std::vector<ScopeRecord> Scopes;
  std::vector<ScopePath> ScopePaths;
  std::vector<Load> Loads;
  /// Text by file and line.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> SourceLines;
  std::vector<Function> Functions;
  /// By process; empty: the name of the program says enough.
  std::vector<std::string> TellingNames;
};

/// The last part of a path.
llvm::StringRef baseName(llvm::StringRef Path);

} // namespace memkit

#endif // MEMKIT_MODEL_TRACENAMES_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ids of a trace stand for, stacks aside.
//
// Names are read as far as they are wanted, or grow with a stream. Ids given to
// string(), heapName(), spaceName(), program(), processName() and
// scopePathText() need not be checked: an id that the trace does not have, or
// has not yet, has an empty name. Ids given to the other functions must be the
// trace's. Lists are by id - 1.

#ifndef MEMKIT_MODEL_TRACENAMES_H
#define MEMKIT_MODEL_TRACENAMES_H

#include "memkit/Trace/Sections.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace memkit {

class TraceNames {
public:
  /// How many ids of each kind there are, for the sections of the trace.
  const IdLimits &limits() const { return Limits; }

  /// The text of a string id; empty for 0. Lives as long as the trace.
  llvm::StringRef string(uint32_t Id) const {
    return Id < Strings.size() ? Strings[Id] : wantedString(Id);
  }
  llvm::ArrayRef<Heap> heaps() const { return Heaps; }
  llvm::ArrayRef<ProcessRecord> processes() const { return Processes; }
  llvm::ArrayRef<Thread> threads() const { return Threads; }
  llvm::ArrayRef<Device> devices() const { return Devices; }
  llvm::ArrayRef<Binary> binaries() const { return Binaries; }
  llvm::ArrayRef<Scope> scopes() const { return Scopes; }
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
  /// What views call a process: its role (`train.py`) or title, else the last
  /// part of program().
  llvm::StringRef processName(uint32_t Process) const;
  /// The id of a thread in its system; 0 for a thread that is not there.
  uint32_t tid(uint32_t Thread) const {
    return hasId(Threads, Thread) ? Threads[Thread - 1].Tid : 0;
  }
  /// The names of the scopes of a scope path, outermost first, joined by `/`.
  std::string scopePathText(uint32_t ScopePath) const;

protected:
  template <class T>
  static bool hasId(const std::vector<T> &List, uint32_t Id) {
    return Id - 1 < List.size();
  }
  /// Adds a dictionary section whose ids were checked.
  void takeNames(Dictionary &D);
  /// Adds the kinds of which there are few; of the others it counts the ids.
  /// The result is what is wrong, or empty.
  std::string takeOutline(DictionaryOutline &D);
  /// Adds a dictionary section without stacks, and counts those; likewise.
  std::string takeNamesAlone(DictionaryOutline &D);
  /// Adds a string that takeOutline() has counted.
  void takeString(uint32_t Id, std::string Text);
  /// What a process is called, where that was learnt late.
  void setRole(uint32_t Process, uint32_t Role) {
    Processes[Process - 1].Role = Role;
  }
  void clearNames() { *this = TraceNames(); }

  IdLimits Limits;

private:
  llvm::StringRef wantedString(uint32_t Id) const;

  std::vector<std::vector<std::string>> StringSections;
  std::vector<llvm::StringRef> Strings{llvm::StringRef()}; ///< by id
  /// Where Strings are not read, some of them.
  llvm::DenseMap<uint32_t, std::string> Wanted;
  std::vector<Heap> Heaps;
  std::vector<ProcessRecord> Processes;
  std::vector<Thread> Threads;
  std::vector<Device> Devices;
  std::vector<Binary> Binaries;
  std::vector<Scope> Scopes;
  std::vector<ScopePath> ScopePaths;
  std::vector<Load> Loads;
  std::vector<Function> Functions;
};

/// The last part of a path.
llvm::StringRef baseName(llvm::StringRef Path);

} // namespace memkit

#endif // MEMKIT_MODEL_TRACENAMES_H

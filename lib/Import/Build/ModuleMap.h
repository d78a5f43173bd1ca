// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binaries of a recorded process, for formats whose stacks are addresses.

#ifndef MEMKIT_LIB_IMPORT_MODULEMAP_H
#define MEMKIT_LIB_IMPORT_MODULEMAP_H

#include "Symbolize/NameProcess.h"
#include "Trace/NameTable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace memkit {

class TraceBuilder;

/// Finds the binary of an address, and the names of functions in binaries that
/// this machine has. A recording without build-ids trusts the path. Belongs to
/// one thread.
class ModuleMap {
public:
  /// The bytes from Begin on are of the binary Path, loaded with this bias: an
  /// address of the process less Bias is an address in the binary. A later
  /// binary replaces an earlier one at the same addresses. BuildId: may be
  /// empty.
  void add(llvm::StringRef Path, uint64_t Bias, uint64_t Begin, uint64_t Size,
           llvm::ArrayRef<uint8_t> BuildId = {});
  /// All binaries are unloaded.
  void clear() { Parts.clear(); }

  /// The frame of the code that returns to Address in Process: the call before
  /// it.
  uint32_t frame(uint32_t Process, uint64_t Address, TraceBuilder &To) {
    return code(Process, Address, To).Frame;
  }
  struct CodePlace {
    uint32_t Frame = 0;
    bool IsEvaluator = false;   ///< CPython's loop that runs Python code
    bool IsInterpreter = false; ///< in the binary of a Python
  };
  CodePlace code(uint32_t Process, uint64_t Address, TraceBuilder &To);

  /// Says which frames have no names, and why.
  void report(TraceBuilder &To) const;

private:
  struct LoadedRange {
    uint64_t End, Bias;
    uint32_t Module;
  };
  struct Module {
    std::string Path;
    std::vector<uint8_t> BuildId;
    bool IsHere = false; ///< on this machine
    bool IsInterpreter = false;
    SymbolFiles Files;
    uint64_t Named = 0;
    llvm::DenseMap<uint64_t, CodePlace> Codes; ///< by address in the binary
  };
  uint32_t moduleOf(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildId);
  std::vector<SourceLocation> namesOf(const Module &M, uint64_t Address);

  SymbolFinder Finder{SymbolPlaces()};
  NameProcess Symbols;
  std::map<uint64_t, LoadedRange> Parts; ///< by begin
  std::vector<Module> Modules;
  std::map<std::string, uint32_t> ByPath;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_MODULEMAP_H

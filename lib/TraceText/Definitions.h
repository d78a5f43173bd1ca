// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dictionary under construction in the assembler.

#ifndef MEMKIT_LIB_TRACETEXT_DEFINITIONS_H
#define MEMKIT_LIB_TRACETEXT_DEFINITIONS_H

#include "Fields.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <tuple>

namespace memkit::tracetext {

/// The name of a kind of id in messages.
llvm::StringRef refName(Ref Kind);

/// All ids given so far, by content, and the dictionary to write before the
/// next other section. Functions that take names find the id of an existing
/// definition or add a new one.
class Definitions {
public:
  /// The number of ids given of a kind.
  uint32_t count(Ref Kind) const { return Given[unsigned(Kind)]; }

  /// Each function adds the next id of its kind and returns the id.
  uint32_t add(std::string S);
  uint32_t add(Device D);
  uint32_t add(Binary M);
  uint32_t add(Function F);
  uint32_t add(Frame F);
  uint32_t add(ScopeRecord S);
  uint32_t add(ScopePath C);
  uint32_t add(ProcessRecord I);
  uint32_t add(Thread T);
  uint32_t add(Heap H);
  /// The stack at node Parent continued by Frames.
  uint32_t addStack(uint32_t Parent, llvm::ArrayRef<uint32_t> Frames);
  /// The stack with these frames from the root; reuses existing nodes.
  uint32_t addPath(llvm::ArrayRef<uint32_t> Frames);

  uint32_t string(llvm::StringRef Text);
  uint32_t function(llvm::StringRef Name, llvm::StringRef File = "");
  uint32_t binary(llvm::StringRef Path);
  uint32_t frame(Frame F);
  /// The native frame in Binary at an invented address for (Function, Line),
  /// with its symbol.
  uint32_t nativeFrame(uint32_t Binary, uint32_t Function, uint32_t Line);
  uint32_t scope(ScopeKind Kind, llvm::StringRef Name);
  uint32_t scopePath(ScopePath C);
  /// 0 if no heap has this name.
  uint32_t findHeap(llvm::StringRef Name) const;
  uint32_t findDevice(llvm::StringRef Space) const;

  /// Definitions that were not yet taken.
  Dictionary Pending;
  bool empty() const { return Pending == Dictionary(); }

private:
  uint32_t next(Ref Kind) { return ++Given[unsigned(Kind)]; }
  uint32_t child(uint32_t Node, uint32_t Frame) const;

  uint32_t Given[NumRefs] = {};
  llvm::StringMap<uint32_t> Strings;
  llvm::StringMap<uint32_t> Spaces;
  // Keys have 64 bits: a DenseMap reserves the highest keys, and texts hold any
  // id.
  llvm::DenseMap<uint64_t, uint32_t> Binaries, Heaps; ///< by string
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, uint32_t> Functions;
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, uint32_t> Children;
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, uint32_t> Scopes;
  std::map<std::tuple<uint8_t, uint32_t, uint64_t>, uint32_t> Frames;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> Natives;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> ScopePaths;
};

} // namespace memkit::tracetext

#endif // MEMKIT_LIB_TRACETEXT_DEFINITIONS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared tables of a file for the Firefox Profiler.

#ifndef MEMKIT_LIB_EXPORT_FIREFOXTABLES_H
#define MEMKIT_LIB_EXPORT_FIREFOXTABLES_H

#include "FlameTree.h"
#include "Model/Query/FrameOwners.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// The strings, functions, frames and stacks that a file uses, each added at
/// its first use. All numbers count from 0.
class FirefoxTables {
public:
  /// T and Owners must outlive the tables.
  FirefoxTables(ShownTree T, const FrameOwners &Owners);

  uint32_t string(llvm::StringRef Text);
  /// The stack of a key of the tree; BlockSpans::SmallerKey: folded stacks.
  uint32_t stack(uint32_t Key);

  /// Writes `"shared":{..}`.
  void write(llvm::raw_ostream &OS) const;
  /// Writes `"categories":[..]`. The category of a frame is its CodeOwner.
  static void writeCategories(llvm::raw_ostream &OS);

private:
  static constexpr uint32_t None = UINT32_MAX;
  struct FirefoxFunction {
    uint32_t Name;
    uint32_t Resource; ///< None: no binary
    uint32_t Source;   ///< None: no file
    uint32_t Line;     ///< 0: not known
  };
  struct FirefoxFrame {
    uint32_t Function;
    uint32_t Line; ///< 0: not known
    CodeOwner Owner;
  };
  struct FirefoxStack {
    uint32_t Frame;
    uint32_t Prefix; ///< None: a root
  };

  uint32_t index(llvm::DenseMap<uint32_t, uint32_t> &Of,
                 std::vector<uint32_t> &Strings, llvm::StringRef Text);
  uint32_t function(const ShownFrame &F, uint32_t Name);
  uint32_t frame(uint32_t ShownIndex);
  uint32_t namedStack(uint32_t &Known, llvm::StringRef Name);
  uint32_t stackOfNode(uint32_t Node);

  void writeStacks(llvm::raw_ostream &OS) const;
  void writeFrames(llvm::raw_ostream &OS) const;
  void writeFunctions(llvm::raw_ostream &OS) const;
  void writeSources(llvm::raw_ostream &OS) const;

  ShownTree T;
  const FrameOwners &Owners;
  FlameNames Names;
  llvm::StringMap<uint32_t> Strings;
  std::vector<llvm::StringRef> StringOrder;
  std::vector<FirefoxFunction> Functions;
  std::vector<FirefoxFrame> Frames;
  std::vector<FirefoxStack> Stacks;
  /// Names of binaries and of files, as strings, and their numbers.
  std::vector<uint32_t> Resources, Sources;
  llvm::DenseMap<uint32_t, uint32_t> ResourceOf, SourceOf;
  // By number in the tree; None: not used yet.
  std::vector<uint32_t> FunctionOf, FrameOf, StackOf;
  uint32_t NoStack = None, Smaller = None;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_FIREFOXTABLES_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of modules of Python in a program that runs.
//
// A module has its dictionary behind its header. A dictionary has its table of
// keys at 32 (Include/cpython/dictobject.h). A table of keys
// (Objects/dict-common.h, Include/internal/pycore_dict.h) has a header, an
// index, and entries in the order of insertion.

#include "Census/PythonNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

namespace {

struct NamedValue {
  std::string Name;
  uint64_t Value;
};

class NameReader {
public:
  NameReader(const TargetMemory &Memory, const BlockKinds &Kinds,
             const BlockGraph &Graph)
      : Memory(Memory), Kinds(Kinds), Graph(Graph) {}

  bool isA(uint64_t Object, StringRef Type) const {
    return isA(Graph.find(Object), Type);
  }
  bool isA(const BlockGraph::GraphBlock *B, StringRef Type) const {
    return B && B->Is.Of == BlockKinds::Python &&
           Kinds.name(B->Is.Name) == Type;
  }
  std::vector<NamedValue> dictionary(uint64_t Object) const;
  std::string text(uint64_t Object) const;

private:
  uint64_t word(uint64_t At) const {
    uint64_t V = 0;
    Memory.read(At, V);
    return V;
  }
  const TargetMemory &Memory;
  const BlockKinds &Kinds;
  const BlockGraph &Graph;
};

/// The characters begin at 40, before 3.12 at 48; only ASCII is read.
std::string NameReader::text(uint64_t Object) const {
  constexpr uint64_t MaxName = 4096;
  uint64_t Length = word(Object + 16);
  if (!Length || Length > MaxName)
    return "";
  for (uint64_t At : {40, 48}) {
    std::string Text(Length + 1, '\0');
    if (Memory.read(Object + At, Text.data(), Text.size()) && !Text[Length] &&
        all_of(StringRef(Text).drop_back(),
               [](char C) { return C > ' ' && C < 127; })) {
      Text.pop_back();
      return Text;
    }
  }
  return "";
}

std::vector<NamedValue> NameReader::dictionary(uint64_t Object) const {
  constexpr uint64_t MaxEntries = 1 << 20;
  uint64_t Keys = word(Object + 32);
  uint64_t Head[5] = {};
  if (!Keys || !Memory.read(Keys, Head))
    return {};
  // To 3.10: references, size, function, free, used. From 3.11 on: references,
  // three logarithms, free, used.
  uint64_t Size = Head[1], Used, Begin;
  bool HasHash = true;
  if (Size >= 8 && isPowerOf2_64(Size) && Size <= MaxEntries * 2) {
    unsigned IndexBytes = Size <= 0xff ? 1 : Size <= 0xffff ? 2 : 4;
    Used = Head[4];
    Begin = Keys + 40 + Size * IndexBytes;
  } else {
    unsigned IndexLog = Head[1] >> 8 & 0xff, Kind = Head[1] >> 16 & 0xff;
    if (IndexLog > 32 || Kind > 1)
      return {};
    Used = Head[3];
    Begin = Keys + 32 + (uint64_t(1) << IndexLog);
    HasHash = Kind == 0;
  }
  if (Used > MaxEntries)
    return {};
  unsigned Words = HasHash ? 3 : 2;
  std::vector<uint64_t> Table(Used * Words);
  if (!Memory.read(Begin, Table.data(), Table.size() * 8))
    return {};
  std::vector<NamedValue> Entries;
  for (uint64_t I = 0; I != Used; ++I) {
    uint64_t Key = Table[I * Words + HasHash],
             Value = Table[I * Words + HasHash + 1];
    if (Key && Value)
      Entries.push_back({text(Key), Value});
  }
  return Entries;
}

struct NamedModule {
  std::string Name, File; ///< File: else the name
  std::vector<NamedValue> Entries;
};

} // namespace

void memkit::addPythonNames(const TargetMemory &Memory, const BlockKinds &Kinds,
                            BlockGraph &To) {
  NameReader Reader(Memory, Kinds, To);
  std::vector<NamedModule> Modules;
  for (const BlockGraph::GraphBlock &B : To.blocks()) {
    uint64_t Object = B.Address + B.Is.Offset, Dictionary = 0;
    if (!Reader.isA(&B, "module") || !Memory.read(Object + 16, Dictionary) ||
        !Reader.isA(Dictionary, "dict"))
      continue;
    NamedModule M;
    M.Entries = Reader.dictionary(Dictionary);
    for (const NamedValue &E : M.Entries)
      if (E.Name == "__name__")
        M.Name = Reader.text(E.Value);
      else if (E.Name == "__file__")
        M.File = Reader.text(E.Value);
    if (M.File.empty())
      M.File = M.Name;
    if (!M.Name.empty())
      Modules.push_back(std::move(M));
  }
  std::partition(Modules.begin(), Modules.end(),
                 [](const NamedModule &M) { return M.Name == "__main__"; });
  for (const NamedModule &M : Modules)
    for (const NamedValue &E : M.Entries) {
      StringRef Name = E.Name;
      // `__builtins__` and the like are not the module's own.
      if (Name.empty() || (Name.starts_with("__") && Name.ends_with("__")) ||
          Reader.isA(E.Value, "module"))
        continue;
      To.addRoot(E.Value, M.Name == "__main__" ? E.Name : M.Name + "." + E.Name,
                 M.File);
    }
}

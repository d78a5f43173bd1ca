// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of Python in a program that runs, read from outside.
//
// A dictionary has its table of keys at 32, and at 40 the values of a table
// that instances share (Include/cpython/dictobject.h). A table of keys
// (Objects/dict-common.h, Include/internal/pycore_dict.h) has a header, an
// index, and entries in the order of insertion. The layout of a type is that of
// Include/cpython/object.h, and is the same in all versions.

#include "Census/PythonReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace memkit;

/// Kinds of tables from 3.11 on.
enum KeysKind : unsigned { AnyKeys = 0, TextKeys = 1, SharedKeys = 2 };
static constexpr uint64_t MaxKeys = 1 << 20;

/// The characters begin at 40, before 3.12 at 48.
std::string PythonReader::text(uint64_t Object) const {
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

std::vector<PythonReader::KeyEntry> PythonReader::table(uint64_t Keys) const {
  uint64_t Head[5] = {};
  if (!Keys || !Memory.read(Keys, Head))
    return {};
  // To 3.10: references, size, function, free, used. From 3.11 on: references,
  // three logarithms, free, used.
  uint64_t Size = Head[1], Used, Begin;
  bool HasHash = true;
  if (Size >= 8 && isPowerOf2_64(Size) && Size <= MaxKeys * 2) {
    unsigned IndexBytes = Size <= 0xff ? 1 : Size <= 0xffff ? 2 : 4;
    Used = Head[4];
    Begin = Keys + 40 + Size * IndexBytes;
  } else {
    unsigned IndexLog = Head[1] >> 8 & 0xff, Kind = Head[1] >> 16 & 0xff;
    if (IndexLog > 32 || Kind > SharedKeys)
      return {};
    Used = Head[3];
    Begin = Keys + 32 + (uint64_t(1) << IndexLog);
    HasHash = Kind == AnyKeys;
  }
  if (Used > MaxKeys)
    return {};
  unsigned Words = HasHash ? 3 : 2;
  std::vector<uint64_t> Table(Used * Words);
  if (!Memory.read(Begin, Table.data(), Table.size() * 8))
    return {};
  std::vector<KeyEntry> Entries;
  for (uint64_t I = 0; I != Used; ++I)
    Entries.push_back(
        {Table[I * Words + HasHash], Table[I * Words + HasHash + 1]});
  return Entries;
}

/// Values: of a table that instances share, in its order; from 3.13 on behind
/// four numbers of a byte. 0: the table has its values.
std::vector<NamedValue> PythonReader::named(uint64_t Keys,
                                            uint64_t Values) const {
  std::vector<KeyEntry> Entries = table(Keys);
  if (Values && !Entries.empty()) {
    uint64_t First = word(Values);
    bool HasNumbers = First && First >> 32 == 0;
    std::vector<uint64_t> Words(Entries.size());
    if (!Memory.read(Values + (HasNumbers ? 8 : 0), Words.data(),
                     Words.size() * 8))
      return {};
    for (auto [E, Value] : zip(Entries, Words))
      E.Value = Value;
  }
  std::vector<NamedValue> Out;
  for (const KeyEntry &E : Entries)
    if (E.Key && E.Value)
      Out.push_back({text(E.Key), E.Value});
  return Out;
}

std::vector<NamedValue> PythonReader::dictionary(uint64_t Dict) const {
  return named(word(Dict + 32), word(Dict + 40));
}

/// From 3.11 on a class has such a table somewhere behind the type.
uint64_t PythonReader::sharedKeys(uint64_t Type) const {
  constexpr uint64_t TypeBytes = 400;
  const BlockGraph::GraphBlock *B = Graph.find(Type);
  if (!B)
    return 0;
  for (uint64_t At = Type + TypeBytes; At + 8 <= B->Address + B->Bytes;
       At += 8) {
    uint64_t Keys = word(At);
    const BlockGraph::GraphBlock *Is = Keys ? Graph.find(Keys) : nullptr;
    if (!Is || Is->Is || Is->Address != Keys)
      continue;
    if ((word(Keys + 8) >> 16 & 0xff) != SharedKeys)
      continue;
    // Some names are data of the interpreter, and no blocks.
    std::vector<KeyEntry> Entries = table(Keys);
    if (!Entries.empty() && all_of(Entries, [&](const KeyEntry &E) {
          return !E.Value && !text(E.Key).empty();
        }))
      return Keys;
  }
  return 0;
}

const PythonReader::TypeFacts &PythonReader::typeAt(uint64_t Type) {
  auto [At, IsNew] = Types.try_emplace(Type);
  if (IsNew) {
    TypeFacts F;
    F.BasicBytes = word(Type + 32);
    F.Flags = word(Type + 168);
    F.DictOffset = int64_t(word(Type + 288));
    F.SharedKeys = sharedKeys(Type);
    At->second = F;
  }
  return At->second;
}

std::vector<NamedValue> PythonReader::attributes(uint64_t Object) {
  // Py_TPFLAGS_*: INLINE_VALUES is of 3.13, MANAGED_DICT of 3.11.
  constexpr uint64_t InlineValues = 1 << 2, ManagedDict = 1 << 4,
                     HeapType = 1 << 9, TypeSubclass = uint64_t(1) << 31;
  constexpr uint64_t DictOfType = 264;
  const TypeFacts Type = typeAt(word(Object + 8));
  auto Of = [&](uint64_t Dict) {
    return typeName(Dict) == "dict" ? dictionary(Dict)
                                    : std::vector<NamedValue>();
  };
  if (Type.Flags & TypeSubclass)
    return word(Object + 168) & HeapType ? Of(word(Object + DictOfType))
                                         : std::vector<NamedValue>();
  if (!(Type.Flags & HeapType))
    return {};
  if (Type.DictOffset > 0)
    return Of(word(Object + uint64_t(Type.DictOffset)));
  if (!(Type.Flags & ManagedDict))
    return {};
  uint64_t Before = word(Object - 24);
  if (Before && !(Before & 1))
    return Of(Before);
  if (Before) // 3.12: the values, less one
    return named(Type.SharedKeys, Before + 1);
  if (Type.Flags & InlineValues)
    return named(Type.SharedKeys, Object + Type.BasicBytes);
  uint64_t Values = word(Object - 32);
  return Values ? named(Type.SharedKeys, Values) : std::vector<NamedValue>();
}

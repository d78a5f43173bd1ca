// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the blocks of a program that runs hold, by their first words.
//
// Python: an object is a count of references and a pointer to its type, behind
// 16 bytes for the garbage collector if the type says so, and 16 more if it has
// its dictionary before it (Include/object.h, from 3.11 on). A type is an
// object whose type is `type`, in the end.
//
// C++ (Itanium ABI): a virtual table has its type information before its first
// function; that has its class's name as its second word.

#include "Census/BlockKinds.h"
#include "Census/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;
using namespace memkit;

namespace {

/// The begin of `PyTypeObject`, which is the same from 3.6 to 3.15.
struct TypeObject {
  uint64_t References, Type, Size;
  uint64_t Name, BasicSize, ItemSize;
  uint64_t Slots[15];
  uint64_t Flags;
};
static_assert(offsetof(TypeObject, Flags) == 168);
constexpr uint64_t IsCollected = 1 << 14, IsReady = 1 << 12, IsType = 1u << 31,
                   HasBefore = 1 << 3 | 1 << 4; ///< its weak list or dictionary
constexpr size_t MaxKinds = 1 << 16;

} // namespace

uint32_t BlockKinds::numberOf(const std::string &Name) {
  auto [It, IsNew] = Numbers.try_emplace(Name, uint32_t(Names.size()));
  if (IsNew)
    Names.push_back(Name);
  return It->second;
}

/// A printable text of the program; empty: there is none.
std::string BlockKinds::text(uint64_t Address) const {
  constexpr size_t MaxText = 512;
  std::vector<uint8_t> Bytes = Memory.readUpTo(Address, MaxText);
  auto End = find(Bytes, 0);
  if (End == Bytes.end() ||
      !all_of(ArrayRef(Bytes.data(), size_t(End - Bytes.begin())),
              [](uint8_t C) { return C >= ' ' && C != 127; }))
    return "";
  return {Bytes.begin(), End};
}

//===----------------------------------------------------------------------===//
// Python
//===----------------------------------------------------------------------===//

/// Whether the object at Address is `type`, or a class that has it as its type.
bool BlockKinds::isTypeOfTypes(uint64_t Address, unsigned Depth) {
  if (TypeOfTypes && Address == TypeOfTypes)
    return true;
  TypeObject T;
  if (!Depth || Address % 8 || !map(Address) || !Memory.read(Address, T) ||
      !(T.Flags & IsType) || !T.References)
    return false;
  if (T.Type != Address)
    return isTypeOfTypes(T.Type, Depth - 1);
  if (text(T.Name) != "type")
    return false;
  TypeOfTypes = Address;
  return true;
}

bool BlockKinds::readType(uint64_t Address, Known &To) {
  TypeObject T;
  constexpr unsigned MaxDepth = 4; // of classes of classes
  if (!Memory.read(Address, T) || !(T.Flags & IsReady) || !T.References ||
      T.BasicSize < 16 || T.BasicSize > 1 << 20 ||
      !isTypeOfTypes(T.Type, MaxDepth))
    return false;
  std::string Name = text(T.Name);
  if (Name.empty())
    return false;
  To.Name = numberOf(Name);
  To.IsCollected = T.Flags & IsCollected;
  To.HasDictBefore = T.Flags & HasBefore;
  return true;
}

/// Types are data of a binary, or the objects of large blocks.
bool BlockKinds::mayBeType(uint64_t Address) const {
  auto Next = llvm::upper_bound(Places, Address);
  if (Next != Places.begin() &&
      (Address - *std::prev(Next) == 16 || Address - *std::prev(Next) == 32))
    return true;
  const TargetMap *M = map(Address);
  if (!M || !M->IsWritable || M->IsShared)
    return false;
  // The zeros behind a binary's data have no name.
  return M->Inode ||
         (M != Maps.begin() && M[-1].Inode && M[-1].End == M->Start);
}

const BlockKinds::Known &BlockKinds::typeAt(uint64_t Address) {
  auto [It, IsNew] = Types.try_emplace(Address);
  if (IsNew && Names.size() < MaxKinds) {
    Known K;
    if (readType(Address, K))
      It->second = K;
  }
  return It->second;
}

//===----------------------------------------------------------------------===//
// C++
//===----------------------------------------------------------------------===//

bool BlockKinds::readTable(uint64_t Address, Known &To) {
  // The table, its type information and the name are data of a binary.
  auto IsData = [this](uint64_t A) {
    const TargetMap *M = map(A);
    return M && M->Inode && !M->IsExecutable && !M->IsShared;
  };
  int64_t Before[2]; // offset to the whole object, type information
  if (!IsData(Address - 16) || !Memory.read(Address - 16, Before))
    return false;
  uint64_t Information[2]; // its own table, the name
  uint64_t At = uint64_t(Before[1]);
  if (Before[0] > 0 || Before[0] < -(1 << 20) || At % 8 || !IsData(At) ||
      !Memory.read(At, Information) || !map(Information[0]))
    return false;
  std::string Mangled = text(Information[1]);
  StringRef Name = Mangled;
  Name.consume_front("*"); // the name is unique by its address
  if (Name.empty() || !(isdigit(Name[0]) || Name[0] == 'N' || Name[0] == 'S'))
    return false;
  std::string Clear = demangle("_ZTS" + Name.str());
  StringRef Class = Clear;
  if (!Class.consume_front("typeinfo name for "))
    return false;
  To.Name = numberOf(Class.str());
  return true;
}

const BlockKinds::Known &BlockKinds::tableAt(uint64_t Address) {
  auto [It, IsNew] = Tables.try_emplace(Address);
  if (IsNew && Names.size() < MaxKinds) {
    Known K;
    if (readTable(Address, K))
      It->second = K;
  }
  return It->second;
}

//===----------------------------------------------------------------------===//

/// Whether a word may count references: the upper half is zero, but for flags
/// in the highest two bytes from 3.14 on.
static bool mayCount(uint64_t Word) {
  return Word && !(Word >> 32 & 0xffff) && Word >> 48 <= 0xff;
}

BlockKinds::BlockKind BlockKinds::of(ArrayRef<uint8_t> Bytes) {
  for (uint8_t Offset : {0, 16, 32}) {
    uint64_t References = wordAt(Bytes, Offset),
             Type = wordAt(Bytes, Offset + 8);
    if (Places.empty() || !mayCount(References) || !Type || Type % 8 ||
        !mayBeType(Type))
      continue;
    const Known &K = typeAt(Type);
    // To 3.7 the collector has 32 bytes.
    if (K.Name && K.IsCollected == (Offset > 0) &&
        (Offset == 32 || !K.HasDictBefore))
      return {K.Name, Python, Offset};
  }
  uint64_t Table = wordAt(Bytes, 0);
  if (Table && Table % 8 == 0 && map(Table) && map(Table)->Inode)
    if (const Known &K = tableAt(Table); K.Name)
      return {K.Name, Cxx, 0};
  return {};
}

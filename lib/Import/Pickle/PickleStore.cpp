// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a pickle, in little memory.

#include "PickleStore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>
#include <cstring>

using namespace llvm;
using namespace memkit;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static constexpr size_t LongestName = 32;

static size_t hashName(StringRef Text) {
  return Text.size() * 37 + uint8_t(Text.front()) * 11 +
         uint8_t(Text.back()) * 5 + uint8_t(Text[Text.size() / 2]);
}

PickleStore::PickleStore(ArrayRef<StringLiteral> Names)
    : Names(Names), NameTable(bit_ceil(Names.size() * 4 + 1)) {
  for (const auto &[Index, Name] : enumerate(Names)) {
    assert(!Name.empty() && Name.size() <= LongestName);
    size_t At = hashName(Name) & (NameTable.size() - 1);
    while (NameTable[At])
      At = (At + 1) & (NameTable.size() - 1);
    NameTable[At] = uint16_t(Index + 1);
  }
  // Index 0 means none.
  for (std::vector<uint64_t> &N : Nodes)
    N.push_back(0);
}

PickleSlot PickleStore::text(StringRef Text) {
  if (!Text.empty() && Text.size() <= LongestName)
    for (size_t At = hashName(Text) & (NameTable.size() - 1); NameTable[At];
         At = (At + 1) & (NameTable.size() - 1))
      if (Names[NameTable[At] - 1u] == Text)
        return PickleSlot::of(PickleSlot::Name, NameTable[At] - 1u);
  std::vector<uint64_t> &To = Nodes[0];
  size_t Place = To.size();
  To.resize(Place + 2 + divideCeil(Text.size(), 8));
  To[Place] = uint64_t(Text.size()) << 32 | uint64_t(PickleKind::Text);
  std::memcpy(To.data() + Place + 2, Text.data(), Text.size());
  return PickleSlot::of(PickleSlot::Stream, Place);
}

StringRef PickleStore::textOf(PickleSlot S) const {
  if (S.tag() == PickleSlot::Name)
    return Names[S.value()];
  return StringRef(
      reinterpret_cast<const char *>(nodes(S).data() + S.value() + 2),
      head(S) >> 32);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

PickleSlot PickleStore::bigInteger(uint64_t Value, bool IsLarge) {
  size_t Place = Nodes[0].size();
  Nodes[0].push_back(uint64_t(PickleKind::Int) | (IsLarge ? LargeBit : 0));
  Nodes[0].push_back(Value);
  return PickleSlot::of(PickleSlot::Stream, Place);
}

PickleSlot PickleStore::real(double Value) {
  size_t Place = Nodes[0].size();
  Nodes[0].push_back(uint64_t(PickleKind::Float));
  Nodes[0].push_back(bit_cast<uint64_t>(Value));
  return PickleSlot::of(PickleSlot::Stream, Place);
}

double PickleStore::realOf(PickleSlot S) const {
  return bit_cast<double>(word(S, 1));
}

uint64_t PickleStore::integerOf(PickleSlot S, bool &IsLarge) const {
  IsLarge = false;
  if (S.tag() == PickleSlot::Int)
    return uint64_t(S.number());
  IsLarge = head(S) & LargeBit;
  return word(S, 1);
}

//===----------------------------------------------------------------------===//
// Containers
//===----------------------------------------------------------------------===//

PickleSlot PickleStore::container(PickleKind Kind, uint8_t Role, bool Streams,
                                  uint64_t Offset) {
  std::vector<uint64_t> &To = Nodes[0];
  size_t Place = To.size();
  To.resize(Place + 4);
  To[Place] =
      uint64_t(Role) << RoleShift | uint64_t(Kind) | (Streams ? StreamsBit : 0);
  To[Place + 3] = Offset;
  return PickleSlot::of(PickleSlot::Stream, Place);
}

void PickleStore::append(PickleSlot Container,
                         MutableArrayRef<PickleSlot> Items) {
  if (Items.empty())
    return;
  if (Container.tag() == PickleSlot::Kept)
    for (PickleSlot &S : Items)
      S = keep(S);
  appendChunk(Container, Items);
}

void PickleStore::appendChunk(PickleSlot Container,
                              ArrayRef<PickleSlot> Items) {
  std::vector<uint64_t> &To = Nodes[Container.tag() == PickleSlot::Kept];
  size_t Place = To.size();
  To.resize(Place + 1 + Items.size());
  To[Place] = uint64_t(Items.size()) << 32;
  std::memcpy(To.data() + Place + 1, Items.data(),
              Items.size() * sizeof(PickleSlot));
  uint64_t &Chunks = To[Container.value() + 2];
  if (uint64_t Last = Chunks >> 32) {
    To[Last] |= Place;
    Chunks = uint64_t(Place) << 32 | uint32_t(Chunks);
  } else {
    Chunks = uint64_t(Place) << 32 | Place;
  }
  To[Container.value()] += uint64_t(Items.size()) << 32;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Copies a container's slots as one chunk right behind its node; scanNode()
/// copies the nodes of the slots.
PickleSlot PickleStore::copyContainer(PickleSlot S) {
  std::vector<uint64_t> &To = Nodes[1];
  size_t Place = To.size();
  uint32_t Size = size(S);
  To.insert(To.end(), {head(S), 0, 0, word(S, 3)});
  if (Size) {
    To[Place + 2] = uint64_t(Place + 4) << 32 | (Place + 4);
    To.push_back(uint64_t(Size) << 32);
    forEach(S, [&](PickleSlot Item) { To.push_back(Item.Bits); });
  }
  return PickleSlot::of(PickleSlot::Kept, Place);
}

PickleSlot PickleStore::copyNode(PickleSlot S) {
  if (S.tag() != PickleSlot::Stream)
    return S;
  PickleKind Kind = kind(S);
  if (Kind == PickleKind::Int || Kind == PickleKind::Float) {
    Nodes[1].insert(Nodes[1].end(), {head(S), word(S, 1)});
    return PickleSlot::of(PickleSlot::Kept, Nodes[1].size() - 2);
  }
  if (uint64_t Word = word(S, 1); Word & CopiedBit)
    return PickleSlot::of(PickleSlot::Kept, Word >> 1);
  else if (Word)
    return PickleSlot::of(PickleSlot::Note, Word >> 1);
  PickleSlot Copy;
  if (Kind == PickleKind::Text) {
    size_t Words = 2 + divideCeil(head(S) >> 32, 8);
    Copy = PickleSlot::of(PickleSlot::Kept, Nodes[1].size());
    ArrayRef<uint64_t> From = ArrayRef(Nodes[0]).slice(S.value(), Words);
    Nodes[1].insert(Nodes[1].end(), From.begin(), From.end());
  } else {
    Copy = copyContainer(S);
  }
  wordOf(S, 1) = Copy.value() << 1 | CopiedBit;
  return Copy;
}

/// Copies the nodes of the slots of the new node at At; returns the place after
/// the node.
size_t PickleStore::scanNode(size_t At) {
  uint64_t Head = Nodes[1][At];
  size_t Size = Head >> 32;
  switch (PickleKind(Head & 0xff)) {
  case PickleKind::Int:
  case PickleKind::Float:
    return At + 2;
  case PickleKind::Text:
    return At + 2 + divideCeil(Size, 8);
  default:
    break;
  }
  size_t First = At + 5;
  for (size_t I = 0; I != Size; ++I) {
    PickleSlot Copy = copyNode(PickleSlot{Nodes[1][First + I]});
    Nodes[1][First + I] = Copy.Bits;
  }
  return Size ? First + Size : At + 4;
}

PickleSlot PickleStore::keep(PickleSlot S) {
  size_t At = Nodes[1].size();
  S = copyNode(S);
  // The new nodes follow one another: no stack of open nodes is needed.
  while (At != Nodes[1].size())
    At = scanNode(At);
  return S;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a pickle, in little memory.
//
// A value is a slot of 8 bytes. Small numbers and well-known texts are in the
// slot; other values are nodes of one of two arrays. Nodes of the stream are
// released as soon as their element is delivered. Nodes that the pickle uses
// again later are copied to the kept nodes first, which stay.

#ifndef MEMKIT_LIB_IMPORT_PICKLESTORE_H
#define MEMKIT_LIB_IMPORT_PICKLESTORE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstdint>
#include <vector>

namespace memkit {

enum class PickleKind : uint8_t {
  None,
  Bool,
  Int, ///< of at most 64 bits
  Float,
  Text, ///< bytes, too
  List,
  Tuple,
  Dict,
  Note,  ///< replaces a value that the consumer has noted
  Other, ///< a larger number
};

/// A value, or the place of its node.
struct PickleSlot {
  enum SlotTag : uint8_t { None, Bool, Int, Name, Note, Other, Stream, Kept };
  uint64_t Bits = 0;

  static PickleSlot of(SlotTag Tag, uint64_t Value) {
    return {Value << 3 | Tag};
  }
  SlotTag tag() const { return SlotTag(Bits & 7); }
  bool isNode() const { return tag() >= Stream; }
  /// Whether an Int can hold the number, in 61 bits.
  static bool fits(int64_t Value) { return Value << 3 >> 3 == Value; }
  /// Of Int: two's complement. Of Stream and Kept: the index of the node.
  uint64_t value() const { return Bits >> 3; }
  int64_t number() const { return int64_t(Bits) >> 3; }
  bool operator==(const PickleSlot &) const = default;
};

/// The nodes of a pickle. A node is a header word and further words:
///
///   Int, Float   the value
///   Text         the copy's place (0: none), the bytes
///   List, ...    the copy's place or the note, the first and last chunk, the
///                offset in the file
///
/// A chunk is a header (next chunk, number of slots) and slots; a dict has a
/// key and a value in turn. Belongs to one thread.
class PickleStore {
public:
  /// Names: texts that slots hold by their index; must outlive the store.
  explicit PickleStore(llvm::ArrayRef<llvm::StringLiteral> Names);

  /// More nodes than this at one time: the stream is no list of small elements.
  static constexpr size_t MaxStreamWords = size_t(1) << 25;
  /// Bounds the places of kept nodes to 32 bits.
  static constexpr size_t MaxKeptWords = size_t(1) << 31;
  size_t streamWords() const { return Nodes[0].size(); }
  size_t keptWords() const { return Nodes[1].size(); }
  /// Releases the nodes of the stream from the word Words on, which
  /// streamWords() has given.
  void release(size_t Words) { Nodes[0].resize(Words); }

  PickleSlot integer(int64_t Value) {
    if (PickleSlot::fits(Value))
      return PickleSlot::of(PickleSlot::Int, uint64_t(Value));
    return bigInteger(uint64_t(Value), false);
  }
  /// IsLarge: Value is a positive number of more than 63 bits.
  PickleSlot bigInteger(uint64_t Value, bool IsLarge);
  PickleSlot real(double Value);
  PickleSlot text(llvm::StringRef Text);
  /// An empty container. Role, Streams: of the reader's rules.
  PickleSlot container(PickleKind Kind, uint8_t Role, bool Streams,
                       uint64_t Offset);

  /// Appends Items to a container. Kept containers get copies.
  void append(PickleSlot Container, llvm::MutableArrayRef<PickleSlot> Items);
  /// Copies nodes of the stream below S, which then is a kept node, or the note
  /// of a noted container. Copies a node once.
  PickleSlot keep(PickleSlot S);

  //===--------------------------------------------------------------------===//
  // Of a slot. Each function needs a slot of its kind.
  //===--------------------------------------------------------------------===//

  PickleKind kind(PickleSlot S) const {
    constexpr PickleKind Kinds[] = {PickleKind::None, PickleKind::Bool,
                                    PickleKind::Int,  PickleKind::Text,
                                    PickleKind::Note, PickleKind::Other};
    return S.isNode() ? PickleKind(head(S) & 0xff) : Kinds[S.tag()];
  }
  bool isContainer(PickleSlot S) const {
    PickleKind K = kind(S);
    return K == PickleKind::List || K == PickleKind::Tuple ||
           K == PickleKind::Dict;
  }
  llvm::StringRef textOf(PickleSlot S) const;
  double realOf(PickleSlot S) const;
  /// The number's low 64 bits; IsLarge as in bigInteger().
  uint64_t integerOf(PickleSlot S, bool &IsLarge) const;

  // Of containers; note() also of notes:
  uint8_t role(PickleSlot S) const { return uint8_t(head(S) >> RoleShift); }
  uint64_t offset(PickleSlot S) const { return word(S, 3); }
  /// Slots that append() added.
  uint32_t size(PickleSlot S) const { return uint32_t(head(S) >> 32); }
  bool isStreaming(PickleSlot S) const { return head(S) & StreamsBit; }
  /// Elements of the list went to the consumer. False for nodes of other kinds.
  bool isDelivered(PickleSlot S) const { return head(S) & DeliveredBit; }
  void setDelivered(PickleSlot S) { wordOf(S, 0) |= DeliveredBit; }
  /// The pickle uses the container again.
  bool isShared(PickleSlot S) const { return head(S) & SharedBit; }
  void setShared(PickleSlot S) { wordOf(S, 0) |= SharedBit; }
  /// A note of the consumer; 0: none. A kept node is then no longer needed.
  uint32_t note(PickleSlot S) const {
    if (S.tag() == PickleSlot::Note)
      return uint32_t(S.value());
    uint64_t Word = word(S, 1);
    return Word & CopiedBit ? 0 : uint32_t(Word >> 1);
  }
  void setNote(PickleSlot S, uint32_t Note) {
    // A node that was copied keeps the place of its copy.
    if (!(word(S, 1) & CopiedBit))
      wordOf(S, 1) = uint64_t(Note) << 1;
  }

  /// Calls Do with the first slots of a container, in order, at most Max. Do
  /// must not change the container.
  template <class FunctionT>
  void forEach(PickleSlot S, FunctionT Do, uint32_t Max = UINT32_MAX) const {
    const std::vector<uint64_t> &In = nodes(S);
    for (uint32_t At = uint32_t(word(S, 2)); At && Max; At = uint32_t(In[At])) {
      uint32_t Count = std::min(Max, uint32_t(In[At] >> 32));
      for (uint32_t I = 0; I != Count; ++I)
        Do(PickleSlot{In[At + 1 + I]});
      Max -= Count;
    }
  }

private:
  static constexpr unsigned RoleShift = 8;
  static constexpr uint64_t DeliveredBit = 1 << 16, SharedBit = 1 << 17,
                            LargeBit = 1 << 18, StreamsBit = 1 << 19;
  /// In the word of the note: the word has the place of the copy instead.
  static constexpr uint64_t CopiedBit = 1;

  const std::vector<uint64_t> &nodes(PickleSlot S) const {
    return Nodes[S.tag() == PickleSlot::Kept];
  }
  uint64_t word(PickleSlot S, unsigned I) const {
    return nodes(S)[S.value() + I];
  }
  uint64_t &wordOf(PickleSlot S, unsigned I) {
    return Nodes[S.tag() == PickleSlot::Kept][S.value() + I];
  }
  uint64_t head(PickleSlot S) const { return word(S, 0); }
  PickleSlot copyNode(PickleSlot S);
  PickleSlot copyContainer(PickleSlot S);
  void appendChunk(PickleSlot Container, llvm::ArrayRef<PickleSlot> Items);
  size_t scanNode(size_t At);

  llvm::ArrayRef<llvm::StringLiteral> Names;
  /// An open hash table of Names: index + 1.
  std::vector<uint16_t> NameTable;
  std::vector<uint64_t> Nodes[2]; ///< of the stream, kept
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_PICKLESTORE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a reader of pickles gives, and which parts of a pickle it keeps.

#ifndef MEMKIT_LIB_IMPORT_PICKLEVALUE_H
#define MEMKIT_LIB_IMPORT_PICKLEVALUE_H

#include "PickleStore.h"
#include "memkit/Support/ProgressCallback.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace memkit {

/// Where a container lies in the pickle, and whether its elements stream. In a
/// dict the role follows from the key, in a list every element has one role.
struct PickleRule {
  uint8_t In;  ///< role of the enclosing container; Root: the whole pickle
  int32_t Key; ///< of a dict: the key's index among the names; or below
  PickleKind Kind;
  uint8_t Role;
  bool Streams; ///< of a List: the consumer gets its elements

  static constexpr uint8_t Root = 0, NoRole = 255;
  static constexpr int32_t Element = -1; ///< any element of a list
  static constexpr int32_t AnyKey = -2;  ///< keys without a rule of their own
};

/// A value of a pickle; valid until the consumer's function returns.
class PickleValue {
public:
  PickleValue(PickleStore &Store, PickleSlot Slot)
      : Store(&Store), Slot(Slot) {}

  /// None of the same pickle.
  PickleValue none() const { return {*Store, PickleSlot()}; }

  PickleKind kind() const { return Store->kind(Slot); }
  bool isNone() const { return Slot.tag() == PickleSlot::None; }
  bool isText() const { return kind() == PickleKind::Text; }
  bool isList() const { return kind() == PickleKind::List; }
  bool isDict() const { return kind() == PickleKind::Dict; }
  /// The index of a text among the names; -1: another text, or no text.
  int32_t name() const {
    return Slot.tag() == PickleSlot::Name ? int32_t(Slot.value()) : -1;
  }
  /// Of a Text; else empty.
  llvm::StringRef text() const {
    return isText() ? Store->textOf(Slot) : llvm::StringRef();
  }
  /// Of a Bool; else nothing.
  std::optional<bool> boolean() const;
  /// Of an Int that is not negative; else nothing.
  std::optional<uint64_t> number() const {
    if (Slot.tag() == PickleSlot::Int)
      return Slot.number() < 0 ? std::nullopt
                               : std::optional(uint64_t(Slot.number()));
    return bigNumber(*Store, Slot);
  }
  /// Of an Int of 64 bits; else nothing.
  std::optional<int64_t> signedNumber() const;
  std::optional<double> real() const; ///< of a Float; else nothing
  /// The value as Python's repr() has it, cut off after Max bytes.
  std::string print(size_t Max) const;

  // Of a List, Tuple or Dict; else no values:
  uint32_t size() const; ///< elements, or keys; without elements that streamed
  // A pickle of few bytes may name a large container many times. A consumer
  // that looks at a container each time gives a Max.

  /// Calls Do with a PickleValue for each element of a List or Tuple, at most
  /// Max.
  template <class FunctionT>
  void forEach(FunctionT Do, uint32_t Max = UINT32_MAX) const {
    if (isList() || kind() == PickleKind::Tuple)
      Store->forEach(
          Slot, [&](PickleSlot S) { Do(PickleValue(*Store, S)); }, Max);
  }
  /// The entries of a Dict that forEachEntry() gives.
  static constexpr uint32_t MaxEntries = 256;
  /// Calls Do with each key and value of a Dict, in order, at most MaxEntries.
  template <class FunctionT> void forEachEntry(FunctionT Do) const {
    if (!isDict())
      return;
    PickleSlot Key;
    bool IsValue = false;
    Store->forEach(
        Slot,
        [&](PickleSlot S) {
          if (IsValue)
            Do(PickleValue(*Store, Key), PickleValue(*Store, S));
          Key = S;
          IsValue = !IsValue;
        },
        2 * MaxEntries);
  }
  /// Offset of the container in the file; 0: no container.
  uint64_t offset() const { return isContainer() ? Store->offset(Slot) : 0; }
  uint8_t role() const {
    return isContainer() ? Store->role(Slot) : PickleRule::NoRole;
  }
  /// Elements of this list went to the consumer.
  bool isDelivered() const { return isContainer() && Store->isDelivered(Slot); }
  /// The pickle uses this container again.
  bool isShared() const { return isContainer() && Store->isShared(Slot); }
  /// What the consumer has made of this container, or 0. The pickle may use the
  /// container again; the consumer then gets the note, of kind Note at last.
  uint32_t note() const {
    return isContainer() || kind() == PickleKind::Note ? Store->note(Slot) : 0;
  }
  void setNote(uint32_t Note) const {
    if (isContainer())
      Store->setNote(Slot, Note);
  }

private:
  bool isContainer() const { return Store->isContainer(Slot); }
  /// Static: a value whose address is not taken stays in registers.
  static std::optional<uint64_t> bigNumber(const PickleStore &Store,
                                           PickleSlot Slot);

  PickleStore *Store;
  PickleSlot Slot;
};

class PickleConsumer {
public:
  virtual ~PickleConsumer();
  /// An element of a list that streams; all elements in order. List: the offset
  /// of the list in the file, the same as PickleValue::offset() of the list.
  virtual llvm::Error element(uint8_t Role, uint64_t List, PickleValue V) = 0;
  /// The whole pickle, last; without the elements of lists that stream.
  virtual llvm::Error root(PickleValue V) = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_PICKLEVALUE_H

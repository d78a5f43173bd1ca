// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine that runs a pickle's opcodes.

#ifndef MEMKIT_LIB_IMPORT_PICKLEREADER_H
#define MEMKIT_LIB_IMPORT_PICKLEREADER_H

#include "Import/Pickle/PickleValue.h"
#include "Import/Source/ByteReader.h"
#include "PickleMemo.h"
#include "PickleOpcodes.h"

namespace memkit {

/// Pushes values to a stack; an opcode collects the values above the last mark,
/// or the last one to three values, in a container.
///
/// The elements of a list that streams wait above the list's mark. An opcode
/// without a mark takes at most three values, so all elements but the last
/// three are complete. Python's pickler ends a list after each thousand
/// elements; torch::jit::Pickler ends it once, hence deliverOldest().
///
/// After a delivery the nodes since the list's mark are released. A node that
/// the memo has was kept before; a container from before the mark may not
/// change, because it would name released nodes.
class PickleReader {
public:
  PickleReader(ByteReader &From, PickleMemo &Memo,
               llvm::ArrayRef<llvm::StringLiteral> Names,
               llvm::ArrayRef<PickleRule> Rules, PickleConsumer &To)
      : From(From), Memo(Memo), Store(Names), Rules(Rules), To(To) {}

  llvm::Error run();

private:
  struct OpenMark {
    size_t Begin = 0;     ///< of the values above, in Stack
    bool Streams = false; ///< below is a list that streams
    bool IsPart = false;  ///< elements are delivered already
    /// Words of the store and size of Waiting when the innermost list that
    /// streams had its mark.
    size_t StreamWords = 1, Waiting = 0;
  };

  void stepQuickly();
  llvm::Error step(PickleOp Op);
  llvm::Error stepRare(PickleOp Op);
  llvm::Error fail(const llvm::Twine &What) const {
    return From.fail(What, At);
  }

  // PickleReader.cpp
  void push(PickleSlot S) { Stack.push_back(S); }
  void pushContainer(PickleKind Kind);
  llvm::Error pushLong(uint64_t Size);
  llvm::Error pushText(uint64_t Size);
  const OpenMark &last() const { return Marks.back(); }
  /// The number of values above the last mark.
  size_t above() const { return Stack.size() - last().Begin; }
  /// The place of a number of the memo, or PickleMemo::NoPlace.
  size_t placeOf(uint32_t Number) const {
    return Memo.isUsed(Number) ? Memo.place(Number) : PickleMemo::NoPlace;
  }
  /// The value of a place; Undefined: pushPlace() has the error.
  PickleSlot get(size_t Place) const {
    if (LLVM_UNLIKELY(Place == PickleMemo::NoPlace))
      return PickleMemo::Undefined;
    PickleSlot S = Memo.get(Place);
    if (LLVM_UNLIKELY(S != PickleMemo::Undefined && S.isNode() &&
                      Store.isDelivered(S)))
      return PickleMemo::Undefined;
    return S;
  }
  llvm::Error pushPlace(size_t Place);
  llvm::Error put(uint64_t Number) {
    ++Defined;
    return LLVM_LIKELY(!Memo.isUsed(Number)) ? llvm::Error::success()
                                             : define(Number);
  }
  llvm::Error define(uint64_t Number);
  llvm::Error stop();

  // PickleContainers.cpp
  llvm::Error pushMark();
  llvm::Error popMark(OpenMark &M);
  llvm::Error append(bool IsOne);
  llvm::Error setItems(bool IsOne);
  llvm::Error add(PickleSlot Container, size_t Begin);
  llvm::Error tuple(size_t Size);
  llvm::Error tupleOfMark();
  bool streams(PickleSlot List) const {
    return Store.kind(List) == PickleKind::List && Store.isStreaming(List) &&
           !Store.isShared(List);
  }
  const PickleRule *rule(uint8_t In, int32_t Key, PickleKind Kind) const;
  const PickleRule *ruleOfNext(PickleKind Kind) const;
  const PickleRule *ruleOfEntry(PickleSlot Dict, PickleSlot Key,
                                PickleKind Kind) const;
  llvm::Error deliver(PickleSlot List, size_t Begin, size_t End);
  llvm::Error lookAtSize();
  void setLook();
  llvm::Error checkKept() const;
  void keepWaiting(const OpenMark &M);

  /// Bounds the values that wait on the stack.
  static constexpr size_t MaxStack = size_t(1) << 24;
  static constexpr size_t MaxMarks = 1000;
  static constexpr size_t OldestElements = 2048, LastElements = 3;

  ByteReader &From;
  PickleMemo &Memo;
  PickleStore Store;
  llvm::ArrayRef<PickleRule> Rules;
  PickleConsumer &To;
  std::vector<PickleSlot> Stack;
  std::vector<OpenMark> Marks{OpenMark()}; ///< the first is the bottom
  std::array<PickleSlot, 64> Pushed;       ///< by stepQuickly()
  /// Stack size at which to call lookAtSize().
  size_t LookAt = MaxStack;
  uint64_t Defined = 0; ///< values of the memo so far
  /// Places of the memo whose values may be nodes of the stream.
  std::vector<size_t> Waiting;
  uint64_t At = 0; ///< offset of the opcode
  bool IsDone = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_PICKLEREADER_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memo of a pickle: values that the pickle uses again by a number.

#ifndef MEMKIT_LIB_IMPORT_PICKLEMEMO_H
#define MEMKIT_LIB_IMPORT_PICKLEMEMO_H

#include "PickleStore.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/Error.h"
#include <array>
#include <vector>

namespace memkit {

class ByteReader;

/// Python gives a number to every text and container, and uses few of them
/// again. So a first pass over the file finds the numbers that are used, and
/// the memo has values for these alone: a bit for each number, 8 bytes for each
/// value. Belongs to one thread.
class PickleMemo {
public:
  /// Reads a whole pickle, without its values. Errors: every opcode that
  /// Pickle.h does not read.
  static llvm::Expected<PickleMemo> scan(ByteReader &From);

  /// Whether the pickle uses the value Number.
  bool isUsed(uint64_t Number) const {
    return Number / 64 < Used.size() && Used[Number / 64] >> Number % 64 & 1;
  }
  /// The place of a used number.
  size_t place(uint64_t Number) const {
    uint64_t Below = Used[Number / 64] & ((uint64_t(1) << Number % 64) - 1);
    return Before[Number / 64] + countBits(Below);
  }
  /// place() of the numbers that have opcodes of two bytes, the most frequent
  /// ones; NoPlace: not used.
  uint32_t smallPlace(uint8_t Number) const { return SmallPlaces[Number]; }
  static constexpr uint32_t NoPlace = ~0u;
  /// The value at a place; Undefined: the pickle has not defined it yet.
  PickleSlot get(size_t Place) const { return Values[Place]; }
  void set(size_t Place, PickleSlot S) { Values[Place] = S; }
  /// No slot of a PickleStore.
  static constexpr PickleSlot Undefined{~uint64_t(0)};
  /// The number of values that the pickle uses again.
  size_t size() const { return Values.size(); }

private:
  static unsigned countBits(uint64_t Word);
  void use(uint64_t Number) {
    if (LLVM_UNLIKELY(Number / 64 >= Used.size()))
      Used.resize(Number / 64 + 1);
    Used[Number / 64] |= uint64_t(1) << Number % 64;
  }
  size_t scanQuickly(llvm::ArrayRef<uint8_t> Bytes, uint64_t &Defined);
  void count();

  std::vector<uint64_t> Used;   ///< a bit for each number
  std::vector<uint32_t> Before; ///< used numbers before each word of Used
  std::vector<PickleSlot> Values;
  std::array<uint32_t, 256> SmallPlaces;
};

/// popcount(), which the compiler calls as a function where the processor may
/// lack the instruction.
inline unsigned PickleMemo::countBits(uint64_t Word) {
  Word -= Word >> 1 & 0x5555555555555555;
  Word = (Word & 0x3333333333333333) + (Word >> 2 & 0x3333333333333333);
  Word = (Word + (Word >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return unsigned(Word * 0x0101010101010101 >> 56);
}

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_PICKLEMEMO_H

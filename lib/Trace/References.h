// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The coding of references to blocks.
//
// A reference (free, resize, split) names a block by a byte, or by a byte and a
// number in the far column:
//   0-127    the number of blocks created after the block
//   128-254  the last block named in this group, plus byte - 191
//   255      the far column holds the number of blocks created after the block

#ifndef MEMKIT_LIB_TRACE_REFERENCES_H
#define MEMKIT_LIB_TRACE_REFERENCES_H

#include <cstdint>

namespace memkit {

/// Codes the references of one group (thread) in order.
class ReferenceCoder {
public:
  static constexpr uint8_t Far = 255;
  static constexpr int64_t Reach = 63, Middle = 191;
  static constexpr uint64_t FirstStep = 128;

  /// The byte for Block when Next is the next allocation id.
  uint8_t encode(uint64_t Block, uint64_t Next) {
    uint64_t Distance = Next - 1 - Block;
    int64_t Step = int64_t(Block - Last);
    bool HadLast = HasLast;
    Last = Block;
    HasLast = true;
    if (Distance < FirstStep)
      return uint8_t(Distance);
    if (HadLast && Step >= -Reach && Step <= Reach)
      return uint8_t(Middle + Step);
    return Far;
  }

  /// The block named by Near, and by Distance when Near is Far. False when no
  /// such block exists.
  bool decode(uint8_t Near, uint64_t Distance, uint64_t Next, uint64_t &Block) {
    if (Near < FirstStep)
      Block = Next - 1 - Near;
    else if (Near != Far)
      Block = Last + Near - Middle;
    else
      Block = Next - 1 - Distance;
    bool Known = Near < FirstStep || Near == Far || HasLast;
    Last = Block;
    HasLast = true;
    // A distance that is too large wraps to a large number.
    return Known && Block < Next;
  }

private:
  uint64_t Last = 0;
  bool HasLast = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_REFERENCES_H

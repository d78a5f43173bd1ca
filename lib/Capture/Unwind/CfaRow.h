// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of unwind rules.
//
// What holds at one pc: how the CFA is found, and where the caller's registers
// are. A row has rules for some registers only, those that its maker asks for.

#ifndef MEMKIT_CAPTURE_UNWIND_CFAROW_H
#define MEMKIT_CAPTURE_UNWIND_CFAROW_H

#include "DwarfReader.h"

namespace memkit::capture {

/// Where a register of the caller is.
struct RegisterRule {
  enum class Where : uint8_t {
    Unset,         ///< nothing was said
    Undefined,     ///< lost
    Same,          ///< in the register itself
    Offset,        ///< [CFA + Offset]
    ValOffset,     ///< CFA + Offset
    Register,      ///< in the register numbered Offset
    Expression,    ///< [what the block gives]
    ValExpression, ///< what the block gives
  };

  Where Kind = Where::Unset;
  uint32_t BlockSize = 0;
  union {
    int64_t Offset = 0;
    const uint8_t *Block; ///< instructions, with BlockSize
  };

  static RegisterRule plain(Where Kind, int64_t Offset = 0) {
    RegisterRule R;
    R.Kind = Kind;
    R.Offset = Offset;
    return R;
  }
  static RegisterRule block(Where Kind, ByteSpan B) {
    RegisterRule R;
    R.Kind = Kind;
    R.BlockSize = B.Size;
    R.Block = B.Start;
    return R;
  }
  /// Nothing that a walk would do differs from its being in the register
  /// itself: so libgcc takes it, for a register that is not the return address.
  bool keeps() const { return Kind <= Where::Same; }
  bool isAt(int64_t O) const { return Kind == Where::Offset && Offset == O; }
  ByteSpan block() const { return {Block, BlockSize}; }
};

/// How the CFA is found.
struct CfaRule {
  enum class Where : uint8_t { Unset, Register, Expression };

  Where Kind = Where::Unset;
  uint32_t Register = 0; ///< for Expression: the block's size
  union {
    int64_t Offset = 0;
    const uint8_t *Block;
  };

  ByteSpan block() const { return {Block, Register}; }
};

/// A row with the rules of \p Set::Count registers; Set::slot gives a
/// register's, or Set::Count for one that is not kept.
template <typename Set> struct CfaRow {
  CfaRule Cfa;
  RegisterRule Rules[Set::Count];

  const RegisterRule &operator[](unsigned Register) const {
    return Rules[Set::slot(Register)];
  }
};

/// The registers that a compiled rule is about: rbp, rsp, the return address.
struct FrameRegisters {
  static constexpr unsigned Count = 3;
  static constexpr unsigned slot(uint64_t Register) {
    return Register == 6 ? 0 : Register == 16 ? 1 : Register == 7 ? 2 : Count;
  }
};

/// The general registers and the return address.
struct AllRegisters {
  static constexpr unsigned Count = 17;
  static constexpr unsigned slot(uint64_t Register) {
    return Register < Count ? unsigned(Register) : Count;
  }
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_CFAROW_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of unwind rules.
//
// The rules at one pc: for the CFA, and for the caller's registers. A row has
// rules for some registers only, chosen by its maker.

#ifndef MEMKIT_CAPTURE_UNWIND_CFAROW_H
#define MEMKIT_CAPTURE_UNWIND_CFAROW_H

#include "DwarfReader.h"

namespace memkit::capture {

/// The place of a caller's register.
struct RegisterRule {
  enum class RegisterLocation : uint8_t {
    Unset,         ///< no rule
    Undefined,     ///< lost
    Same,          ///< in the register itself
    Offset,        ///< [CFA + Offset]
    ValOffset,     ///< CFA + Offset
    Register,      ///< in the register numbered Offset
    Expression,    ///< [result of the block]
    ValExpression, ///< result of the block
  };

  RegisterLocation Kind = RegisterLocation::Unset;
  uint32_t BlockSize = 0;
  union {
    int64_t Offset = 0;
    const uint8_t *Block; ///< instructions, with BlockSize
  };

  static RegisterRule plain(RegisterLocation Kind, int64_t Offset = 0) {
    RegisterRule R;
    R.Kind = Kind;
    R.Offset = Offset;
    return R;
  }
  static RegisterRule block(RegisterLocation Kind, ByteSpan B) {
    RegisterRule R;
    R.Kind = Kind;
    R.BlockSize = B.Size;
    R.Block = B.Start;
    return R;
  }
  /// For a walk, as good as in the register itself. libgcc treats these kinds
  /// so, except for the return address.
  bool keeps() const { return Kind <= RegisterLocation::Same; }
  bool isAt(int64_t O) const {
    return Kind == RegisterLocation::Offset && Offset == O;
  }
  ByteSpan block() const { return {Block, BlockSize}; }
};

/// The rule for the CFA.
struct CfaRule {
  enum class CfaForm : uint8_t { Unset, Register, Expression };

  CfaForm Kind = CfaForm::Unset;
  uint32_t Register = 0; ///< for Expression: the block's size
  union {
    int64_t Offset = 0;
    const uint8_t *Block;
  };

  ByteSpan block() const { return {Block, Register}; }
};

/// A row with the rules of \p Set::Count registers; Set::slot maps a register
/// to its rule, or to Set::Count if not kept.
template <typename Set> struct CfaRow {
  CfaRule Cfa;
  RegisterRule Rules[Set::Count];

  const RegisterRule &operator[](unsigned Register) const {
    return Rules[Set::slot(Register)];
  }
};

/// The registers of a compiled rule: rbp, rsp, the return address.
struct FrameRegisters {
  static constexpr unsigned Count = 3;
  static constexpr unsigned slot(uint64_t Register) {
    return Register == 6 ? 0 : Register == 16 ? 1 : Register == 7 ? 2 : Count;
  }
};

/// Where a run of a function's instructions stopped. A run for the same pc or a
/// later one goes on from there: a function may call others at thousands of
/// pcs, most often in their order. All bits 0: of no function.
template <typename Set> struct CfaCursor {
  const uint8_t *Program = nullptr; ///< the start of the instructions
  const uint8_t *At = nullptr;      ///< the next instruction
  uint64_t RowStart = 0;            ///< the first pc with the row
  uint64_t Location = 0, Previous = 0;
  CfaRow<Set> Row;
};

/// The cursors of some functions. All bits 0 is empty.
class CfaCursors {
public:
  CfaCursor<FrameRegisters> &of(const uint8_t *Program) {
    return All[uintptr_t(Program) / 16 % Count];
  }
  void clear() {
    for (CfaCursor<FrameRegisters> &C : All)
      C.Program = nullptr;
  }

private:
  static constexpr unsigned Count = 8;
  CfaCursor<FrameRegisters> All[Count];
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions of unwind tables.
//
// Runs the instructions of a function's record up to a pc, for a row of either
// set of registers. Inline, because every new pc runs the small set.

#ifndef MEMKIT_CAPTURE_UNWIND_CFAPROGRAM_H
#define MEMKIT_CAPTURE_UNWIND_CFAPROGRAM_H

#include "CfaRecord.h"
#include "CfaRow.h"

namespace memkit::capture {

/// DW_CFA_*: first the operations with an operand in the low six bits, then the
/// others.
namespace cfa {
enum Operation : uint8_t {
  AdvanceLoc = 0x40,
  Offset = 0x80,
  Restore = 0xc0,
  HighMask = 0xc0,
  LowMask = 0x3f,

  Nop = 0x00,
  SetLoc = 0x01,
  AdvanceLoc1 = 0x02,
  AdvanceLoc2 = 0x03,
  AdvanceLoc4 = 0x04,
  OffsetExtended = 0x05,
  RestoreExtended = 0x06,
  Undefined = 0x07,
  SameValue = 0x08,
  Register = 0x09,
  RememberState = 0x0a,
  RestoreState = 0x0b,
  DefCfa = 0x0c,
  DefCfaRegister = 0x0d,
  DefCfaOffset = 0x0e,
  DefCfaExpression = 0x0f,
  Expression = 0x10,
  OffsetExtendedSf = 0x11,
  DefCfaSf = 0x12,
  DefCfaOffsetSf = 0x13,
  ValOffset = 0x14,
  ValOffsetSf = 0x15,
  ValExpression = 0x16,
  MipsAdvanceLoc8 = 0x1d,
  GnuArgsSize = 0x2e,
  GnuNegativeOffsetExtended = 0x2f,
};
} // namespace cfa

template <typename Set> class CfaProgram {
public:
  CfaProgram(const FunctionRecord &F, uintptr_t Pc) : F(F), Pc(Pc) {}

  /// Computes the row of the pc. False: the instructions are invalid. \p From:
  /// goes on from there if possible, and is changed; may be null.
  bool run(CfaCursor<Set> *From = nullptr) {
    Location = F.Code.Start;
    if (!execute(F.Common.Program, ~uint64_t(0)))
      return false;
    Initial = Row;
    ByteSpan Rest = F.Program;
    if (From && From->Program == Rest.Start && From->RowStart <= Pc &&
        size_t(From->At - Rest.Start) <= Rest.Size) {
      Row = From->Row;
      Location = From->Location;
      Previous = From->Previous;
      Rest.Size -= uint32_t(From->At - Rest.Start);
      Rest.Start = From->At;
    }
    if (!execute(Rest, Pc))
      return false;
    // Locations that go backwards are invalid.
    if (From && !Depth && rowRange().has(Pc))
      *From = {F.Program.Start, Next,     rowRange().Start,
               Location,        Previous, Row};
    return true;
  }
  const CfaRow<Set> &row() const { return Row; }

  /// The pcs with this row, as far as one run of the instructions shows: the
  /// row may also return after an epilogue.
  AddressRange rowRange() const {
    if (Location > Pc)
      return {Previous, Location};
    return {Location, F.Code.End};
  }

private:
  using RegisterLocation = RegisterRule::RegisterLocation;

  /// No compiler nests deeper than two.
  static constexpr unsigned MaxRemembered = 16;
  /// No function of real programs comes near.
  static constexpr uint32_t MaxBytes = 1u << 20;

  bool execute(ByteSpan Program, uint64_t Last);
  bool executeOne(DwarfReader &R, uint8_t Operation);
  [[gnu::noinline]] bool executeOther(DwarfReader &R, uint8_t Operation);
  bool executeRegister(DwarfReader &R, uint8_t Operation);
  bool executeCfa(DwarfReader &R, uint8_t Operation);
  bool rememberOrRestore(bool Remember);

  /// \p Factored times the CIE's factor; wraps if corrupt.
  int64_t offset(uint64_t Factored) const {
    return int64_t(Factored * uint64_t(F.Common.DataAlign));
  }
  void set(uint64_t Register, RegisterRule Rule) {
    if (unsigned Slot = Set::slot(Register); Slot < Set::Count)
      Row.Rules[Slot] = Rule;
  }
  void restore(uint64_t Register) {
    if (unsigned Slot = Set::slot(Register); Slot < Set::Count)
      Row.Rules[Slot] = Initial.Rules[Slot];
  }
  bool advance(uint64_t Units) {
    return setLocation(Location + Units * F.Common.CodeAlign);
  }
  bool setLocation(uint64_t Next) {
    Previous = Location;
    Location = Next;
    return true;
  }
  bool setCfaOffset(int64_t Offset) {
    Row.Cfa.Offset = Offset;
    return Row.Cfa.Kind == CfaRule::CfaForm::Register; // else no register
  }

  const FunctionRecord &F;
  const uintptr_t Pc;
  uint64_t Location = 0;         ///< the start of the row in progress
  uint64_t Previous = 0;         ///< the start of the row before
  const uint8_t *Next = nullptr; ///< where execute() stopped
  CfaRow<Set> Row, Initial;
  unsigned Depth = 0;
  // Without initializers, because most functions remember no row.
  union {
    CfaRow<Set> Remembered[MaxRemembered];
  };
};

/// Runs \p Program until the next row would start after \p Last. Handles the
/// operations that compilers write for nearly every function; others in
/// executeOther(). The program of a large function has hundreds of instructions
/// before an address, nearly all of them pairs of AdvanceLoc and DefCfaOffset:
/// so the place and the location are in registers, and the second of a pair
/// needs no switch.
template <typename Set>
bool CfaProgram<Set>::execute(ByteSpan Program, uint64_t Last) {
  if (Program.Size > MaxBytes)
    return false;
  const uint8_t *P = Program.Start, *const End = P + Program.Size;
  const uint64_t Align = F.Common.CodeAlign;
  uint64_t At = Location, Before = Previous;
  bool Good = true;
  while (P < End && At <= Last) {
    uint8_t Byte = *P, Low = Byte & cfa::LowMask;
    uint64_t Units;
    switch (Byte & cfa::HighMask) {
    case cfa::AdvanceLoc:
      Units = Low;
      ++P;
      break;
    case cfa::Restore:
      restore(Low);
      ++P;
      continue;
    default:
      if (Byte == cfa::AdvanceLoc1 && End - P >= 2) {
        Units = P[1];
        P += 2;
        break;
      }
      if (Byte == cfa::AdvanceLoc2 && End - P >= 3) {
        Units = P[1] | uint64_t(P[2]) << 8;
        P += 3;
        break;
      }
      if (Byte == cfa::Nop) {
        ++P;
        continue;
      }
      // A reader of its own, so that the place itself can be in a register.
      DwarfReader R(P + 1, End);
      Location = At;
      Previous = Before;
      Good = executeOne(R, Byte) && R.ok();
      At = Location;
      Before = Previous;
      P = R.at();
      if (__builtin_expect(!Good, 0))
        return false;
      continue;
    }
    Before = At;
    At += Units * Align;
    // With one byte of offset and a register for the CFA, as nearly always.
    if (At <= Last && End - P >= 2 && P[0] == cfa::DefCfaOffset &&
        P[1] < 0x80 && Row.Cfa.Kind == CfaRule::CfaForm::Register) {
      Row.Cfa.Offset = P[1];
      P += 2;
    }
  }
  Location = At;
  Previous = Before;
  Next = P;
  return true;
}

/// Executes an operation that is no advance of one or two bytes.
template <typename Set>
bool CfaProgram<Set>::executeOne(DwarfReader &R, uint8_t Operation) {
  if ((Operation & cfa::HighMask) == cfa::Offset) {
    set(Operation & cfa::LowMask,
        RegisterRule::plain(RegisterLocation::Offset, offset(R.uleb())));
    return true;
  }
  switch (Operation) {
  case cfa::DefCfaOffset:
    return setCfaOffset(int64_t(R.uleb()));
  case cfa::RememberState:
  case cfa::RestoreState:
    return rememberOrRestore(Operation == cfa::RememberState);
  case cfa::AdvanceLoc1:
    return advance(R.byte());
  case cfa::AdvanceLoc2:
    return advance(R.u16());
  default:
    return executeOther(R, Operation);
  }
}

template <typename Set>
bool CfaProgram<Set>::executeOther(DwarfReader &R, uint8_t Operation) {
  switch (Operation) {
  case cfa::AdvanceLoc4:
    return advance(R.u32());
  case cfa::MipsAdvanceLoc8:
    return advance(R.u64());
  case cfa::SetLoc:
    return setLocation(R.pointer(F.Common.Pointers));
  case cfa::GnuArgsSize:
    R.uleb();
    return true;
  case cfa::DefCfa:
  case cfa::DefCfaRegister:
  case cfa::DefCfaExpression:
  case cfa::DefCfaSf:
    return executeCfa(R, Operation);
  case cfa::DefCfaOffsetSf:
    return setCfaOffset(offset(uint64_t(R.sleb())));
  default:
    return executeRegister(R, Operation);
  }
}

template <typename Set>
bool CfaProgram<Set>::executeCfa(DwarfReader &R, uint8_t Operation) {
  CfaRule &C = Row.Cfa;
  if (Operation == cfa::DefCfaExpression) {
    ByteSpan B = R.block();
    C.Kind = CfaRule::CfaForm::Expression;
    C.Register = B.Size;
    C.Block = B.Start;
    return true;
  }
  uint64_t Register = R.uleb();
  if (Register > UINT32_MAX)
    return false;
  if (C.Kind == CfaRule::CfaForm::Expression)
    C.Offset = 0; // the union had a pointer
  C.Kind = CfaRule::CfaForm::Register;
  C.Register = uint32_t(Register);
  if (Operation == cfa::DefCfaSf)
    C.Offset = offset(uint64_t(R.sleb()));
  else if (Operation == cfa::DefCfa)
    C.Offset = int64_t(R.uleb());
  return true;
}

template <typename Set>
bool CfaProgram<Set>::executeRegister(DwarfReader &R, uint8_t Operation) {
  // Reject unknown operations before reading the operand that the others share.
  switch (Operation) {
  case cfa::OffsetExtended:
  case cfa::RestoreExtended:
  case cfa::Undefined:
  case cfa::SameValue:
  case cfa::Register:
  case cfa::Expression:
  case cfa::OffsetExtendedSf:
  case cfa::ValOffset:
  case cfa::ValOffsetSf:
  case cfa::ValExpression:
  case cfa::GnuNegativeOffsetExtended:
    break;
  default:
    return false;
  }
  uint64_t Register = R.uleb();
  switch (Operation) {
  case cfa::OffsetExtended:
    set(Register,
        RegisterRule::plain(RegisterLocation::Offset, offset(R.uleb())));
    break;
  case cfa::OffsetExtendedSf:
    set(Register, RegisterRule::plain(RegisterLocation::Offset,
                                      offset(uint64_t(R.sleb()))));
    break;
  case cfa::GnuNegativeOffsetExtended:
    set(Register,
        RegisterRule::plain(RegisterLocation::Offset, offset(-R.uleb())));
    break;
  case cfa::ValOffset:
    set(Register,
        RegisterRule::plain(RegisterLocation::ValOffset, offset(R.uleb())));
    break;
  case cfa::ValOffsetSf:
    set(Register, RegisterRule::plain(RegisterLocation::ValOffset,
                                      offset(uint64_t(R.sleb()))));
    break;
  case cfa::RestoreExtended:
    restore(Register);
    break;
  case cfa::Undefined:
    set(Register, RegisterRule::plain(RegisterLocation::Undefined));
    break;
  case cfa::SameValue:
    set(Register, RegisterRule::plain(RegisterLocation::Same));
    break;
  case cfa::Register:
    set(Register,
        RegisterRule::plain(RegisterLocation::Register, int64_t(R.uleb())));
    break;
  case cfa::Expression:
    set(Register, RegisterRule::block(RegisterLocation::Expression, R.block()));
    break;
  default:
    set(Register,
        RegisterRule::block(RegisterLocation::ValExpression, R.block()));
  }
  return true;
}

template <typename Set> bool CfaProgram<Set>::rememberOrRestore(bool Remember) {
  if (Remember) {
    if (Depth == MaxRemembered)
      return false;
    Remembered[Depth++] = Row;
    return true;
  }
  if (!Depth)
    return false;
  Row = Remembered[--Depth];
  return true;
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_CFAPROGRAM_H

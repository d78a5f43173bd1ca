// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The step over a frame, in eight bytes.
//
// The content of .eh_frame for one pc, as far as a walk of return addresses
// needs it: the canonical frame address (CFA: the stack pointer before the
// call), and the caller's rbp. Unless a kind says otherwise, the return address
// is at CFA - 8 and the caller's rsp is the CFA.
//
// No allocation, lock or call of libc; any thread, any signal handler. Tables
// may be corrupt: work and reads are bounded.

#ifndef MEMKIT_CAPTURE_UNWIND_RULE_H
#define MEMKIT_CAPTURE_UNWIND_RULE_H

#include "CfaRow.h"
#include "EhFrame.h"

namespace memkit::capture {

enum class RuleKind : uint8_t {
  Empty = 0,     ///< all bits 0: not made yet
  Sp = 1,        ///< CFA = rsp + CfaOffset
  Fp = 2,        ///< CFA = rbp + CfaOffset
  Realigned = 3, ///< CFA = [rbp + CfaOffset]; the caller's rbp = [rbp]
  Signal = 4,    ///< the kernel's frame of a signal at rsp: see SignalContext
  End = 5,       ///< the return address is undefined: the outermost frame
  Slow = 6,      ///< use stepSlow
  None = 7,      ///< no tables for this pc, or invalid tables
};

/// The step from a frame to its caller.
struct Rule {
  static constexpr uint8_t FpSaved = 1;
  static constexpr uint8_t SignalFrame = 2;

  RuleKind Kind = RuleKind::Empty;
  /// FpSaved (only with Sp and Fp): the caller's rbp = [CFA + 8 * FpSlot];
  /// otherwise the caller's rbp is this frame's. SignalFrame: a signal made the
  /// frame, not a call: the caller's pc is the exact instruction, so the
  /// caller's rule is at pc, not at pc - 1. Set for every Signal, rarely for
  /// others.
  uint8_t Flags = 0;
  int16_t FpSlot = 0;    ///< in words of 8 bytes
  int32_t CfaOffset = 0; ///< in bytes; any value, even an invalid one

  bool savesFp() const { return Flags & FpSaved; }
  bool isSignalFrame() const { return Flags & SignalFrame; }

  friend bool operator==(const Rule &, const Rule &) = default;
};
static_assert(sizeof(Rule) == 8 && alignof(Rule) <= 8);

/// For RuleKind::Signal: the places of the interrupted registers, as offsets in
/// bytes from the frame's rsp.
struct SignalContext {
  static constexpr unsigned Fp = 120;
  static constexpr unsigned Sp = 160;
  static constexpr unsigned Pc = 168;
};

/// The rule for the instruction at \p Pc (for a return address: the address
/// minus 1). Never RuleKind::Empty. Takes less than 2 KiB of stack.
/// \p Same: addresses around \p Pc with the same rule, for RecentRules; often a
/// whole function without its first and last instructions. Empty if there is no
/// such range. \p Known: of earlier calls; may be null.
Rule compileRule(const EhFrame &Tables, uintptr_t Pc, AddressRange &Same,
                 CfaCursors *Known = nullptr);
inline Rule compileRule(const EhFrame &Tables, uintptr_t Pc) {
  AddressRange Same;
  return compileRule(Tables, Pc, Same);
}

//===----------------------------------------------------------------------===//
// The slow path
//===----------------------------------------------------------------------===//

/// The general registers of a frame, by their DWARF numbers.
struct Registers {
  static constexpr unsigned Fp = 6; ///< rbp
  static constexpr unsigned Sp = 7; ///< rsp
  static constexpr unsigned Pc = 16;
  static constexpr unsigned Count = 17;

  uint64_t Values[Count] = {}; ///< rax rdx rcx rbx rsi rdi rbp rsp r8…r15 pc
  uint32_t Known = 0;          ///< bit I: Values[I] is known
  /// Pc is the exact instruction (of the innermost frame, or of a frame that a
  /// signal interrupted), not a return address.
  bool ExactPc = false;

  bool knows(unsigned I) const { return I < Count && (Known >> I & 1); }
  void set(unsigned I, uint64_t Value) {
    Values[I] = Value;
    Known |= 1u << I;
  }
  /// The pc for the look-up of this frame's rules.
  uintptr_t lookupPc() const { return Values[Pc] - !ExactPc; }
};

/// Reads the program's stack.
struct StackReader {
  /// Copies the \p Bytes (1 to 8) at \p Address to \p To; false: not readable.
  bool (*Read)(const void *Context, uintptr_t Address, void *To, size_t Bytes);
  const void *Context;
};

enum class StepResult : uint8_t {
  Stepped, ///< the registers are the caller's
  End,     ///< the frame was the outermost
  Unknown, ///< the step needs a register with an unknown value
  Failed,  ///< no tables, corrupt tables, or unreadable memory
};

/// Steps from the frame \p Regs to its caller's, by the full tables, for any pc
/// (not only pcs with the rule Slow). rsp and pc must be known. A register
/// without a rule keeps its value. Unless Stepped, \p Regs is unchanged. Takes
/// less than 7 KiB of stack.
StepResult stepSlow(const EhFrame &Tables, Registers &Regs,
                    const StackReader &Stack);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_RULE_H

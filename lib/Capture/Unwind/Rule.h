// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How to step over a frame, in eight bytes.
//
// What .eh_frame says about one pc, as far as a walk of return addresses needs
// it: the canonical frame address (CFA: the stack pointer before the call), and
// the caller's rbp. The return address lies at CFA - 8 and the caller's rsp is
// the CFA in all kinds that say nothing else.
//
// No allocation, lock or call of libc; any thread, any signal handler. Tables
// may be corrupt: work and reads are bounded.

#ifndef MEMKIT_CAPTURE_UNWIND_RULE_H
#define MEMKIT_CAPTURE_UNWIND_RULE_H

#include "EhFrame.h"

namespace memkit::capture {

enum class RuleKind : uint8_t {
  Empty = 0,     ///< all bits 0: no rule has been made yet
  Sp = 1,        ///< CFA = rsp + CfaOffset
  Fp = 2,        ///< CFA = rbp + CfaOffset
  Realigned = 3, ///< CFA = [rbp + CfaOffset]; the caller's rbp = [rbp]
  Signal = 4,    ///< the kernel's frame of a signal at rsp: see SignalFrame
  End = 5,       ///< the return address is undefined: the outermost frame
  Slow = 6,      ///< stepSlow knows
  None = 7,      ///< the tables say nothing about this pc, or make no sense
};

/// How to get from a frame to its caller.
struct Rule {
  static constexpr uint8_t FpSaved = 1;
  static constexpr uint8_t SignalFrame = 2;

  RuleKind Kind = RuleKind::Empty;
  /// FpSaved (of Sp and Fp only): the caller's rbp = [CFA + 8 * FpSlot];
  /// otherwise it is this frame's. SignalFrame: the frame was interrupted into
  /// being, not called: the caller's pc is the very instruction, so its rule is
  /// found by pc, not by pc - 1. Set for every Signal, rarely for others.
  uint8_t Flags = 0;
  int16_t FpSlot = 0;    ///< in words of 8 bytes
  int32_t CfaOffset = 0; ///< in bytes; any value, also a senseless one

  bool savesFp() const { return Flags & FpSaved; }
  bool isSignalFrame() const { return Flags & SignalFrame; }

  friend bool operator==(const Rule &, const Rule &) = default;
};
static_assert(sizeof(Rule) == 8 && alignof(Rule) <= 8);

/// Of a frame with RuleKind::Signal: where the interrupted registers lie, as
/// offsets in bytes from its rsp.
struct SignalContext {
  static constexpr unsigned Fp = 120;
  static constexpr unsigned Sp = 160;
  static constexpr unsigned Pc = 168;
};

/// The rule for the instruction at \p Pc (for a return address: the address
/// less 1). Never RuleKind::Empty. Takes less than 2 KiB of stack.
/// \p Same: addresses around \p Pc that have the same rule, for RecentRules;
/// often a whole function without its first and last instructions. Empty where
/// there is no such rule.
Rule compileRule(const EhFrame &Tables, uintptr_t Pc, AddressRange &Same);
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
  /// Pc is the very instruction (of the innermost frame, or of one that was
  /// interrupted by a signal), not a return address.
  bool ExactPc = false;

  bool knows(unsigned I) const { return I < Count && (Known >> I & 1); }
  void set(unsigned I, uint64_t Value) {
    Values[I] = Value;
    Known |= 1u << I;
  }
  /// Where rules for this frame are looked up.
  uintptr_t lookupPc() const { return Values[Pc] - !ExactPc; }
};

/// Reads the program's stack.
struct StackReader {
  /// Copies the \p Bytes (1 to 8) at \p Address to \p To; false: they are not
  /// to be read.
  bool (*Read)(const void *Context, uintptr_t Address, void *To, size_t Bytes);
  const void *Context;
};

enum class StepResult : uint8_t {
  Stepped, ///< the registers are the caller's
  End,     ///< this was the outermost frame
  Unknown, ///< the value of a register is needed that is not known
  Failed,  ///< no or corrupt tables, or memory that cannot be read
};

/// From the frame \p Regs to its caller's, by all of what the tables say, for
/// any pc (not only those whose rule is Slow). rsp and pc must be known. A
/// register that the tables do not name keeps its value. Unless Stepped, \p
/// Regs is as it was. Takes less than 7 KiB of stack.
StepResult stepSlow(const EhFrame &Tables, Registers &Regs,
                    const StackReader &Stack);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_RULE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule and a code id in one word.
//
// The rule for the step over a pc's frame, and the pc's code id, packed so that
// pc and word fit 16 bytes. A rule that does not fit, or could make a walk read
// below its frame, becomes a rule for the slow step.

#ifndef MEMKIT_CAPTURE_UNWIND_CODEWORD_H
#define MEMKIT_CAPTURE_UNWIND_CODEWORD_H

#include "Rule.h"

namespace memkit::capture {

class CodeWord {
public:
  static constexpr uint32_t MaxCode = (1u << 25) - 1;

  static constexpr uint64_t KindMask = 7;
  static constexpr uint64_t FpSaved = 1u << 3;
  /// No binary owned the pc when it was looked up.
  static constexpr uint64_t Unowned = 1u << 5;
  /// Code of this library, without a node.
  static constexpr uint64_t Hidden = 1u << 6;

  constexpr CodeWord() = default;
  explicit constexpr CodeWord(uint64_t Bits) : Bits(Bits) {}

  /// \p Code 0: the shared table is full, or the code is Hidden.
  static CodeWord make(const Rule &R, uint32_t Code, uint64_t Flags) {
    uint64_t W = uint64_t(Code) << 7 | Flags;
    if (!fits(R))
      return CodeWord(W | uint64_t(RuleKind::Slow));
    W |= uint64_t(R.Kind) | (R.savesFp() ? FpSaved : 0);
    W |= uint64_t(uint8_t(R.savesFp() ? R.FpSlot : 0)) << 32;
    return CodeWord(W | uint64_t(uint32_t(R.CfaOffset)) << 40);
  }

  explicit operator bool() const { return Bits; }
  uint64_t bits() const { return Bits; }
  RuleKind kind() const { return RuleKind(Bits & 7); }
  /// Is the kind Sp or Fp, as for nearly all code?
  bool isPlain() const { return (Bits & 7) <= uint64_t(RuleKind::Fp); }
  /// For a plain word: is the CFA computed from rsp?
  bool isFromSp() const { return Bits & uint64_t(RuleKind::Sp); }
  bool savesFp() const { return Bits & FpSaved; }
  bool has(uint64_t Flag) const { return Bits & Flag; }
  uint32_t code() const { return uint32_t(Bits) >> 7; }
  /// From the CFA to the saved rbp, in bytes.
  int64_t fpOffset() const { return int64_t(int8_t(Bits >> 32)) * 8; }
  int64_t cfaOffset() const { return int64_t(Bits) >> 40; }

private:
  /// Is the saved rbp below the return address and, if the rule shows it, not
  /// below rsp? Otherwise not further below than a call of this library
  /// reaches.
  static bool fits(const Rule &R) {
    constexpr int32_t MaxCfa = (1 << 23) - 1;
    constexpr int16_t LowestFromFp = -16;
    if (R.isSignalFrame() && R.Kind != RuleKind::Signal)
      return false;
    if (R.CfaOffset > MaxCfa || R.CfaOffset < -MaxCfa)
      return false;
    if (R.Kind == RuleKind::Sp && (R.CfaOffset <= 0 || R.CfaOffset % 8))
      return false;
    if (!R.savesFp())
      return true;
    if (R.FpSlot > -2 || R.FpSlot < -128)
      return false;
    return R.Kind == RuleKind::Sp ? R.CfaOffset + 8 * int32_t(R.FpSlot) >= 0
                                  : R.FpSlot >= LowestFromFp;
  }

  /// Bits 0-2 kind, 3-6 flags, 7-31 code, 32-39 slot of rbp from the CFA in
  /// words, 40-63 offset of the CFA in bytes.
  uint64_t Bits = 0;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_UNWIND_CODEWORD_H

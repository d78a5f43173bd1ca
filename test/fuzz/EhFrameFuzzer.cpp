// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes unwind tables.
//
// The input: four bytes for a pc, relative to the header; two bytes for the
// size of .eh_frame_hdr; .eh_frame_hdr; the remainder is .eh_frame. The fuzzer
// compiles the rules of this pc and of the header's first functions, and takes
// the exact step: both must agree. No byte outside the input may be read.
//
// A seed is six bytes, then the bytes from the start of .eh_frame_hdr to the
// end of .eh_frame of a small program.

#include "Unwind/Rule.h"

#include <cstdlib>
#include <cstring>
#include <memory>

using namespace memkit::capture;

namespace {
uint64_t wordAt(uint64_t Address) {
  uint64_t X = Address * 0x9e3779b97f4a7c15u;
  return X ^ X >> 29;
}

/// Reads fail for one word in 16.
bool readWord(const void *, uintptr_t Address, void *To, size_t Bytes) {
  uint64_t Word = wordAt(Address);
  if (Word % 16 == 0)
    return false;
  memcpy(To, &Word, Bytes);
  return true;
}

Registers registersAt(uintptr_t Pc) {
  Registers R;
  for (unsigned I = 0; I < Registers::Count; ++I)
    R.set(I, wordAt(I));
  R.set(Registers::Pc, Pc);
  R.ExactPc = true;
  return R;
}

void check(bool Holds) {
  if (!Holds)
    abort();
}

/// Checks that \p R and the exact step find the same caller.
void compare(const Rule &R, const Registers &Frame, StepResult Result,
             const Registers &Caller) {
  switch (R.Kind) {
  case RuleKind::None:
    return check(Result == StepResult::Failed);
  case RuleKind::End:
    return check(Result == StepResult::End);
  case RuleKind::Slow:
    return check(Result != StepResult::End);
  case RuleKind::Empty:
    abort();
  default:
    break;
  }
  check(Result == StepResult::Stepped || Result == StepResult::Failed);
  if (Result == StepResult::Failed) // unreadable memory
    return;
  check(Caller.ExactPc == R.isSignalFrame());
  uint64_t Cfa = Caller.Values[Registers::Sp];
  if (R.Kind == RuleKind::Sp || R.Kind == RuleKind::Fp) {
    unsigned Base = R.Kind == RuleKind::Sp ? Registers::Sp : Registers::Fp;
    check(Cfa == Frame.Values[Base] + int64_t(R.CfaOffset));
  }
  if (R.Kind == RuleKind::Realigned)
    check(Cfa == wordAt(Frame.Values[Registers::Fp] + int64_t(R.CfaOffset)));
  if (R.Kind != RuleKind::Signal)
    check(Caller.Values[Registers::Pc] == wordAt(Cfa - 8));
  if (R.savesFp() && Caller.knows(Registers::Fp))
    check(Caller.Values[Registers::Fp] == wordAt(Cfa + 8 * int64_t(R.FpSlot)));
}

void fuzzPc(const EhFrame &Tables, uintptr_t Pc, CfaCursors &Known) {
  AddressRange Same;
  Rule R = compileRule(Tables, Pc, Same);
  check(Same.Start == Same.End || Same.has(Pc));
  // Goes on from an earlier pc, and then from the pc itself.
  AddressRange Again;
  Rule Resumed = compileRule(Tables, Pc, Same, &Known);
  check(compileRule(Tables, Pc, Again, &Known) == Resumed);
  check(Same.Start == Again.Start && Same.End == Again.End);
  const Registers Frame = registersAt(Pc);
  Registers Caller = Frame;
  StepResult Result = stepSlow(Tables, Caller, {readWord, nullptr});
  compare(R, Frame, Result, Caller);
  Caller = Frame;
  Caller.Known = 1u << Registers::Pc | 1u << Registers::Sp;
  stepSlow(Tables, Caller, {readWord, nullptr});
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (Size < 6)
    return 0;
  int32_t PcOffset;
  uint16_t HeaderSize;
  memcpy(&PcOffset, Data, 4);
  memcpy(&HeaderSize, Data + 4, 2);
  Data += 6;
  Size -= 6;
  if (HeaderSize > Size)
    return 0;
  // The copy has the exact size, so the sanitizer sees reads beyond its end.
  std::unique_ptr<uint8_t[]> Copy(new uint8_t[Size]);
  memcpy(Copy.get(), Data, Size);
  uintptr_t Start = uintptr_t(Copy.get());
  AddressRange Header{Start, Start + HeaderSize};
  EhFrame Tables;
  if (!readEhFrame(Header, {Header.End, Start + Size}, {1, ~uintptr_t(0)},
                   Tables))
    return 0;
  CfaCursors Known;
  fuzzPc(Tables, Start + int64_t(PcOffset), Known);
  for (uint32_t I = 0; I < Tables.TableSize && I < 4; ++I) {
    int32_t Function;
    memcpy(&Function, reinterpret_cast<const char *>(Tables.Table) + I * 8, 4);
    fuzzPc(Tables, Start + int64_t(Function), Known);
    fuzzPc(Tables, Start + int64_t(Function) + (PcOffset & 63), Known);
  }
  return 0;
}

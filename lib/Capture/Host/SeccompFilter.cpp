// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a seccomp filter does with a system call.

#include "SeccompFilter.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

namespace {
/// A run of a filter's program. Jumps lead forward only, so each run ends.
class FilterRun {
public:
  explicit FilterRun(const seccomp_data &Data) : Data(Data) {}

  /// The filter's answer; false: no valid program.
  bool run(const sock_fprog &Filter, uint32_t &Answer);

private:
  bool load(const sock_filter &I, uint32_t &To) const;
  bool compute(const sock_filter &I);
  bool jumps(const sock_filter &I) const;

  const seccomp_data &Data;
  uint32_t A = 0, X = 0, Memory[BPF_MEMWORDS] = {};
};
} // namespace

bool FilterRun::load(const sock_filter &I, uint32_t &To) const {
  switch (BPF_MODE(I.code)) {
  case BPF_IMM:
    To = I.k;
    return true;
  case BPF_LEN:
    To = sizeof(Data);
    return true;
  case BPF_MEM:
    if (I.k >= BPF_MEMWORDS)
      return false;
    To = Memory[I.k];
    return true;
  case BPF_ABS:
    if (I.k % 4 != 0 || I.k >= sizeof(Data))
      return false;
    memcpy(&To, reinterpret_cast<const char *>(&Data) + I.k, sizeof(To));
    return true;
  default:
    return false;
  }
}

bool FilterRun::compute(const sock_filter &I) {
  uint32_t By = BPF_SRC(I.code) == BPF_X ? X : I.k;
  switch (BPF_OP(I.code)) {
  case BPF_ADD:
    A += By;
    return true;
  case BPF_SUB:
    A -= By;
    return true;
  case BPF_MUL:
    A *= By;
    return true;
  case BPF_DIV:
    A = By ? A / By : 0;
    return By;
  case BPF_AND:
    A &= By;
    return true;
  case BPF_OR:
    A |= By;
    return true;
  case BPF_XOR:
    A ^= By;
    return true;
  case BPF_LSH:
    A = By < 32 ? A << By : 0;
    return true;
  case BPF_RSH:
    A = By < 32 ? A >> By : 0;
    return true;
  case BPF_NEG:
    A = -A;
    return true;
  default:
    return false;
  }
}

bool FilterRun::jumps(const sock_filter &I) const {
  uint32_t With = BPF_SRC(I.code) == BPF_X ? X : I.k;
  switch (BPF_OP(I.code)) {
  case BPF_JEQ:
    return A == With;
  case BPF_JGT:
    return A > With;
  case BPF_JGE:
    return A >= With;
  default: // BPF_JSET
    return A & With;
  }
}

bool FilterRun::run(const sock_fprog &Filter, uint32_t &Answer) {
  for (uint32_t At = 0; At < Filter.len; ++At) {
    const sock_filter &I = Filter.filter[At];
    bool IsGood = true;
    switch (BPF_CLASS(I.code)) {
    case BPF_RET:
      Answer = BPF_RVAL(I.code) == BPF_A ? A : I.k;
      return true;
    case BPF_LD:
      IsGood = load(I, A);
      break;
    case BPF_LDX:
      IsGood = load(I, X);
      break;
    case BPF_ST:
    case BPF_STX:
      IsGood = I.k < BPF_MEMWORDS;
      if (IsGood)
        Memory[I.k] = BPF_CLASS(I.code) == BPF_ST ? A : X;
      break;
    case BPF_ALU:
      IsGood = compute(I);
      break;
    case BPF_JMP:
      if (BPF_OP(I.code) == BPF_JA)
        At += I.k < Filter.len ? I.k : Filter.len;
      else
        At += jumps(I) ? I.jt : I.jf;
      break;
    case BPF_MISC:
      if (BPF_MISCOP(I.code) == BPF_TAX)
        X = A;
      else
        A = X;
      break;
    }
    if (!IsGood)
      return false;
  }
  return false;
}

bool capture::runFilter(const sock_fprog &Filter, const seccomp_data &Data,
                        uint32_t &Answer) {
  return FilterRun(Data).run(Filter, Answer);
}

bool capture::passesFilter(const sock_fprog &Filter, const seccomp_data &Data) {
  uint32_t Answer;
  if (!runFilter(Filter, Data, Answer))
    return true;
  switch (Answer & SECCOMP_RET_ACTION_FULL) {
  case SECCOMP_RET_ALLOW:
  case SECCOMP_RET_LOG:
  case SECCOMP_RET_ERRNO:
    return true;
  default:
    return false;
  }
}

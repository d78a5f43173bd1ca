// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters answer as in the kernel.

#include "Host/SeccompFilter.h"

#include "gtest/gtest.h"
#include <cerrno>
#include <cstddef>
#include <random>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace memkit::capture;

namespace {

using Code = std::vector<sock_filter>;

sock_filter op(unsigned Op, uint32_t K = 0, uint8_t True = 0,
               uint8_t False = 0) {
  return {uint16_t(Op), True, False, K};
}

sock_fprog programOf(Code &C) {
  return {static_cast<unsigned short>(C.size()), C.data()};
}

constexpr long Asked = SYS_times;
constexpr uint32_t Nr = offsetof(seccomp_data, nr);
constexpr uint32_t MaxErrno = 4095;

/// Random steps for calls of Asked, whose result is an errno; other calls pass.
Code randomCode(std::mt19937 &Random) {
  auto Below = [&](uint32_t N) { return uint32_t(Random() % N); };
  Code C = {op(BPF_LD | BPF_W | BPF_ABS, Nr),
            op(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(Asked), 1, 0),
            op(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  // The kernel wants memory to be written before it is read.
  for (uint32_t M = 0; M != BPF_MEMWORDS; ++M)
    C.push_back(op(M % 2 ? BPF_ST : BPF_STX, M));
  static constexpr unsigned Alu[] = {BPF_ADD, BPF_SUB, BPF_MUL,
                                     BPF_AND, BPF_OR,  BPF_XOR};
  static constexpr unsigned Jumps[] = {BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET};
  uint32_t Steps = 5 + Below(40);
  for (uint32_t I = 0; I != Steps; ++I) {
    uint32_t Left = Steps - I - 1;
    auto Skip = [&] {
      return uint8_t(Left ? Below(std::min(Left + 1, 255u)) : 0);
    };
    unsigned From = Below(2) ? BPF_X : BPF_K;
    switch (Below(10)) {
    case 0:
      C.push_back(
          op(BPF_LD | BPF_W | BPF_ABS, 4 * Below(sizeof(seccomp_data) / 4)));
      break;
    case 1:
      C.push_back(op(BPF_LDX | BPF_IMM, Random()));
      break;
    case 2:
      C.push_back(
          op((Below(2) ? BPF_LD : BPF_LDX) | BPF_MEM, Below(BPF_MEMWORDS)));
      break;
    case 3:
      C.push_back(op(Below(2) ? BPF_ST : BPF_STX, Below(BPF_MEMWORDS)));
      break;
    case 4:
      C.push_back(
          op(BPF_ALU | (Below(2) ? BPF_LSH : BPF_RSH) | BPF_K, Below(32)));
      break;
    case 5:
      C.push_back(op(BPF_ALU | BPF_NEG));
      break;
    case 6:
      C.push_back(op(BPF_MISC | (Below(2) ? BPF_TAX : BPF_TXA)));
      break;
    case 7:
      C.push_back(op(BPF_JMP | Jumps[Below(4)] | From, Random() >> Below(32),
                     Skip(), Skip()));
      break;
    case 8:
      C.push_back(Below(4) ? op(BPF_ALU | BPF_DIV | BPF_K, 1 + Below(9))
                           : op(BPF_JMP | BPF_JA, Skip()));
      break;
    default:
      C.push_back(op(BPF_ALU | Alu[Below(6)] | From, Random() >> Below(32)));
    }
  }
  C.push_back(op(BPF_ALU | BPF_AND | BPF_K, MaxErrno));
  C.push_back(op(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO));
  C.push_back(op(BPF_RET | BPF_A));
  return C;
}

/// The kernel's errno of the call Asked with Args in a child with the filter;
/// -1: the kernel refuses the filter.
int kernelErrno(Code &C, const uint64_t *Args) {
  int Pipe[2];
  if (pipe(Pipe))
    return -2;
  if (pid_t Child = fork(); !Child) {
    sock_fprog Filter = programOf(C);
    int Answer = -1;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Filter, 0, 0)) {
      errno = 0;
      syscall(Asked, Args[0], Args[1], Args[2], Args[3], Args[4], Args[5]);
      Answer = errno;
    }
    _exit(write(Pipe[1], &Answer, sizeof(Answer)) != sizeof(Answer));
  } else {
    int Answer = -3;
    close(Pipe[1]);
    if (read(Pipe[0], &Answer, sizeof(Answer)) != sizeof(Answer))
      Answer = -4;
    close(Pipe[0]);
    waitpid(Child, nullptr, 0);
    return Answer;
  }
}

TEST(SeccompFilter, AnswersAsTheKernel) {
  std::mt19937 Random(20261127);
  unsigned Compared = 0;
  for (unsigned I = 0; I != 400; ++I) {
    Code C = randomCode(Random);
    seccomp_data Data = {};
    Data.nr = int(Asked);
    Data.arch = 0xc000003e; // AUDIT_ARCH_X86_64
    for (auto &Arg : Data.args)
      Arg = uint64_t(Random()) << 32 | Random();
    // The call's address is not known here.
    constexpr uint32_t Ip = offsetof(seccomp_data, instruction_pointer);
    for (sock_filter &S : C)
      if (S.code == (BPF_LD | BPF_W | BPF_ABS) && (S.k == Ip || S.k == Ip + 4))
        S.k = Nr;
    uint64_t Args[6];
    std::copy(std::begin(Data.args), std::end(Data.args), Args);
    int Kernel = kernelErrno(C, Args);
    if (Kernel == -1)
      continue; // no rights, or refused
    uint32_t Answer = 0;
    ASSERT_TRUE(runFilter(programOf(C), Data, Answer)) << I;
    EXPECT_EQ(int(Answer & SECCOMP_RET_DATA), Kernel) << I;
    ++Compared;
  }
  if (!Compared)
    GTEST_SKIP() << "no filters may be set here";
  EXPECT_GT(Compared, 300u);
}

TEST(SeccompFilter, KillsTrapsAndQuestionsDoNotPass) {
  seccomp_data Data = {};
  auto Passes = [&](uint32_t Answer) {
    Code C = {op(BPF_RET | BPF_K, Answer)};
    return passesFilter(programOf(C), Data);
  };
  EXPECT_TRUE(Passes(SECCOMP_RET_ALLOW));
  EXPECT_TRUE(Passes(SECCOMP_RET_LOG));
  EXPECT_TRUE(Passes(SECCOMP_RET_ERRNO | EPERM));
  EXPECT_FALSE(Passes(SECCOMP_RET_KILL_THREAD));
  EXPECT_FALSE(Passes(SECCOMP_RET_KILL_PROCESS));
  EXPECT_FALSE(Passes(SECCOMP_RET_TRAP));
  EXPECT_FALSE(Passes(SECCOMP_RET_TRACE));
  EXPECT_FALSE(Passes(SECCOMP_RET_USER_NOTIF));
}

TEST(SeccompFilter, DamagedProgramsEnd) {
  seccomp_data Data = {};
  uint32_t Answer;
  Code Bad[] = {{},
                {op(BPF_JMP | BPF_JA, ~0u)},
                {op(BPF_LD | BPF_W | BPF_ABS, 64), op(BPF_RET | BPF_A)},
                {op(BPF_LD | BPF_MEM, BPF_MEMWORDS), op(BPF_RET | BPF_A)},
                {op(BPF_ST, 99)},
                {op(BPF_ALU | BPF_DIV | BPF_X), op(BPF_RET | BPF_A)},
                {op(BPF_LD | BPF_IMM, 1)}};
  for (Code &C : Bad)
    EXPECT_FALSE(runFilter(programOf(C), Data, Answer));
}

} // namespace

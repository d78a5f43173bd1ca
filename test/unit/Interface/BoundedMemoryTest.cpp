// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hostile traces in a process that may have little memory (ulimit -v): every
// question ends in an answer or an error.

#include "Inputs/ask-all.h"
#include "TextFd.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>
#include <random>
#include <sys/resource.h>

using namespace llvm;

namespace {

#if LLVM_ADDRESS_SANITIZER_BUILD || LLVM_THREAD_SANITIZER_BUILD
constexpr bool HasLimits = false; // a sanitizer maps terabytes
constexpr int Rounds = 60;
#else
constexpr bool HasLimits = true;
constexpr int Rounds = 400;
#endif

/// The address space that this process may have from now on: what it has, and
/// Bytes more.
class MemoryLimit {
public:
  explicit MemoryLimit(uint64_t Bytes) {
    getrlimit(RLIMIT_AS, &Before);
    rlimit Now = Before;
    Now.rlim_cur = mappedBytes() + Bytes;
    if (HasLimits)
      setrlimit(RLIMIT_AS, &Now);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &Before); }

private:
  static uint64_t mappedBytes() {
    FILE *F = fopen("/proc/self/statm", "r");
    unsigned long Pages = 0;
    EXPECT_EQ(fscanf(F, "%lu", &Pages), 1);
    fclose(F);
    return uint64_t(Pages) * 4096;
  }
  rlimit Before;
};

/// Text with some of its numbers replaced.
std::string mutate(StringRef Text, std::mt19937_64 &Random) {
  static const char *const Numbers[] = {"0",          "1",
                                        "2",          "7",
                                        "65535",      "2147483648",
                                        "4294967295", "9223372036854775807",
                                        "1000000000", "18446744073709551615"};
  std::string Out;
  unsigned Rarity = 20u << Random() % 5;
  while (!Text.empty()) {
    size_t Digits = Text.take_while(isDigit).size();
    if (Digits && Random() % Rarity == 0)
      Out += Numbers[Random() % std::size(Numbers)];
    else
      Out += Text.take_front(Digits);
    Text = Text.drop_front(Digits);
    StringRef Other = Text.take_until(isDigit);
    Out += Other;
    Text = Text.drop_front(Other.size());
  }
  return Out;
}

std::string readText(StringRef Name) {
  auto Buffer = MemoryBuffer::getFile(Twine(MEMKIT_TESTS_FOLDER) + "/" + Name);
  EXPECT_TRUE(bool(Buffer)) << Name.str();
  return Buffer ? (*Buffer)->getBuffer().str() : "";
}

TEST(BoundedMemory, HostileTraces) {
  std::vector<std::string> Seeds = {
      readText("tools/memas/Inputs/example.mas"),
      readText("tools/memview/page/Inputs/training.mas"),
      readText("tools/memleak/growth.mas"), readText("tools/memdump/oom.mas")};
  std::mt19937_64 Random(7);
  Errors = Batches = 0;
  for (int Round = 0; Round != Rounds; ++Round) {
    int Fd = textFd(mutate(Seeds[Round % Seeds.size()], Random));
    uint64_t Bytes = uint64_t(64) << 10 << Random() % 12; // to 128 MiB
    MemoryLimit Limit(Bytes);
    memkit_trace *T;
    if (!fine(memkit_trace_open_fd(Fd, "hostile", &T)))
      continue;
    askAll(T);
    memkit_trace_free(T);
  }
  EXPECT_GT(Errors, 0);
  EXPECT_GT(Batches, Rounds);
}

} // namespace

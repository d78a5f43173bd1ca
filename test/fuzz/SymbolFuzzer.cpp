// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the finding of names in ELF files with the limits of memrec: whatever
// a file holds, the process that asks goes on soon, and no process takes much
// memory. LLVM's reader may crash, in a process of its own.

#include "Symbolize/NameProcess.h"
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace memkit;
using namespace llvm;

namespace {
constexpr NameLimits Limits = {.PrivateBytes = 56 << 20,
                               .IdleMs = 500,
                               .DataBytes = 512 << 20,
                               .SectionBytes = 256 << 20};
/// With what sanitizers add.
constexpr long MaxKiB = 3 << 20;
constexpr std::chrono::seconds MaxTime(30);

/// The names of some addresses of a file with these bytes, whose path no file
/// had before.
void findNames(NameProcess &P, ArrayRef<uint8_t> Bytes) {
  static unsigned Number;
  std::string Path = "/dev/shm/memkit-fuzz." + std::to_string(getpid()) + "." +
                     std::to_string(Number++);
  int File = open(Path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (File < 0 ||
      write(File, Bytes.data(), Bytes.size()) != ssize_t(Bytes.size()))
    abort();
  close(File);
  SymbolFiles Files;
  Files.Debug = Files.Symbols = Path;
  std::vector<uint64_t> Addresses;
  for (uint64_t Address = 0; Address != 0x3000; Address += 0x80)
    Addresses.push_back(Address);
  P.resolveOrTable(Files, Addresses,
                   [](size_t, std::vector<SourceLocation>) {});
  unlink(Path.c_str());
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  auto Begin = std::chrono::steady_clock::now();
  {
    // The resources of a process count when it has ended.
    NameProcess P(Limits);
    P.start();
    P.setPatience(1000);
    findNames(P, ArrayRef(Data, Size));
  }
  rusage Children = {};
  getrusage(RUSAGE_CHILDREN, &Children);
  if (Children.ru_maxrss > MaxKiB ||
      std::chrono::steady_clock::now() - Begin > MaxTime)
    abort();
  return 0;
}

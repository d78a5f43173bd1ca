// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sink in memory that other processes can map.

#include "Output/MemorySink.h"
#include "Support/Failure.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

Expected<std::unique_ptr<MemorySink>> MemorySink::create(const char *Name) {
  Descriptor Fd(memfd_create(Name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!Fd)
    return failErrno("memfd_create");
  return std::unique_ptr<MemorySink>(new MemorySink(std::move(Fd)));
}

void MemorySink::seal() {
  fcntl(Fd.get(), F_ADD_SEALS,
        F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
}

Error MemorySink::write(StringRef Bytes) {
  while (IsWhole && !Bytes.empty()) {
    ssize_t N = ::write(Fd.get(), Bytes.data(), Bytes.size());
    if (N < 0 && errno == EINTR)
      continue;
    IsWhole = N > 0;
    if (IsWhole)
      Bytes = Bytes.drop_front(size_t(N));
  }
  return Error::success();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapped files that become shorter.

#include "ShrunkFiles.h"
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

static uintptr_t PageSize;

/// A page beyond the end of its file becomes a page of zeros. Any other cause
/// ends the program as before: the access repeats, and fails again.
static void onBusError(int Signal, siginfo_t *Info, void *) {
  int Saved = errno;
  auto Address = reinterpret_cast<uintptr_t>(Info->si_addr);
  void *Page = reinterpret_cast<void *>(Address & ~(PageSize - 1));
  bool IsBeyondEnd = Signal == SIGBUS && Info->si_code == BUS_ADRERR;
  if (!IsBeyondEnd ||
      mmap(Page, PageSize, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
           -1, 0) == MAP_FAILED)
    signal(SIGBUS, SIG_DFL);
  errno = Saved;
}

void memkit::readShrunkFilesAsZeros() {
  PageSize = uintptr_t(sysconf(_SC_PAGESIZE));
  struct sigaction Action = {};
  Action.sa_sigaction = onBusError;
  Action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &Action, nullptr);
}

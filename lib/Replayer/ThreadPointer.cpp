// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The register that makes a thread find its thread-local data.

#include "ThreadPointer.h"
#include <asm/prctl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace memkit;

ThreadPointer::ThreadPointer() {
  constexpr unsigned long MayWriteBase = 2; // HWCAP2_FSGSBASE
  HasInstruction = getauxval(AT_HWCAP2) & MayWriteBase;
}

void ThreadPointer::set(void *To) const {
  if (HasInstruction)
    asm volatile("wrfsbase %0" : : "r"(To) : "memory");
  else
    syscall(SYS_arch_prctl, ARCH_SET_FS, To);
}

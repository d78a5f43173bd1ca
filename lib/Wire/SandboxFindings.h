// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why the recording of a process ends in a sandbox.

#ifndef MEMKIT_LIB_WIRE_SANDBOXFINDINGS_H
#define MEMKIT_LIB_WIRE_SANDBOXFINDINGS_H

#include "Findings.h"
#include <sys/syscall.h>

namespace memkit::wire {

/// Why recording ends in a sandbox: 1 + the number of the system call for which
/// a seccomp filter kills the program, or one of these.
inline constexpr uint32_t StrictSandbox = ~0u;      ///< seccomp's strict mode
inline constexpr uint32_t NoClockSandbox = ~0u - 1; ///< no rdtsc

constexpr FindingText sandboxText(uint32_t Code, const char *Text) {
  return {Code, FindingLevel::Alert, Text};
}
inline constexpr FindingText SandboxTexts[] = {
    sandboxText(
        StrictSandbox,
        "it enters a sandbox, seccomp's strict mode: its recording ends here"),
    sandboxText(
        NoClockSandbox,
        "it enters a sandbox, no clock (PR_SET_TSC): its recording ends here"),
    sandboxText(SYS_rt_sigprocmask + 1,
                "it enters a sandbox, a seccomp filter that kills on "
                "rt_sigprocmask: its recording ends here"),
    sandboxText(SYS_nanosleep + 1,
                "it enters a sandbox, a seccomp filter that kills on "
                "nanosleep: its recording ends here"),
    sandboxText(SYS_mmap + 1, "it enters a sandbox, a seccomp filter that "
                              "kills on mmap: its recording ends here"),
    sandboxText(SYS_munmap + 1, "it enters a sandbox, a seccomp filter that "
                                "kills on munmap: its recording ends here"),
    sandboxText(SYS_mremap + 1, "it enters a sandbox, a seccomp filter that "
                                "kills on mremap: its recording ends here"),
    sandboxText(SYS_madvise + 1, "it enters a sandbox, a seccomp filter that "
                                 "kills on madvise: its recording ends here"),
    sandboxText(SYS_getpid + 1, "it enters a sandbox, a seccomp filter that "
                                "kills on getpid: its recording ends here"),
    sandboxText(SYS_gettid + 1, "it enters a sandbox, a seccomp filter that "
                                "kills on gettid: its recording ends here"),
    sandboxText(SYS_clock_gettime + 1,
                "it enters a sandbox, a seccomp filter that kills on "
                "clock_gettime: its recording ends here"),
    sandboxText(
        AnyCode,
        "it enters a sandbox, a seccomp filter: its recording ends here"),
};

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_SANDBOXFINDINGS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a seccomp filter does with a system call.
//
// Runs the filter's program as the kernel does (Linux,
// Documentation/userspace-api/seccomp_filter.rst; kernel/seccomp.c has the
// permitted instructions of classic BPF).

#ifndef MEMKIT_CAPTURE_HOST_SECCOMPFILTER_H
#define MEMKIT_CAPTURE_HOST_SECCOMPFILTER_H

#include <cstdint>
#include <linux/filter.h>
#include <linux/seccomp.h>

namespace memkit::capture {

/// Runs \p Filter on the call of \p Data. \p Answer: the filter's
/// (SECCOMP_RET_*). False: a program that the kernel does not accept. \p
/// Filter: readable. Allocates nothing.
bool runFilter(const sock_fprog &Filter, const seccomp_data &Data,
               uint32_t &Answer);

/// Does the filter let the call of \p Data through, or fail it with an errno?
/// False: the filter kills the thread or process, sends a signal, or asks
/// another process. True also for a program that the kernel does not accept.
bool passesFilter(const sock_fprog &Filter, const seccomp_data &Data);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_SECCOMPFILTER_H

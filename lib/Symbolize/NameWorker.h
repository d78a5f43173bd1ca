// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes that find names.

#ifndef MEMKIT_LIB_SYMBOLIZE_NAMEWORKER_H
#define MEMKIT_LIB_SYMBOLIZE_NAMEWORKER_H

#include <cstdint>

namespace memkit {

/// What a process that finds names may take.
struct NameLimits {
  /// A worker with more private memory ends, and another one goes on: LLVM
  /// keeps all entries of each unit of debug information.
  uint64_t PrivateBytes = uint64_t(2) << 30;
  /// A worker without a question for this time ends.
  int IdleMs = 60'000;
  /// Address space of a worker beyond what it begins with. A question that
  /// needs more has no answer.
  uint64_t AddressBytes = uint64_t(24) << 30;
  /// Writable memory of a worker beyond what it begins with; likewise. Mapped
  /// files do not count.
  uint64_t DataBytes = uint64_t(16) << 30;
};

/// Answers the questions of the socket Questions through the pipe Answers,
/// until the socket has no other end. Workers answer, one after the other,
/// each a child of this process; a question that ends a worker has no answer.
/// Called in a child of fork, without other threads. Closes all other files.
[[noreturn]] void serveNames(int Questions, int Answers, NameLimits Limits);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_NAMEWORKER_H

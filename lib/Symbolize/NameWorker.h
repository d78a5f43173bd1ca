// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes that find names.

#ifndef MEMKIT_LIB_SYMBOLIZE_NAMEWORKER_H
#define MEMKIT_LIB_SYMBOLIZE_NAMEWORKER_H

#include <atomic>
#include <cstdint>

namespace memkit {

/// What a process that finds names may take.
struct NameLimits {
  /// A worker with more private memory ends, and another one goes on: LLVM
  /// keeps all entries of each unit of debug information.
  uint64_t PrivateBytes = uint64_t(2) << 30;
  /// A worker without a question for this time ends.
  int IdleMs = 60'000;
  /// Private memory of a worker beyond what it begins with, for which the
  /// kernel stands. A file that needs more is not read again.
  uint64_t DataBytes = uint64_t(8) << 30;
  /// Compressed sections of one set of files when they are decompressed. DWARF
  /// of 32 bits cannot refer to more.
  uint64_t SectionBytes = uint64_t(4) << 30;
};

/// What a file that is read may take, in memory that the asking process and its
/// workers share: the asking process may change it while a worker works.
struct NamePatience {
  /// Processor time for the files of a question, in ms: some more for each
  /// answer. Files that take more are not read again.
  std::atomic<uint32_t> FileMs = 300'000;
};

/// Answers the questions of the socket Questions through the pipe Answers,
/// until the socket has no other end. Workers answer, one after the other,
/// each a child of this process; a question that ends a worker has no answer.
/// Called in a child of fork, without other threads. Closes all other files.
[[noreturn]] void serveNames(int Questions, int Answers, NameLimits Limits,
                             const NamePatience &Patience);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_NAMEWORKER_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape of a synthetic trace.

#ifndef MEMKIT_UTILS_GENTRACE_SHAPE_H
#define MEMKIT_UTILS_GENTRACE_SHAPE_H

#include "memkit/Trace/TraceWriter.h"

namespace memkit::gentrace {

struct Shape {
  uint64_t Events = 1'000'000;
  uint32_t Stacks = 10'000;
  uint32_t Nodes = 40'000;
  uint32_t Heaps = 4;
  uint32_t Processes = 1;
  uint32_t Threads = 4; ///< of each process
  uint32_t Steps = 0;
  uint64_t Live = 100'000; ///< approximate number of live blocks
  uint64_t Seed = 1;
  bool Nested = false;    ///< blocks of some heaps lie in blocks of others
  bool Addresses = false; ///< record addresses
};

/// Writes the dictionary of code: strings, binaries, functions, frames,
/// symbols, stacks. Sets HeapNames to the string ids of the heaps' names.
llvm::Error writeNames(const Shape &S, TraceWriter &Out,
                       std::vector<uint32_t> &HeapNames);
/// Writes processes, heaps, threads, events, and everything computed from them.
llvm::Error writeProgram(const Shape &S, TraceWriter &Out,
                         const std::vector<uint32_t> &HeapNames);

} // namespace memkit::gentrace

#endif // MEMKIT_UTILS_GENTRACE_SHAPE_H

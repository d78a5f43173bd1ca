// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rebuilds the records behind a trace.

#ifndef MEMKIT_UTILS_RECBENCH_STREAM_H
#define MEMKIT_UTILS_RECBENCH_STREAM_H

#include "Wire/Layout.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace memkit {

/// The records and tables of a traced program, as far as the trace holds them.
/// Times, sizes, stacks and threads are the program's; addresses are synthetic
/// (a block takes the address of the last freed block of the same size class).
/// Python's objects are in arenas that are mapped for them, blocks of all other
/// heaps are of malloc. Reallocations in place are left out. Layers, operators
/// and ranges begin and end as the trace says; without nodes of autograd, which
/// begin as operators.
struct Stream {
  struct Item {
    wire::Record R;    ///< Tsc: ns
    uint32_t Ring = 0; ///< by thread
  };
  std::vector<Item> Items;
  uint32_t NumRings = 0;
  /// (Parent, code) of each node; entry 0 is unused. Codes are from 1.
  std::vector<std::pair<uint32_t, uint32_t>> Nodes;
  uint32_t NumCodes = 0;
  /// Names of scopes, with their numbers.
  std::vector<std::pair<uint32_t, std::string>> Texts;
  uint64_t NumScopes = 0;
};

/// The stream of the process with the most events in the trace Path. Errors:
/// TraceError, or a trace without events.
llvm::Expected<Stream> makeStream(llvm::StringRef Path, bool WithScopes);

} // namespace memkit

#endif // MEMKIT_UTILS_RECBENCH_STREAM_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was written, section by section.
//
// A writer keeps what the index will say until the trace ends, so this is what
// its memory grows with. Entries are kept as differences to the one before, in
// varints: about 17 bytes for a section of events, 10 for another. They stand
// in chunks that never move, so that growing leaves no holes behind.

#ifndef MEMKIT_LIB_TRACE_INDEXLOG_H
#define MEMKIT_LIB_TRACE_INDEXLOG_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstddef>
#include <memory>
#include <vector>

namespace memkit {

/// The SectionInfos of a file, in order, to be read from the first on. Keeps
/// all of each but Offset, which the sizes tell; any values are kept exactly.
class IndexLog {
public:
  void add(const SectionInfo &B);
  /// How many there are.
  size_t size() const { return Count; }
  /// Memory that they take.
  size_t bytes() const { return Chunks.size() * (ChunkBytes + sizeof(void *)); }
  /// Calls F with each, in order. F must not change the log.
  void forEach(llvm::function_ref<void(const SectionInfo &)> F) const;

private:
  static constexpr size_t ChunkBytes = 4096;
  /// What entries differ from: the last that had such a value.
  struct Base {
    uint32_t Process = 0, Epoch = 0;
    uint64_t EndNs = 0;
  };
  std::vector<std::unique_ptr<uint8_t[]>> Chunks;
  size_t Used = ChunkBytes; ///< of the last chunk; no entry crosses two
  size_t Count = 0;
  Base Last;
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_INDEXLOG_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of the sections written so far.
//
// A writer keeps the entries of the index until the trace ends, so its memory
// grows with the number of sections. An entry holds the differences to the
// entry before, as varints: about 17 bytes for a section of events, 10 for
// other kinds. Entries lie in chunks that never move, so growth does not
// fragment the heap.

#ifndef MEMKIT_LIB_TRACE_INDEXLOG_H
#define MEMKIT_LIB_TRACE_INDEXLOG_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memkit {

/// The SectionInfos of a file, readable in order from the first. Offset is not
/// kept, since the sizes imply it; all other values are kept exactly.
class IndexLog {
public:
  void add(const SectionInfo &B);
  /// The number of sections.
  size_t size() const { return Count; }
  /// The memory that the log uses.
  size_t bytes() const { return Chunks.size() * (ChunkBytes + sizeof(void *)); }
  /// Calls F for each section, in order. F must not change the log.
  void forEach(llvm::function_ref<void(const SectionInfo &)> F) const;
  /// The entries, for load() in another process.
  std::string save() const;
  /// The sections of save(), with their offsets; nothing: Bytes are not valid,
  /// or have more than MaxLoaded sections.
  static std::optional<std::vector<SectionInfo>> load(llvm::StringRef Bytes);

  static constexpr size_t MaxLoaded = 2 << 20;

private:
  static constexpr size_t ChunkBytes = 4096;
  static_assert(ChunkBytes > 80, "an entry fits a chunk");
  /// The values to which the next entry's differences refer.
  struct Base {
    uint32_t Process = 0, Epoch = 0;
    uint64_t EndNs = 0;
  };
  static bool readChunk(const uint8_t *In, Base &Before,
                        llvm::function_ref<void(const SectionInfo &)> F);
  std::vector<std::unique_ptr<uint8_t[]>> Chunks;
  /// Bytes of the last chunk; no entry crosses two chunks.
  size_t Used = ChunkBytes;
  size_t Count = 0;
  Base Last;
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_INDEXLOG_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers and build-id of a mapped binary.

#ifndef MEMKIT_CAPTURE_STACKS_MAPPEDELF_H
#define MEMKIT_CAPTURE_STACKS_MAPPEDELF_H

#include <cstddef>
#include <cstdint>
#include <elf.h>

namespace memkit::capture {

/// The program headers, if the file's first page is mapped at \p Start and
/// contains them; else null.
const Elf64_Phdr *programHeaders(uint64_t Start, size_t &Count);

struct BuildId {
  const void *At;
  uint32_t Size; ///< at most the size of wire::Binary::BuildId; 0: none
};

/// Searches the mapped notes of the binary at [\p Start, \p End).
BuildId findBuildId(uint64_t Start, uint64_t End, uint64_t Bias);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_MAPPEDELF_H

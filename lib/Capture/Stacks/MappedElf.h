// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a mapped binary says of itself.

#ifndef MEMKIT_CAPTURE_STACKS_MAPPEDELF_H
#define MEMKIT_CAPTURE_STACKS_MAPPEDELF_H

#include <cstddef>
#include <cstdint>
#include <elf.h>

namespace memkit::capture {

/// The program headers, where the file's first page is mapped at \p Start and
/// has them; null: it is not.
const Elf64_Phdr *programHeaders(uint64_t Start, size_t &Count);

struct BuildId {
  const void *At;
  uint32_t Size; ///< at most that of wire::Binary::BuildId; 0: there is none
};

/// In the mapped notes of the binary at [\p Start, \p End).
BuildId findBuildId(uint64_t Start, uint64_t End, uint64_t Bias);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_MAPPEDELF_H

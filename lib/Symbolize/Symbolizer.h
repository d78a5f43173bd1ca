// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses in binaries to source code.

#ifndef MEMKIT_LIB_SYMBOLIZE_SYMBOLIZER_H
#define MEMKIT_LIB_SYMBOLIZE_SYMBOLIZER_H

#include "Trace/NameTable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace memkit {

/// Resolves addresses in bounded memory. One thread at a time.
class Symbolizer {
public:
  /// CacheBytes: maximum size of the files kept mapped (one always stays).
  explicit Symbolizer(size_t CacheBytes = size_t(1) << 30);
  ~Symbolizer();

  /// Adds a binary and returns its number, from 0. The symbolizer uses the
  /// first of Places whose build-id is BuildId, or with an empty BuildId the
  /// first readable file. No file is kept open.
  unsigned addBinary(llvm::ArrayRef<uint8_t> BuildId,
                     std::vector<std::string> Places);

  /// The functions at Address (as in the binary's headers), the innermost
  /// inlined one first; empty if none is known. At most 255.
  std::vector<SourceLocation> resolve(unsigned Binary, uint64_t Address);

private:
  class Impl;
  std::unique_ptr<Impl> I;
};

/// The build-id of the ELF file at Path; empty if the file has none.
std::vector<uint8_t> readBuildId(llvm::StringRef Path);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_SYMBOLIZER_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of another tool's file, decompressed.

#ifndef MEMKIT_LIB_IMPORT_BYTESOURCE_H
#define MEMKIT_LIB_IMPORT_BYTESOURCE_H

#include "memkit/Support/ProgressCallback.h"
#include "memkit/Trace/TraceBytes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>

namespace memkit {

/// Gives bytes in their order, once. Belongs to one thread.
class ByteSource {
public:
  virtual ~ByteSource();
  /// Fills a part of To, and returns the number of bytes; 0: the end. Errors:
  /// TraceError, with the offset in the file.
  virtual llvm::Expected<size_t> read(llvm::MutableArrayRef<uint8_t> To) = 0;
  /// After an error: whether compressed data were cut off, and all before the
  /// cut has been read.
  virtual bool endsEarly() const { return false; }
};

/// A file to import. Standard input that is no file is copied to an unlinked
/// temporary file first, so that every file can be read twice.
class ImportFile {
public:
  /// Path: `-` is standard input. Errors: TraceError.
  static llvm::Expected<ImportFile> open(llvm::StringRef Path);
  /// Bytes in memory, for tests.
  static ImportFile ofMemory(llvm::StringRef Bytes, llvm::StringRef Name);

  /// For errors.
  llvm::StringRef name() const { return Bytes->name(); }
  /// The name without folders; empty for standard input.
  std::string baseName() const;
  uint64_t size() const { return Bytes->size(); }
  const std::shared_ptr<const TraceBytes> &bytes() const { return Bytes; }

  /// The file's content from the start. A file that gzip, zstd or lz4 has
  /// compressed comes out decompressed, also if compressed twice. Content
  /// beyond ImportBounds is an error.
  /// OnProgress, which is kept, learns how much of the file is read.
  llvm::Expected<std::unique_ptr<ByteSource>>
  decompressed(ProgressCallback OnProgress = {}) const;
  /// The first bytes of the content, at most Size.
  llvm::Expected<std::string> firstBytes(size_t Size) const;
  /// `gzip`, `zstd` or `lz4` if the file is compressed; empty: as it is.
  llvm::Expected<llvm::StringRef> compression() const;

private:
  explicit ImportFile(std::shared_ptr<const TraceBytes> Bytes)
      : Bytes(std::move(Bytes)) {}
  std::shared_ptr<const TraceBytes> Bytes;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_BYTESOURCE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads numbers, texts and lines from the bytes of another tool's file.

#ifndef MEMKIT_LIB_IMPORT_BYTEREADER_H
#define MEMKIT_LIB_IMPORT_BYTEREADER_H

#include "ByteSource.h"
#include "ImportBounds.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/Endian.h"
#include <optional>
#include <string>
#include <vector>

namespace memkit {

/// Reads forward. After a failure (damaged compression, the end in the middle
/// of a value) every read gives zeros or empty texts, and failed() is true: a
/// caller may check once for each record. Numbers are little-endian. Memory:
/// 1 MiB, more for a longer take(). Belongs to one thread.
class ByteReader {
public:
  /// Name: for errors.
  ByteReader(std::unique_ptr<ByteSource> From, llvm::StringRef Name);
  /// Reads the content of File, decompressed, from the start.
  static llvm::Expected<ByteReader> open(const ImportFile &File,
                                         ProgressCallback OnProgress = {});
  ByteReader(ByteReader &&) = default;

  /// The longest text of take() and line().
  static constexpr size_t MaxText = size_t(64) << 20;

  /// Of the next byte, in the decompressed data.
  uint64_t offset() const { return Base + At; }
  llvm::StringRef name() const { return Name; }
  /// Of the file that open() has read.
  const ImportBounds &bounds() const { return Bounds; }
  /// Whether all bytes are read. True after a failure.
  bool atEnd() { return At == End && !fill(1); }
  bool failed() const { return Failed; }
  /// Whether failed() because the data end in the middle of a record.
  bool endsEarly() const { return EndsEarly; }

  uint8_t u8() {
    if (LLVM_UNLIKELY(At == End) && !fillOrFail(1))
      return 0;
    return Buffer[At++];
  }
  /// The next byte without reading; 0 at the end.
  uint8_t peek() { return At != End || fill(1) ? Buffer[At] : 0; }
  uint16_t u16() { return number<uint16_t>(); }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }
  /// 7 bits a byte, lowest first; more than 64 bits are a failure.
  uint64_t varint();
  /// The next Size bytes; valid until the next read. Longer than MaxText, or
  /// than the rest of the file, is a failure.
  llvm::StringRef take(uint64_t Size);
  /// The next bytes, at most Size, without reading them; valid until the next
  /// read. Size is at most 64 KiB.
  llvm::StringRef lookAhead(size_t Size);
  /// The next bytes that are in memory, without reading them: maybe none. Valid
  /// until the next read.
  llvm::ArrayRef<uint8_t> buffered() const {
    return llvm::ArrayRef(Buffer).slice(At, End - At);
  }
  void skip(uint64_t Size);
  /// Reads no more: atEnd() is true.
  void skipRest() {
    Base += At;
    At = End = 0;
    IsLast = true;
  }
  /// The text before the next NUL, which is read, too; at most Max bytes.
  llvm::StringRef zeroTerminated(size_t Max);
  /// The next line without its end (LF or CR LF); nothing: the end, or a
  /// failure. A line longer than Max is a failure. Valid until the next read.
  std::optional<llvm::StringRef> line(size_t Max = size_t(1) << 20);
  /// Of the last line(), from 1.
  uint64_t lineNumber() const { return Line; }

  /// A TraceError at the current offset, or at At.
  llvm::Error fail(const llvm::Twine &What) const {
    return fail(What, offset());
  }
  llvm::Error fail(const llvm::Twine &What, uint64_t At) const;
  /// The reason of failed(); success if nothing has failed.
  llvm::Error takeError();
  /// takeError(), or fail(What) if nothing has failed.
  llvm::Error takeErrorOr(const llvm::Twine &What);

private:
  template <class T> T number() {
    if (LLVM_UNLIKELY(End - At < sizeof(T)) && !fillOrFail(sizeof(T)))
      return 0;
    T Value = llvm::support::endian::read<T, llvm::endianness::little>(
        Buffer.data() + At);
    At += sizeof(T);
    return Value;
  }
  /// Makes Size bytes available; false: there are fewer.
  bool fill(size_t Size);
  bool fillOrFail(size_t Size);
  void setFailed(llvm::Error E);

  std::unique_ptr<ByteSource> From;
  std::string Name;
  ImportBounds Bounds{0};
  std::vector<uint8_t> Buffer;
  size_t At = 0, End = 0; ///< in Buffer
  uint64_t Base = 0;      ///< offset of Buffer in the data
  uint64_t Line = 0;
  bool Failed = false, IsLast = false, EndsEarly = false;
  std::string What; ///< of the failure
  uint64_t WhatAt = 0;
  bool IsDamage = false; ///< What is a whole message of the source
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_BYTEREADER_H

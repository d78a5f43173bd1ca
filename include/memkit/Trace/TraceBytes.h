// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a trace.
//
// A file is read and not mapped: a mapped file that another program makes
// shorter ends the reader by SIGBUS, and a library may not install a handler.

#ifndef MEMKIT_TRACE_TRACEBYTES_H
#define MEMKIT_TRACE_TRACEBYTES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace memkit {

/// A file, memory, or the begin of a file with memory behind it. Several
/// threads may read at the same time, each with a Scratch of its own.
class TraceBytes {
public:
  explicit TraceBytes(std::unique_ptr<llvm::MemoryBuffer> Memory);
  /// The first FileBytes bytes of the file Fd, then Rest. Closes Fd.
  TraceBytes(int Fd, uint64_t FileBytes, std::string Rest,
             llvm::StringRef Name);
  ~TraceBytes();
  TraceBytes(const TraceBytes &) = delete;
  TraceBytes &operator=(const TraceBytes &) = delete;

  uint64_t size() const { return FileBytes + Rest.size(); }
  /// For errors.
  llvm::StringRef name() const { return Name; }
  /// The file's descriptor, for libraries that read files themselves; -1: the
  /// bytes are in memory.
  int fd() const { return Fd; }

  /// The bytes from Offset on; Offset + Size is at most size(). The result lies
  /// in Scratch or in this object, until the next read into Scratch. Errors: a
  /// TraceError, also for a file that has become shorter.
  llvm::Expected<llvm::ArrayRef<uint8_t>>
  read(uint64_t Offset, size_t Size, std::vector<uint8_t> &Scratch) const;

private:
  int Fd = -1;
  uint64_t FileBytes = 0;
  std::unique_ptr<llvm::MemoryBuffer> Memory;
  std::string Owned;
  llvm::StringRef Rest; ///< in Memory or Owned
  std::string Name;
};

} // namespace memkit

#endif // MEMKIT_TRACE_TRACEBYTES_H

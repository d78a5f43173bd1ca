// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sink in memory that other processes can map.

#ifndef MEMKIT_LIB_RECORD_MEMORYSINK_H
#define MEMKIT_LIB_RECORD_MEMORYSINK_H

#include "Support/Descriptor.h"
#include "memkit/Trace/Sink.h"
#include <memory>

namespace memkit {

/// Keeps the written bytes in a memfd, which nobody can make shorter. Its error
/// is none of the trace: after a failure the rest is dropped, and isWhole() is
/// false. Belongs to one thread.
class MemorySink : public Sink {
public:
  /// Errors: of the system. Name: for /proc/PID/maps.
  static llvm::Expected<std::unique_ptr<MemorySink>> create(const char *Name);
  llvm::Error write(llvm::StringRef Bytes) override;
  int fd() const { return Fd.get(); }
  bool isWhole() const { return IsWhole; }
  /// Ends the writing: readers can rely on what is there. False: errno.
  bool seal();

private:
  explicit MemorySink(Descriptor Fd) : Fd(std::move(Fd)) {}
  Descriptor Fd;
  bool IsWhole = true;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_MEMORYSINK_H

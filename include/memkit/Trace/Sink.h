// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs for a trace's bytes.

#ifndef MEMKIT_TRACE_SINK_H
#define MEMKIT_TRACE_SINK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace memkit {

/// Takes the bytes of a trace in order. Owned and called by one thread.
class Sink {
public:
  virtual ~Sink();
  /// Writes all of Bytes, or returns the reason with the name of the output.
  virtual llvm::Error write(llvm::StringRef Bytes) = 0;
};

/// Writes to a file descriptor, which stays the caller's. Short writes and
/// EINTR are handled; EPIPE is an error like any other (SIGPIPE must be
/// ignored).
class FdSink : public Sink {
public:
  FdSink(int Fd, std::string Name) : Fd(Fd), Name(std::move(Name)) {}
  llvm::Error write(llvm::StringRef Bytes) override;

private:
  int Fd;
  std::string Name;
};

/// Appends to a string.
class StringSink : public Sink {
public:
  explicit StringSink(std::string &Out) : Out(Out) {}
  llvm::Error write(llvm::StringRef Bytes) override;

private:
  std::string &Out;
};

} // namespace memkit

#endif // MEMKIT_TRACE_SINK_H

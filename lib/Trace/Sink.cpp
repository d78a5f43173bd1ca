// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a trace is written to.

#include "memkit/Trace/Sink.h"
#include "llvm/Support/Errno.h"
#include <cerrno>
#include <unistd.h>

using namespace memkit;
using namespace llvm;

Sink::~Sink() = default;

Error FdSink::write(StringRef Bytes) {
  while (!Bytes.empty()) {
    ssize_t N = ::write(Fd, Bytes.data(), Bytes.size());
    if (N < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (N < 0)
      return createStringError(std::error_code(errno, std::generic_category()),
                               "%s: cannot write: %s", Name.c_str(),
                               sys::StrError(errno).c_str());
    Bytes = Bytes.drop_front(N);
  }
  return Error::success();
}

Error StringSink::write(StringRef Bytes) {
  Out.append(Bytes.data(), Bytes.size());
  return Error::success();
}

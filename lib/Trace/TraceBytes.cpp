// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a trace.

#include "memkit/Trace/TraceBytes.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace memkit;
using namespace llvm;

TraceBytes::TraceBytes(std::unique_ptr<MemoryBuffer> M)
    : Memory(std::move(M)), Rest(Memory->getBuffer()),
      Name(Memory->getBufferIdentifier()) {}

TraceBytes::TraceBytes(int Fd, uint64_t FileBytes, std::string Rest,
                       StringRef Name)
    : Fd(Fd), FileBytes(FileBytes), Owned(std::move(Rest)), Rest(Owned),
      Name(Name) {}

TraceBytes::~TraceBytes() {
  if (Fd >= 0)
    ::close(Fd);
}

/// Reads Size bytes at Offset; the problem, or an empty string.
static std::string readAt(int Fd, uint64_t Offset, size_t Size, uint8_t *To) {
  while (Size) {
    ssize_t N = ::pread(Fd, To, Size, static_cast<off_t>(Offset));
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0)
      return sys::StrError(errno);
    if (N == 0)
      return "the file has become shorter since it was opened";
    To += N;
    Offset += static_cast<uint64_t>(N);
    Size -= static_cast<size_t>(N);
  }
  return "";
}

Expected<ArrayRef<uint8_t>>
TraceBytes::read(uint64_t Offset, size_t Size,
                 std::vector<uint8_t> &Scratch) const {
  assert(Offset <= size() && Size <= size() - Offset);
  if (Offset >= FileBytes)
    return arrayRefFromStringRef(Rest.substr(Offset - FileBytes, Size));
  if (Scratch.size() < Size)
    Scratch.resize(Size);
  size_t OfFile = std::min<uint64_t>(Size, FileBytes - Offset);
  std::string Problem = readAt(Fd, Offset, OfFile, Scratch.data());
  if (!Problem.empty())
    return makeTraceError(Name, Offset, Problem);
  std::memcpy(Scratch.data() + OfFile, Rest.data(), Size - OfFile);
  return ArrayRef(Scratch).take_front(Size);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace in text form as an open file.

#ifndef MEMKIT_TEST_UNIT_INTERFACE_TEXTFD_H
#define MEMKIT_TEST_UNIT_INTERFACE_TEXTFD_H

#include "TraceText/Assembler.h"
#include "memkit/Trace/Sink.h"
#include <sys/mman.h>
#include <unistd.h>

/// A new file in memory with the trace of Text, as far as Text is one.
inline int textFd(llvm::StringRef Text) {
  std::string Bytes;
  memkit::StringSink Out(Bytes);
  memkit::AssembleOptions Options;
  Options.Unchecked = true;
  llvm::consumeError(
      memkit::assemble(llvm::MemoryBufferRef(Text, "text"), Out, Options)
          .takeError());
  int Fd = memfd_create("trace", MFD_CLOEXEC);
  if (write(Fd, Bytes.data(), Bytes.size()) != ssize_t(Bytes.size()))
    abort();
  return Fd;
}

#endif // MEMKIT_TEST_UNIT_INTERFACE_TEXTFD_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes traces from text, for tests.

#ifndef MEMKIT_TEST_UNIT_MODEL_TEXTTRACE_H
#define MEMKIT_TEST_UNIT_MODEL_TEXTTRACE_H

#include "TraceText/Assembler.h"
#include "memkit/Model/Trace.h"
#include "gtest/gtest.h"

/// The value in Of. An error is printed and ends the test.
template <class T> T orDie(llvm::Expected<T> Of) {
  if (!Of) {
    llvm::errs() << "a test's own trace: " << llvm::toString(Of.takeError())
                 << '\n';
    std::exit(1);
  }
  return std::move(*Of);
}

/// The bytes of the trace that the text form Text describes.
inline std::string textBytes(llvm::StringRef Text) {
  std::string Bytes;
  memkit::StringSink Sink(Bytes);
  llvm::MemoryBufferRef Source(Text, "text");
  (void)orDie(assemble(Source, Sink));
  return Bytes;
}

/// The trace that the text form Text describes, with Parts read. Without a
/// summary the stats are computed from the events.
inline std::unique_ptr<memkit::Trace>
textTrace(llvm::StringRef Text, unsigned Parts = memkit::TP_All) {
  auto Reader = orDie(memkit::TraceReader::create(
      llvm::MemoryBuffer::getMemBufferCopy(textBytes(Text), "trace")));
  return orDie(memkit::Trace::create(std::move(Reader), Parts));
}

#endif // MEMKIT_TEST_UNIT_MODEL_TEXTTRACE_H

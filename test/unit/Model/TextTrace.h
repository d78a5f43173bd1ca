// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace for a test, from its text.

#ifndef MEMKIT_TEST_UNIT_MODEL_TEXTTRACE_H
#define MEMKIT_TEST_UNIT_MODEL_TEXTTRACE_H

#include "TraceText/Assembler.h"
#include "memkit/Model/Trace.h"
#include "gtest/gtest.h"

/// What Of has; where it is an error, the error is said and the test ends.
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

/// The trace that the text form Text describes, of which Parts are read. Where
/// it has no summary its stats are those of its events.
inline std::unique_ptr<memkit::Trace>
textTrace(llvm::StringRef Text, unsigned Parts = memkit::TP_All) {
  auto Reader = orDie(memkit::TraceReader::create(
      llvm::MemoryBuffer::getMemBufferCopy(textBytes(Text), "trace")));
  return orDie(memkit::Trace::create(std::move(Reader), Parts));
}

#endif // MEMKIT_TEST_UNIT_MODEL_TEXTTRACE_H

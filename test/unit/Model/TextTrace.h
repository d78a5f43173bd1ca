// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace for a test, from its text.

#ifndef MEMKIT_TEST_UNIT_MODEL_TEXTTRACE_H
#define MEMKIT_TEST_UNIT_MODEL_TEXTTRACE_H

#include "TraceText/Assembler.h"
#include "memkit/Model/Trace.h"
#include "gtest/gtest.h"

/// The trace that the text form Text describes. Its sums are those of its
/// events.
inline std::unique_ptr<memkit::Trace> textTrace(llvm::StringRef Text) {
  std::string Bytes;
  memkit::StringSink Sink(Bytes);
  llvm::MemoryBufferRef Source(Text, "text");
  llvm::cantFail(assemble(Source, Sink));
  auto Reader = llvm::cantFail(memkit::TraceReader::create(
      llvm::MemoryBuffer::getMemBufferCopy(Bytes, "trace")));
  return llvm::cantFail(memkit::Trace::create(std::move(Reader)));
}

#endif // MEMKIT_TEST_UNIT_MODEL_TEXTTRACE_H

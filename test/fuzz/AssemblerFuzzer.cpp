// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes memas.
//
// Assembles any text. If the result is a trace it must be readable, unless
// parts of the text were not checked.

#include "TraceText/Assembler.h"
#include "memkit/Trace/TraceReader.h"

using namespace memkit;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Text(reinterpret_cast<const char *>(Data), Size), Bytes;
  StringSink Out(Bytes);
  Expected<Assembled> Made = assemble(MemoryBufferRef(Text, "fuzz"), Out);
  if (!Made) {
    consumeError(Made.takeError());
    return 0;
  }
  auto R = TraceReader::create(MemoryBuffer::getMemBuffer(Bytes, "t", false));
  if (!R)
    abort();
  for (const SectionInfo &B : (*R)->sections())
    if (Error E = (*R)->readAny(B).takeError()) {
      errs() << toString(std::move(E)) << '\n';
      abort();
    }
  return 0;
}

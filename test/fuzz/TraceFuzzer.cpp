// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the reader of traces.
//
// Opens bytes as a trace and reads every section in both orders.

#include "memkit/Trace/TraceReader.h"

using namespace memkit;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef File(reinterpret_cast<const char *>(Data), Size);
  auto R = TraceReader::create(MemoryBuffer::getMemBuffer(File, "fuzz", false));
  if (!R) {
    consumeError(R.takeError());
    return 0;
  }
  for (const SectionInfo &B : (*R)->sections())
    consumeError((*R)->readAny(B).takeError());
  for (const SectionInfo &B : llvm::reverse((*R)->sections()))
    consumeError((*R)->readAny(B).takeError());
  return 0;
}

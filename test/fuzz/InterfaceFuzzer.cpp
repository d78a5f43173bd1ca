// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the C interface.
//
// The input is the text form of a trace, assembled without checks, as for
// ModelFuzzer. Every question is asked, and every row is read.

#include "../interface/Inputs/ask-all.h"
#include "../unit/Interface/TextFd.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  int Fd = textFd(llvm::StringRef(reinterpret_cast<const char *>(Data), Size));
  memkit_trace *T;
  if (!fine(memkit_trace_open_fd(Fd, "fuzz", &T)))
    return 0;
  askAll(T);
  memkit_trace_free(T);
  return 0;
}

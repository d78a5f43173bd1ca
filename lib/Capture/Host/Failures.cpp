// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of requests for which there was no memory.

#include "Failures.h"
#include "Maps.h"

#include <cerrno>
#include <sys/mman.h>

using namespace memkit;
using namespace memkit::capture;

/// Larger requests are errors of the program: x86-64 has no more addresses.
static constexpr size_t MaxRequest = size_t(1) << 47;

static void writeFailure(ThreadState *T, size_t Size, AllocFunction F,
                         const CallerFrame &Caller) {
  if (!T || Size > MaxRequest || !isRecording() || T->InRealloc || !hasRoom(*T))
    return;
  noteRefusal();
  writeWithStack(*T, wire::HostOomRecord{Size, F, 0}, Caller);
}

void capture::recordFailure(size_t Size, AllocFunction F,
                            const CallerFrame &Caller) {
  if (!ThisThread.QuietBits)
    writeFailure(recordingThread(), Size, F, Caller);
}

void capture::recordMapFailure(size_t Size, int Error, int Prot, int Flags,
                               AllocFunction F, const CallerFrame &Caller) {
  bool TakesMemory =
      Prot != PROT_NONE && !(Flags & (MAP_NORESERVE | MAP_HUGETLB));
  if (Error == ENOMEM && TakesMemory)
    writeFailure(mappingThread(wire::HB_Maps), Size, F, Caller);
}

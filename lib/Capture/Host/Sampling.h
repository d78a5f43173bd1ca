// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recording one byte in many.
//
// memrec --sample: each thread counts the bytes that it allocates down to its
// next sampled byte; the block in which that lies is recorded, and its address
// remembered until it is freed. All others cost a subtraction and a compare,
// their frees a look at a filter.
//
// A block of size s is sampled with P = 1 - exp(-s / SampleBytes), whatever
// came before it: the count is drawn anew at each sample, and what is left of
// it is distributed as a new one. So bytes that were counted without need (of
// an allocator that serves realloc by our malloc) change nothing either, as
// long as a sample that is not taken is followed by a new draw.

#ifndef MEMKIT_CAPTURE_HOST_SAMPLING_H
#define MEMKIT_CAPTURE_HOST_SAMPLING_H

#include "Host/Real.h"
#include "Host/SampleGap.h"
#include "Host/SampleSet.h"
#include "Runtime/Source.h"
#include "Runtime/Thread.h"

namespace memkit::capture {

/// Wiped by fork, as Process is: the first hook of a child finds sampling off
/// and goes the long way, which greets the recorder.
struct alignas(PageBytes) SamplingState {
  /// All ones while this process samples, else 0. The short ways ask it alone.
  uint64_t Mask = 0;
  /// Blocks of malloc of fewer bytes are not recorded: all ones while only
  /// sampled blocks are, or none.
  uint64_t MinRecorded = 0;
  uintptr_t LoaderStart =
      0; ///< as Kept has them: here they cost no further line
  uintptr_t LoaderBytes = 0;
  uint64_t Bytes = 0;   ///< one sample in so many, on average
  uint64_t Seed = 0;    ///< 0: of the clock
  uint64_t MinSize = 0; ///< nor are sampled blocks of fewer bytes
  SampleSet Blocks;
};
extern SamplingState Sampling;

struct SampleThread {
  /// The sampled byte is the one of this number from here on, from 1.
  volatile uint64_t Left;
  uint64_t Epoch; ///< for which Left was drawn
  SampleRandom Random;
};
extern __thread SampleThread ThisSample
    __attribute__((tls_model("initial-exec")));

/// In Thread::LastAllocation: a hook was reached, and decided not to record.
inline constexpr uintptr_t PassedOver = 1;

extern const Source HeapSource;

/// Does the thread's next sample lie after a block of \p Size? Always false
/// when nothing is sampled.
inline bool liesAfter(size_t Size) {
  return Size < (ThisSample.Left & Sampling.Mask);
}

/// Counts \p Size bytes and gives true, unless the sampled byte is among them:
/// then nothing is changed. Always false when nothing is sampled. A signal
/// handler that comes between moves the sample a little, that is all.
inline bool passOver(size_t Size) {
  uint64_t Left = ThisSample.Left & Sampling.Mask;
  if (__builtin_expect(Size >= Left, 0))
    return false;
  ThisSample.Left = Left - Size;
  ThisThread.LastAllocation = PassedOver;
  return true;
}

/// Certain that \p P is not recorded, and its free, from \p Pc, tells nothing.
inline bool isPassedOver(const void *P) {
  return Sampling.Mask && !isInArena(P) && !Sampling.Blocks.mayHold(P);
}
inline bool isLoaderSampling(uintptr_t Pc) {
  return Pc - Sampling.LoaderStart < Sampling.LoaderBytes;
}

/// Of a block that is about to be recorded: is it sampled? Counts its bytes,
/// draws anew, remembers its address. \p Recorded: it would be, if so.
bool takeSample(Thread &T, const void *P, size_t Size, bool Recorded);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_SAMPLING_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records one byte in many.
//
// memrec --sample: each thread counts its allocated bytes down to the next
// sampled byte. The block with this byte is recorded, and its address
// remembered until the free. Other blocks cost a subtraction and a comparison,
// and their frees a look-up in a filter.
//
// A block of size s is sampled with P = 1 - exp(-s / SampleBytes), whatever
// came before the block: the distance is drawn anew at each sample, and the
// rest of a distance is distributed as a new distance. So bytes that are
// counted twice (by an allocator that serves realloc with memkit's malloc) do
// not change the distribution, as long as a new draw follows a sample that is
// not taken.

#ifndef MEMKIT_CAPTURE_HOST_SAMPLING_H
#define MEMKIT_CAPTURE_HOST_SAMPLING_H

#include "Host/Real.h"
#include "Host/SampleGap.h"
#include "Host/SampleSet.h"
#include "Runtime/Source.h"
#include "Runtime/Thread.h"

namespace memkit::capture {

/// Fork wipes the state, as it wipes Process: the first hook of a child finds
/// sampling off and takes the slow path, which greets the recorder.
struct alignas(PageBytes) SamplingState {
  /// All ones while the fast paths may pass over blocks, else 0: they check
  /// nothing else. A process that samples passes over blocks once its
  /// interpreter, if any, has no pending work.
  uint64_t Mask = 0;
  /// Blocks of malloc below this size are not recorded; UINT64_MAX while only
  /// sampled blocks are recorded, or none.
  uint64_t MinRecorded = 0;
  uintptr_t LoaderStart = 0; ///< copied from Loader to this cache line
  uintptr_t LoaderBytes = 0;
  uint64_t Bytes = 0;   ///< bytes for each sample, on average
  uint64_t Seed = 0;    ///< 0: from the clock
  uint64_t MinSize = 0; ///< sampled blocks below this size are not recorded
  bool IsOn = false;    ///< this process samples
  SampleSet Blocks;
};
extern SamplingState Sampling;

struct SampleThread {
  /// The sampled byte is number Left from here, counted from 1.
  volatile uint64_t Left;
  uint64_t Epoch; ///< the epoch for which Left was drawn
  SampleRandom Random;
};
extern __thread SampleThread ThisSample
    __attribute__((tls_model("initial-exec")));

/// In Thread::LastAllocation: a hook has decided not to record.
inline constexpr uintptr_t PassedOver = 1;

/// The process becomes active. One thread, with signals blocked. False: the
/// process cannot be recorded.
bool connectSampling(const wire::Settings &S);

/// Is the thread's next sample after a block of \p Size? Always false if
/// nothing is sampled.
inline bool liesAfter(size_t Size) {
  return Size < (ThisSample.Left & Sampling.Mask);
}

/// If the sampled byte is not among the next \p Size bytes, counts the bytes
/// and returns true; else changes nothing. Always false if nothing is sampled.
/// A signal handler in between moves the sample a little, with no other effect.
inline bool passOver(size_t Size) {
  uint64_t Left = ThisSample.Left & Sampling.Mask;
  if (__builtin_expect(Size >= Left, 0))
    return false;
  ThisSample.Left = Left - Size;
  ThisThread.LastAllocation = PassedOver;
  return true;
}

/// True: \p P has no record, and needs none for its free. False: \p P may have
/// a record.
inline bool isPassedOver(const void *P) {
  return Sampling.Mask && !isInArena(P) && !Sampling.Blocks.mayHold(P);
}
inline bool isLoaderSampling(uintptr_t Pc) {
  return Pc - Sampling.LoaderStart < Sampling.LoaderBytes;
}

/// Is a block that is about to be recorded sampled? Counts its bytes; at a
/// sample, draws anew and remembers the address. \p Recorded: false if the
/// block will not be recorded even as a sample.
bool takeSample(ThreadState &T, const void *P, size_t Size, bool Recorded);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_SAMPLING_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records one byte in many.

#include "Sampling.h"

#include "Stacks/Loader.h"

using namespace memkit;
using namespace memkit::capture;

constinit SamplingState memkit::capture::Sampling;
__thread SampleThread capture::ThisSample;

bool capture::connectSampling(const wire::Settings &S) {
  // In a child of fork the connecting thread is the only thread: forget the
  // state of the parent's thread.
  ThisSample.Left = 0;
  Sampling.MinRecorded = S.Heaps & wire::HB_Malloc ? S.MinSize : UINT64_MAX;
  Proc.SomeUnknown |= Sampling.MinRecorded != 0;
  if (!S.SampleBytes)
    return true;
  if (!Sampling.Blocks.begin())
    return false;
  Sampling.Bytes = S.SampleBytes;
  Sampling.Seed = S.SampleSeed;
  Sampling.MinSize = Sampling.MinRecorded;
  Sampling.LoaderStart = Loader.Start;
  Sampling.LoaderBytes = Loader.Bytes;
  // Every recording hook asks takeSample first.
  Sampling.MinRecorded = UINT64_MAX;
  Proc.SomeUnknown = true;
  Sampling.IsOn = true;
  return true;
}

static void seed(ThreadState &T) {
  SampleThread &S = ThisSample;
  uint64_t Seed = Sampling.Seed;
  if (Seed)
    Seed += uint64_t(Kept.Process) << 32 | T.RingNumber;
  else
    Seed = __rdtsc() ^ uint64_t(sys::gettid()) << 32;
  S.Random.seed(SampleRandom::mix(Seed));
  S.Left = sampleGap(S.Random.next(), Sampling.Bytes);
  S.Epoch = T.Epoch;
}

bool capture::takeSample(ThreadState &T, const void *P, size_t Size,
                         bool Recorded) {
  SampleThread &S = ThisSample;
  if (S.Epoch != T.Epoch)
    seed(T);
  uint64_t Left = S.Left;
  if (Size < Left) {
    S.Left = Left - Size;
    return false;
  }
  S.Left = sampleGap(S.Random.next(), Sampling.Bytes);
  if (!Recorded || Size < Sampling.MinSize)
    return false;
  if (Sampling.Blocks.insert(P))
    return true;
  // The free of the block would not be recorded.
  Proc.Ctl->LostNoRing.fetch_add(1, std::memory_order_relaxed);
  return false;
}

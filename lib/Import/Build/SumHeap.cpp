// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heap profiles: sums of live blocks by stack, at one moment.

#include "SumHeap.h"
#include <cmath>

using namespace llvm;
using namespace memkit;

SumHeap::SumHeap(TraceBuilder &To, uint64_t SampleBytes, SumsOf Of)
    : To(To), SampleBytes(SampleBytes > 1 ? SampleBytes : 0), Of(Of),
      Process(To.addProcess(ProcessRecord())),
      Thread(To.addThread(Process, 0)) {
  To.lacks(Lack::Frees);
  To.lacks(Lack::Threads);
  To.lacks(Lack::Addresses);
  if (this->SampleBytes)
    To.lacks(Lack::Samples);
}

uint32_t SumHeap::heap(StringRef Name, StringRef Space) {
  uint32_t Of = Space.empty() ? 0 : To.space(Space);
  return To.heap(Name, Of, 0, HF_Sums | (SampleBytes ? HF_Estimates : HF_None),
                 SampleBytes);
}

bool SumHeap::add(uint32_t Heap, uint32_t Stack, uint64_t Count,
                  uint64_t Bytes) {
  if (Count > MaxSum || Bytes > MaxSum)
    return false;
  if (Count && SampleBytes && Of == SampledBlocks) {
    // A block of s bytes is in the sample with the chance 1 - exp(-s / rate);
    // the blocks of a stack count with their mean size.
    double Mean = double(Bytes) / double(Count);
    double Chance = -std::expm1(-Mean / double(SampleBytes));
    if (Chance <= 0 || double(Count) / Chance > double(MaxSum) ||
        double(Bytes) / Chance > double(MaxSum))
      return false;
    // Rounded down, as pprof does: its sums are the same.
    Count = uint64_t(double(Count) / Chance);
    Bytes = uint64_t(double(Bytes) / Chance);
  }
  TotalBlocks += Count;
  TotalBytes += Bytes;
  if (TotalBlocks > MaxSum || TotalBytes > MaxSum)
    return false;
  ImportedBlock B;
  B.Heap = Heap;
  B.Stack = Stack;
  To.allocateSum(Process, Thread, 0, B, Count, Bytes);
  return true;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of one call of the driver.

#ifndef MEMKIT_CAPTURE_CUDA_ENDED_H
#define MEMKIT_CAPTURE_CUDA_ENDED_H

#include "Cuda/Calls.h"
#include "Cuda/Injection.h"

#define ID(NAME) CUPTI_DRIVER_TRACE_CBID_##NAME
#define PARAMS(NAME)                                                           \
  const auto &P = *static_cast<const NAME##_params *>(C.Params)

namespace memkit::capture::cuda {

/// Callbacks without a name in some versions of CUDA's headers. Their numbers
/// are stable.
enum : CUpti_CallbackId {
  MemHostAllocV2 = 271,
  CtxSynchronizeV2 = 800,
  MemSetMemPool = 803,
  StreamBeginRecaptureToGraph = 846,
  StreamBeginRecaptureToGraphPtsz = 847,
  GraphAddNodeV3 = 863,
};
/// CU_MEM_ALLOCATION_TYPE_MANAGED, of 13.0.
inline constexpr int MemAllocationManaged = 2;

/// An allocation of a call, successful or not.
struct Given {
  wire::CudaFunction Function;
  wire::CudaHeap Heap;
  uint64_t Address, Size;
  uint64_t Stream = 0, Pool = 0;
};

/// A finished call of the driver.
class Ended {
public:
  Ended(const Call &C, CUresult Result, const CallerFrame &Caller)
      : C(C), Result(Result), Caller(Caller) {}

  /// Did the call allocate?
  bool tookDevice() const { return Took; }
  bool failed() const { return Result != CUDA_SUCCESS; }
  /// \p To: the address to which the driver writes an address or a handle.
  template <typename T>
  void gave(wire::CudaFunction F, wire::CudaHeap H, const T *To, uint64_t Size,
            uint64_t Stream = 0, uint64_t Pool = 0) {
    give({F, H, failed() ? 0 : uint64_t(*To), Size, Stream, Pool});
  }
  void give(const Given &G) { give(G, TheContexts.place(C.Context)); }
  void give(const Given &G, const ContextPlace &P) {
    uint32_t Place = P.in(G.Heap);
    if (Result == CUDA_ERROR_OUT_OF_MEMORY)
      return writeRecord(wire::DeviceOomRecord{G.Size, G.Function, 0, Place},
                         &Caller);
    if (failed() || !G.Address)
      return;
    Took = true;
    wire::DeviceDetailRecord Detail{G.Stream, G.Pool, Place};
    writeRecord(
        wire::DeviceAllocateRecord{G.Address, G.Size, G.Function, 0, Place},
        &Caller, G.Stream || G.Pool ? &Detail : nullptr);
  }

private:
  const Call &C;
  CUresult Result;
  const CallerFrame &Caller;
  bool Took = false;
};

/// Records a free, before the call. Heap: wire::CudaHeap, or AnyHeap.
void freed(const Call &C, uint64_t Address, uint32_t Heap);

// Before and after the calls of streams and pools (PoolCalls.cpp), of graphs
// (GraphCalls.cpp), of mapped or imported memory (MappedCalls.cpp), and after
// the creation of arrays (ArrayCalls.cpp; beforeMapped() records the frees of
// arrays). False: the call is of another group.
bool beforePool(const Call &C);
bool afterPool(const Call &C, Ended &E);
bool beforeGraph(const Call &C);
bool afterGraph(const Call &C, Ended &E);
bool beforeMapped(const Call &C);
bool afterMapped(const Call &C, Ended &E, const CallerFrame &Caller);
bool afterArray(const Call &C, Ended &E);

/// Does any thread capture a graph? Then the driver must not be asked.
bool capturesGraph();
/// Does an allocation on the stream belong to a captured graph?
bool isCaptured(uint64_t Stream);
/// Notes a captured allocation.
void capturedMemory(const Call &C);
/// Asks the driver for the memory of graphs on the device of \p P, at most once
/// a millisecond unless \p Now. Does nothing until a graph of the device has
/// allocated.
void askGraphs(const ContextPlace &P, bool Now);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_ENDED_H

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

/// Callbacks that not every version of CUDA's headers has a name for. Their
/// numbers stay.
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

/// What a call gave out, or could not.
struct Given {
  wire::CudaFunction Function;
  wire::CudaHeap Heap;
  uint64_t Address, Size;
  uint64_t Stream = 0, Pool = 0;
};

/// A call, after it.
class Ended {
public:
  Ended(const Call &C, CUresult Result, const Frame &Caller)
      : C(C), Result(Result), Caller(Caller) {}

  /// Something of a device's was given out.
  bool tookDevice() const { return Took; }
  bool failed() const { return Result != CUDA_SUCCESS; }
  /// \p To: where the driver writes an address or a handle.
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
  const Frame &Caller;
  bool Took = false;
};

/// Before a call that gives something back. Heap: wire::CudaHeap, or AnyHeap.
void freed(const Call &C, uint64_t Address, uint32_t Heap);

// Of the calls of streams and pools (PoolCalls.cpp), of graphs
// (GraphCalls.cpp), of what is mapped or imported (MappedCalls.cpp), and of
// arrays (ArrayCalls.cpp), whose ends are told with what is mapped. False: the
// call is none of them.
bool beforePool(const Call &C);
bool afterPool(const Call &C, Ended &E);
bool beforeGraph(const Call &C);
bool afterGraph(const Call &C, Ended &E);
bool beforeMapped(const Call &C);
bool afterMapped(const Call &C, Ended &E, const Frame &Caller);
bool afterArray(const Call &C, Ended &E);

/// Does any thread capture a graph? Then the driver is not asked.
bool capturesGraph();
/// Is what is asked for on a stream a graph's?
bool isCaptured(uint64_t Stream);
/// An allocation was captured.
void capturedMemory(const Call &C);
/// Asks what graphs have of the device of \p P, at most once a millisecond but
/// for \p Now; only where a graph has been seen to allocate.
void askGraphs(const ContextPlace &P, bool Now);

} // namespace memkit::capture::cuda

#endif // MEMKIT_CAPTURE_CUDA_ENDED_H

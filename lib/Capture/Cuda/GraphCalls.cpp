// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of graphs.
//
// A graph's allocation has an address while the graph lives, and memory while
// the graph runs. memkit does not subscribe to launches. The driver knows the
// memory of all graphs of a device, and the peak; memkit asks the driver when
// the program waits, allocates, uploads or trims.

#include "Cuda/Ended.h"
#include "Cuda/Samples.h"

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaFunction;
using wire::CudaHeap;
using wire::CudaPlace;

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

namespace {
/// A capturing stream; Stream 0: a free entry. Owner: the thread that started
/// the capture, by the address of its Self.
struct Capture {
  std::atomic<uint64_t> Stream;
  std::atomic<const void *> Owner;
};
} // namespace
static Capture Captures[32];
static std::atomic<uint32_t> NumCaptures;
static __thread char Self; ///< the address identifies the thread

bool cuda::capturesGraph() {
  return NumCaptures.load(std::memory_order_relaxed) != 0;
}

/// (Streams that have joined a capture by an event are unknown, so all
/// allocations of a capturing thread count as the graph's.)
bool cuda::isCaptured(uint64_t Stream) {
  if (!capturesGraph())
    return false;
  // Every thread has a stream of its own with the number CU_STREAM_PER_THREAD.
  bool IsOne = Stream && Stream != uint64_t(CU_STREAM_PER_THREAD);
  for (const Capture &C : Captures)
    if (C.Owner.load(std::memory_order_relaxed) == &Self ||
        (IsOne && C.Stream.load(std::memory_order_relaxed) == Stream))
      return true;
  return false;
}

static void beginCapture(uint64_t Stream) {
  for (Capture &C : Captures)
    if (uint64_t None = 0; C.Stream.compare_exchange_strong(None, Stream)) {
      C.Owner.store(&Self, std::memory_order_relaxed);
      ++NumCaptures;
      return;
    }
}

/// Ends the capture of a stream, also a failed capture, and also one that
/// another thread started. The default streams of all threads have one number,
/// so captures of the calling thread come first.
static void endCapture(uint64_t Stream) {
  for (bool Others : {false, true})
    for (Capture &C : Captures) {
      if (!Stream || C.Stream.load(std::memory_order_relaxed) != Stream ||
          (!Others && C.Owner.load(std::memory_order_relaxed) != &Self))
        continue;
      C.Owner.store(nullptr, std::memory_order_relaxed);
      C.Stream.store(0, std::memory_order_release);
      --NumCaptures;
      return;
    }
}

//===----------------------------------------------------------------------===//
// Memory of graphs
//===----------------------------------------------------------------------===//

namespace {
struct GraphMemory {
  std::atomic<uint64_t> AskedNs;
  HighWater Max;
  std::atomic<bool> IsUsed; ///< a graph of the device has allocated
};
} // namespace
static constexpr uint64_t AskEveryNs = 1000000;
static GraphMemory Graphs[wire::MaxCudaDevices];
static std::atomic<bool> AnyUsed;

static void useGraphs(const ContextPlace &P) {
  if (P.Device >= wire::MaxCudaDevices)
    return;
  Graphs[P.Device].IsUsed.store(true, std::memory_order_relaxed);
  AnyUsed.store(true, std::memory_order_relaxed);
}

static bool ask(uint32_t Device, CUgraphMem_attribute What, uint64_t &Out) {
  cuuint64_t Value = 0;
  bool Is = !Cuda.DeviceGetGraphMemAttribute(CUdevice(Device), What, &Value);
  Out = Value;
  return Is;
}

static void tell(const ContextPlace &P, uint64_t Used, uint64_t Reserved) {
  uint32_t Place = P.in(CudaHeap::Graph);
  wire::DeviceDetailRecord Of{1, 0, Place}; // a device has one graph pool
  writeRecord(wire::DeviceReservedRecord{Used, Reserved,
                                         wire::PoolTimePoint::Any, Place},
              nullptr, &Of);
}

static void look(const ContextPlace &P, GraphMemory &Of) {
  uint64_t Used, Reserved, MaxUsed, Max;
  uint32_t D = P.Device;
  if (!ask(D, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, Used) ||
      !ask(D, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, Reserved) ||
      !ask(D, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, MaxUsed) ||
      !ask(D, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, Max))
    return;
  if (Of.Max.take(MaxUsed, Max, Used, Reserved))
    tell(P, MaxUsed, Max);
  tell(P, Used, Reserved);
}

void cuda::askGraphs(const ContextPlace &P, bool Now) {
  if (!AnyUsed.load(std::memory_order_relaxed) ||
      P.Device >= wire::MaxCudaDevices ||
      !Graphs[P.Device].IsUsed.load(std::memory_order_relaxed) ||
      !Cuda.DeviceGetGraphMemAttribute || capturesGraph())
    return;
  GraphMemory &Of = Graphs[P.Device];
  uint64_t Ns = coarseNs();
  if (!Now && Ns - Of.AskedNs.load(std::memory_order_relaxed) < AskEveryNs)
    return;
  Of.AskedNs.store(Ns, std::memory_order_relaxed);
  look(P, Of);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The parameters of a node of any kind; null: the call adds no node.
static CUgraphNodeParams *nodeOf(const Call &C) {
  switch (C.Id) {
  case ID(cuGraphAddNode): {
    PARAMS(cuGraphAddNode);
    return P.nodeParams;
  }
  case ID(cuGraphAddNode_v2):
  case GraphAddNodeV3: {
    PARAMS(cuGraphAddNode_v2);
    return P.nodeParams;
  }
  default:
    return nullptr;
  }
}

/// The stream is the first parameter of each call that starts or ends a
/// capture.
static uint64_t streamOfCall(const Call &C) {
  auto S = *static_cast<const CUstream *>(C.Params);
  return uint64_t(S ? S : CU_STREAM_PER_THREAD);
}

bool cuda::beforeGraph(const Call &C) {
  if (const CUgraphNodeParams *N = nodeOf(C)) {
    if (N->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
      freed(C, N->free.dptr, CudaPlace::AnyHeap);
    return true;
  }
  switch (C.Id) {
  case ID(cuStreamDestroy):
  case ID(cuStreamDestroy_v2):
    if (capturesGraph())
      endCapture(streamOfCall(C));
    return true;
  case ID(cuGraphAddMemFreeNode): {
    PARAMS(cuGraphAddMemFreeNode);
    freed(C, P.dptr, CudaPlace::AnyHeap);
    return true;
  }
  case ID(cuDeviceGraphMemTrim): {
    PARAMS(cuDeviceGraphMemTrim);
    ContextPlace Of{uint32_t(P.device), 0};
    introduceDevice(Of.Device);
    useGraphs(Of);
    askGraphs(Of, true);
    return true;
  }
  default:
    return false;
  }
}

static void gaveNode(const Call &C, Ended &E, CudaFunction F,
                     const CUdeviceptr *To, uint64_t Size) {
  E.gave(F, CudaHeap::Graph, To, Size);
  if (!E.failed())
    useGraphs(TheContexts.place(C.Context));
}

bool cuda::afterGraph(const Call &C, Ended &E) {
  if (const CUgraphNodeParams *N = nodeOf(C)) {
    if (N->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
      gaveNode(C, E, CudaFunction::GraphAddNode, &N->alloc.dptr,
               N->alloc.bytesize);
    return true;
  }
  switch (C.Id) {
  case ID(cuGraphAddMemAllocNode): {
    PARAMS(cuGraphAddMemAllocNode);
    gaveNode(C, E, CudaFunction::GraphAddMemAllocNode, &P.nodeParams->dptr,
             P.nodeParams->bytesize);
    return true;
  }
  case ID(cuDeviceGraphMemTrim): {
    PARAMS(cuDeviceGraphMemTrim);
    askGraphs({uint32_t(P.device), 0}, true);
    return true;
  }
  case ID(cuGraphUpload):
  case ID(cuGraphUpload_ptsz):
  case ID(cuStreamSynchronize):
  case ID(cuStreamSynchronize_ptsz):
  case ID(cuCtxSynchronize):
  case CtxSynchronizeV2:
  case ID(cuEventSynchronize):
    if (AnyUsed.load(std::memory_order_relaxed) && C.Context)
      askGraphs(TheContexts.place(C.Context), false);
    return true;
  case ID(cuStreamBeginCapture):
  case ID(cuStreamBeginCapture_ptsz):
  case ID(cuStreamBeginCapture_v2):
  case ID(cuStreamBeginCapture_v2_ptsz):
  case ID(cuStreamBeginCaptureToGraph):
  case ID(cuStreamBeginCaptureToGraph_ptsz):
  case StreamBeginRecaptureToGraph:
  case StreamBeginRecaptureToGraphPtsz:
    if (!E.failed())
      beginCapture(streamOfCall(C));
    return true;
  case ID(cuStreamEndCapture):
  case ID(cuStreamEndCapture_ptsz):
    endCapture(streamOfCall(C));
    return true;
  default:
    return false;
  }
}

void cuda::capturedMemory(const Call &C) {
  useGraphs(TheContexts.place(C.Context));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs, as far as they allocate. Allocations have addresses from when their node is
// made, and memory while the graph runs; what is not freed in the graph is used until
// someone frees it. Memory that a device's graphs had stays theirs until it is trimmed.
#define _GNU_SOURCE
#include "fakecuda.h"
#include <stdlib.h>

struct CUgraphNode_st {
  CUdeviceptr Address;
  size_t Bytes;
  bool IsFreed; // in its graph
  struct CUgraphNode_st *Next;
};
struct CUgraph_st {
  int Device;
  CUgraphNode Nodes;
};
struct CUgraphExec_st {
  CUgraph Of;
  uint32_t Number;
};
uint32_t fakecuda_graph_number(CUgraphExec E) { return E->Number; }
static struct {
  size_t Used, MaxUsed, Reserved, MaxReserved;
} Memory[MaxDevices];

// Pages for so many bytes.
static CUresult reserve(int D, size_t Bytes) {
  size_t All = allOf(Bytes);
  if (All <= Memory[D].Reserved)
    return CUDA_SUCCESS;
  if (!takeBytes(D, All - Memory[D].Reserved))
    return CUDA_ERROR_OUT_OF_MEMORY;
  Memory[D].Reserved = All;
  if (All > Memory[D].MaxReserved)
    Memory[D].MaxReserved = All;
  return CUDA_SUCCESS;
}

static size_t bytesOfAll(CUgraph G) {
  size_t Bytes = 0;
  for (CUgraphNode N = G->Nodes; N; N = N->Next)
    Bytes += N->Bytes;
  return Bytes;
}

void giveOfGraph(struct Block *B) { Memory[B->Device].Used -= B->Bytes; }

CUgraph newGraph(void) {
  CUgraph G = calloc(1, sizeof(*G));
  G->Device = current() ? current()->Device : 0;
  return G;
}
CUdeviceptr addGraphMemory(CUgraph G, size_t Bytes) {
  CUgraphNode N = calloc(1, sizeof(*N));
  *N = (struct CUgraphNode_st){takeAddresses(Bytes), Bytes, false, G->Nodes};
  G->Nodes = N;
  return N->Address;
}
void freeGraphMemory(CUgraph G, CUdeviceptr P) {
  for (CUgraphNode N = G->Nodes; N; N = N->Next)
    if (N->Address == P)
      N->IsFreed = true;
}

EXPORT CUresult cuGraphCreate(CUgraph *To, unsigned Flags) {
  *To = newGraph();
  return CUDA_SUCCESS;
}
EXPORT CUresult cuGraphDestroy(CUgraph G) {
  ENTER(cuGraphDestroy, G);
  LEAVE;
}
EXPORT CUresult cuGraphAddMemAllocNode(CUgraphNode *Node, CUgraph G, const CUgraphNode *After, size_t N,
                                       CUDA_MEM_ALLOC_NODE_PARAMS *Params) {
  ENTER(cuGraphAddMemAllocNode, Node, G, After, N, Params);
  if (!R_)
    Params->dptr = addGraphMemory(G, Params->bytesize);
  LEAVE;
}
EXPORT CUresult cuGraphAddMemFreeNode(CUgraphNode *Node, CUgraph G, const CUgraphNode *After, size_t N,
                                      CUdeviceptr P) {
  ENTER(cuGraphAddMemFreeNode, Node, G, After, N, P);
  if (!R_)
    freeGraphMemory(G, P);
  LEAVE;
}

static CUresult addNode(CUgraph G, CUgraphNodeParams *Params) {
  if (Params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    Params->alloc.dptr = addGraphMemory(G, Params->alloc.bytesize);
  else if (Params->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
    freeGraphMemory(G, Params->free.dptr);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuGraphAddNode_v2(CUgraphNode *Node, CUgraph G, const CUgraphNode *After, const CUgraphEdgeData *Edges,
                                  size_t N, CUgraphNodeParams *Params) {
  ENTER(cuGraphAddNode_v2, Node, G, After, Edges, N, Params);
  if (!R_)
    R_ = addNode(G, Params);
  LEAVE;
}
// As CUDA 12.2 has it.
EXPORT CUresult addNode12020(CUgraphNode *Node, CUgraph G, const CUgraphNode *After, size_t N,
                             CUgraphNodeParams *Params) __asm__("cuGraphAddNode");
CUresult addNode12020(CUgraphNode *Node, CUgraph G, const CUgraphNode *After, size_t N, CUgraphNodeParams *Params) {
  cuGraphAddNode_params P_ = {Node, G, After, N, Params};
  ENTER_AS(cuGraphAddNode);
  if (!R_)
    R_ = addNode(G, Params);
  LEAVE;
}

EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *To, CUgraph G, unsigned long long Flags) {
  ENTER(cuGraphInstantiateWithFlags, To, G, Flags);
  if (!R_) {
    static uint32_t Last;
    *To = calloc(1, sizeof(**To));
    (*To)->Of = G;
    (*To)->Number = __sync_add_and_fetch(&Last, 1);
  }
  LEAVE;
}
EXPORT CUresult cuGraphExecDestroy(CUgraphExec E) {
  ENTER(cuGraphExecDestroy, E);
  if (!R_)
    free(E);
  LEAVE;
}

static CUresult launch(CUgraph G) {
  int D = G->Device;
  struct Block B;
  for (CUgraphNode N = G->Nodes; N; N = N->Next)
    if (findBlock(N->Address, &B))
      return CUDA_ERROR_INVALID_VALUE; // it was not freed since the last launch
  Memory[D].Used += bytesOfAll(G);
  CUresult R = reserve(D, Memory[D].Used);
  if (!R && Memory[D].Used > Memory[D].MaxUsed)
    Memory[D].MaxUsed = Memory[D].Used;
  for (CUgraphNode N = G->Nodes; N; N = N->Next)
    if (R || N->IsFreed)
      Memory[D].Used -= N->Bytes;
    else
      addBlock((struct Block){.Address = N->Address, .Bytes = N->Bytes, .Kind = OfGraph, .Device = D,
                              .Context = current()});
  return R;
}
EXPORT CUresult cuGraphLaunch(CUgraphExec E, CUstream S) {
  ENTER(cuGraphLaunch, E, S);
  if (!R_)
    R_ = launch(E->Of);
  LEAVE;
}
EXPORT CUresult cuGraphUpload(CUgraphExec E, CUstream S) {
  ENTER(cuGraphUpload, E, S);
  if (!R_)
    R_ = reserve(E->Of->Device, Memory[E->Of->Device].Used + bytesOfAll(E->Of));
  LEAVE;
}

EXPORT CUresult cuDeviceGraphMemTrim(CUdevice D) {
  ENTER(cuDeviceGraphMemTrim, D);
  ANYWHERE;
  size_t Keep = allOf(Memory[D].Used);
  if (!R_ && Memory[D].Reserved > Keep) {
    giveBytes(D, Memory[D].Reserved - Keep);
    Memory[D].Reserved = Keep;
  }
  LEAVE;
}
EXPORT CUresult cuDeviceGetGraphMemAttribute(CUdevice D, CUgraphMem_attribute What, void *Value) {
  cuDeviceGetGraphMemAttribute_params P_ = {D, What, Value};
  ENTER_AS(cuDeviceGetGraphMemAttribute);
  ANYWHERE;
  if (!R_)
    *(cuuint64_t *)Value = What == CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT       ? Memory[D].Used
                           : What == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH        ? Memory[D].MaxUsed
                           : What == CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT ? Memory[D].Reserved
                                                                            : Memory[D].MaxReserved;
  LEAVE;
}
EXPORT CUresult cuDeviceSetGraphMemAttribute(CUdevice D, CUgraphMem_attribute What, void *Value) {
  if (What == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
    Memory[D].MaxUsed = Memory[D].Used;
  if (What == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
    Memory[D].MaxReserved = Memory[D].Reserved;
  return CUDA_SUCCESS;
}

// Streams, as far as they capture.
struct CUstream_st {
  CUgraph Captures; // null: it does not
  uint32_t Number;
};
enum { DefaultStream = 7 };
uint32_t fakecuda_stream_number(CUstream S) { return (uintptr_t)S > 2 ? S->Number : DefaultStream; }
// Each thread has a default stream of its own.
static CUgraph *captures(CUstream S) {
  static __thread CUgraph OfThread;
  return S == CU_STREAM_PER_THREAD ? &OfThread : &S->Captures;
}
CUgraph capturedBy(CUstream S) { return (uintptr_t)S > 1 ? *captures(S) : NULL; }

EXPORT CUresult cuStreamCreate(CUstream *To, unsigned Flags) {
  static uint32_t Last = DefaultStream;
  *To = calloc(1, sizeof(**To));
  (*To)->Number = __sync_add_and_fetch(&Last, 1);
  return current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
EXPORT CUresult cuStreamDestroy(CUstream S) {
  ENTER(cuStreamDestroy_v2, S);
  if (!R_)
    free(S);
  LEAVE;
}
#define SYNCHRONIZE(NAME)                                                      \
  EXPORT CUresult NAME(CUstream S) {                                           \
    ENTER(NAME, S);                                                            \
    LEAVE;                                                                     \
  }
SYNCHRONIZE(cuStreamSynchronize)
SYNCHRONIZE(cuStreamSynchronize_ptsz)
EXPORT CUresult cuEventSynchronize(CUevent Of) {
  ENTER(cuEventSynchronize, Of);
  LEAVE;
}
EXPORT CUresult cuCtxSynchronize(void) {
  struct { char None; } P_ = {0};
  ENTER_AS(cuCtxSynchronize);
  LEAVE;
}

#define BEGIN_CAPTURE(NAME)                                                    \
  EXPORT CUresult NAME(CUstream S, CUstreamCaptureMode Mode) {                 \
    ENTER(NAME, S, Mode);                                                      \
    if (!R_ && (*captures(S) || (unsigned)Mode > CU_STREAM_CAPTURE_MODE_RELAXED)) \
      R_ = CUDA_ERROR_INVALID_VALUE;                                           \
    if (!R_)                                                                   \
      *captures(S) = newGraph();                                               \
    LEAVE;                                                                     \
  }
BEGIN_CAPTURE(cuStreamBeginCapture_v2)
BEGIN_CAPTURE(cuStreamBeginCapture_v2_ptsz)
// As CUDA 10.0 has it.
EXPORT CUresult beginCapture10000(CUstream S) __asm__("cuStreamBeginCapture");
CUresult beginCapture10000(CUstream S) {
  cuStreamBeginCapture_params P_ = {S};
  ENTER_AS(cuStreamBeginCapture);
  if (!R_)
    *captures(S) = newGraph();
  LEAVE;
}
#define END_CAPTURE(NAME)                                                      \
  EXPORT CUresult NAME(CUstream S, CUgraph *To) {                              \
    ENTER(NAME, S, To);                                                        \
    if (!R_ && !*captures(S))                                                  \
      R_ = CUDA_ERROR_ILLEGAL_STATE;                                           \
    if (!R_) {                                                                 \
      *To = *captures(S);                                                      \
      *captures(S) = NULL;                                                     \
    }                                                                          \
    LEAVE;                                                                     \
  }
END_CAPTURE(cuStreamEndCapture)
END_CAPTURE(cuStreamEndCapture_ptsz)

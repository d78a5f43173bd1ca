// A stand-in of NCCL, which does its work in threads, and (-DUSER) a library that uses it.
#include "check.h"
#include <cstddef>
#include <thread>
#include <vector>

struct ncclUniqueId {
  char internal[128];
};
struct ncclComm {
  int Rank, Ranks;
  bool IsConnected;
};
using ncclComm_t = ncclComm *;
extern "C" {
int ncclCommInitRank(ncclComm_t *, int Ranks, ncclUniqueId, int Rank);
int ncclCommSplit(ncclComm_t, int Color, int Key, ncclComm_t *, void *Config);
int ncclCommDestroy(ncclComm_t);
int ncclMemAlloc(void **, size_t);
int ncclGroupStart();
int ncclGroupEnd();
int ncclAllReduce(const void *, void *, size_t, int Type, int Op, ncclComm_t, void *Stream);
int ncclSend(const void *, size_t, int Type, int Peer, ncclComm_t, void *Stream);
}

#ifndef USER
static thread_local int Groups;
static thread_local size_t Waits;

static void take(size_t Bytes) {
  CUcontext C;
  CHECK(cuCtxGetCurrent(&C));
  std::thread([=] {
    CUdeviceptr P;
    CHECK(cuCtxSetCurrent(C));
    CHECK(cuMemAlloc(&P, Bytes));
  }).join();
}

int ncclCommInitRank(ncclComm_t *To, int Ranks, ncclUniqueId Id, int Rank) {
  if (Id.internal[127] != 9)
    return 1;
  *To = new ncclComm{Rank, Ranks, false};
  take(4 << 20);
  return 0;
}
int ncclCommSplit(ncclComm_t Of, int Color, int Key, ncclComm_t *To, void *Config) {
  if (Color != 5 || Key != 6 || Config)
    return 1;
  *To = new ncclComm{0, 2, true};
  take(4 << 20);
  return 0;
}
int ncclCommDestroy(ncclComm_t C) {
  delete C;
  return 0;
}
int ncclMemAlloc(void **To, size_t Bytes) {
  CUdeviceptr P;
  CHECK(cuMemAlloc(&P, Bytes));
  *To = reinterpret_cast<void *>(P);
  return 0;
}
int ncclGroupStart() {
  ++Groups;
  return 0;
}
int ncclGroupEnd() {
  if (!--Groups && Waits)
    take(Waits);
  Waits = 0;
  return 0;
}
int ncclAllReduce(const void *, void *, size_t Count, int Type, int Op, ncclComm_t C, void *Stream) {
  if (Count != 10 || Type != 7 || Op != 3 || Stream)
    return 1;
  if (Groups)
    Waits += 512 << 10;
  else if (!C->IsConnected)
    take(2 << 20);
  C->IsConnected = true;
  return 0;
}
int ncclSend(const void *, size_t, int, int, ncclComm_t, void *) { return 0; }
#else
static ncclComm_t All, Part;

extern "C" int initGroup() {
  ncclUniqueId Id = {};
  Id.internal[127] = 9;
  begin();
  return ncclCommInitRank(&All, 8, Id, 3);
}

extern "C" int train() {
  void *P;
  CUdeviceptr Own;
  CHECK(cuMemAlloc(&Own, 16 << 20));
  auto Reduce = [](ncclComm_t Of) { return ncclAllReduce(nullptr, nullptr, 10, 7, 3, Of, nullptr); };
  int Bad = Reduce(All) | Reduce(All) | ncclCommSplit(All, 5, 6, &Part, nullptr);
  Bad |= ncclGroupStart() | Reduce(All) | Reduce(Part) | ncclGroupEnd();
  Bad |= ncclMemAlloc(&P, 8 << 20) | ncclSend(nullptr, 1, 2, 3, Part, nullptr);
  return Bad | ncclCommDestroy(Part) | ncclCommDestroy(All);
}
#endif

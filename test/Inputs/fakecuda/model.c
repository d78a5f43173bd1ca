// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model: bytes of devices, and a hash table of what was given out.
#include "fakecuda.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t Lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t NextAddress = 0x7f2000000000;

static size_t total(void) {
  size_t Bytes = bytesOf("FAKECUDA_BYTES");
  return Bytes ? Bytes : (size_t)8 << 30;
}

void *takeHost(void) {
  size_t Bytes = bytesOf("FAKECUDA_HOST_BYTES");
  return Bytes ? memset(malloc(Bytes), 1, Bytes) : NULL;
}

size_t allOf(size_t Bytes) { return (Bytes + Granularity - 1) / Granularity * Granularity; }

// What this process has, which ends with it.
static size_t *used(void) {
  static struct Process *Ours;
  struct Machine *M = machine();
  int Pid = getpid();
  if (Ours && Ours->Pid == Pid)
    return Ours->Used;
  for (int I = 0; I != MaxProcesses; ++I)
    if (__sync_bool_compare_and_swap(&M->Processes[I].Pid, 0, Pid)) {
      Ours = &M->Processes[I];
      memset(Ours->Used, 0, sizeof(Ours->Used));
      return Ours->Used;
    }
  abort();
}
__attribute__((destructor)) static void endProcess(void) {
  struct Machine *M = machine();
  for (int I = 0; I != MaxProcesses; ++I)
    if (M->Processes[I].Pid == getpid())
      M->Processes[I].Pid = 0;
}

static size_t usedByAll(int Physical) {
  struct Machine *M = machine();
  size_t Sum = M->Other[Physical] + bytesOf("FAKECUDA_OTHER_BYTES");
  for (int I = 0; I != MaxProcesses; ++I)
    if (M->Processes[I].Pid && !kill(M->Processes[I].Pid, 0))
      Sum += M->Processes[I].Used[Physical];
  return Sum;
}

bool takeBytes(int Device, size_t Bytes) {
  pthread_mutex_lock(&Lock);
  int Physical = visible(Device);
  bool Has = Bytes <= total() && usedByAll(Physical) + allOf(Bytes) <= total();
  if (Has)
    used()[Physical] += allOf(Bytes);
  pthread_mutex_unlock(&Lock);
  return Has;
}

void giveBytes(int Device, size_t Bytes) {
  pthread_mutex_lock(&Lock);
  used()[visible(Device)] -= allOf(Bytes);
  pthread_mutex_unlock(&Lock);
}

void deviceBytes(int Physical, size_t *Free, size_t *Total) {
  *Total = total();
  *Free = *Total - usedByAll(Physical) - bytesOf("FAKECUDA_SHARES");
}

void fakecuda_set_other(int Device, size_t Bytes) { machine()->Other[visible(Device)] = Bytes; }

// What was given back, for FAKECUDA_REUSE; the last first.
static struct {
  uintptr_t Address;
  size_t Bytes;
} GivenBack[1024];
static size_t NumGivenBack;

static void giveAddresses(const struct Block *B) {
  bool IsOfDevice = B->Kind == Device || B->Kind == Managed || B->Kind == Pooled;
  if (!IsOfDevice || !getenv("FAKECUDA_REUSE") || NumGivenBack == 1024)
    return;
  GivenBack[NumGivenBack].Address = B->Address;
  GivenBack[NumGivenBack++].Bytes = allOf(B->Bytes);
}

static uintptr_t takeAgain(size_t Bytes) {
  uintptr_t Found = 0;
  pthread_mutex_lock(&Lock);
  for (size_t I = NumGivenBack; I-- && !Found;)
    if (GivenBack[I].Bytes == Bytes) {
      Found = GivenBack[I].Address;
      GivenBack[I] = GivenBack[--NumGivenBack];
    }
  pthread_mutex_unlock(&Lock);
  return Found;
}

uintptr_t takeAddresses(size_t Bytes) {
  uintptr_t Again = NumGivenBack ? takeAgain(allOf(Bytes ? Bytes : 1)) : 0;
  if (Again)
    return Again;
  return __sync_fetch_and_add(&NextAddress, allOf(Bytes ? Bytes : 1));
}

static struct Block *Blocks; // Address 0: free; 1: was used
static size_t Room, Count;

static size_t place(uintptr_t Address) { return (Address >> 9) * 0x9E3779B97F4A7C15ull & (Room - 1); }

static void put(struct Block B) {
  size_t I = place(B.Address);
  while (Blocks[I].Address > 1)
    I = (I + 1) & (Room - 1);
  Blocks[I] = B;
}

static struct Block *find(uintptr_t Address) {
  for (size_t I = place(Address); Room && Blocks[I].Address; I = (I + 1) & (Room - 1))
    if (Blocks[I].Address == Address)
      return &Blocks[I];
  return NULL;
}

static void grow(void) {
  struct Block *Old = Blocks;
  size_t OldRoom = Room;
  Room = Room ? Room * 2 : 1024;
  Blocks = calloc(Room, sizeof(*Blocks));
  Count = 0;
  for (size_t I = 0; I != OldRoom; ++I)
    if (Old[I].Address > 1) {
      put(Old[I]);
      ++Count;
    }
  free(Old);
}

void addBlock(struct Block B) {
  pthread_mutex_lock(&Lock);
  if (++Count * 2 > Room)
    grow();
  put(B);
  pthread_mutex_unlock(&Lock);
}

bool findBlock(uintptr_t Address, struct Block *Out) {
  pthread_mutex_lock(&Lock);
  struct Block *B = Address > 1 ? find(Address) : NULL;
  if (B)
    *Out = *B;
  pthread_mutex_unlock(&Lock);
  return B != NULL;
}

bool removeBlock(uintptr_t Address, struct Block *Out) {
  pthread_mutex_lock(&Lock);
  struct Block *B = Address > 1 ? find(Address) : NULL;
  if (B) {
    *Out = *B;
    giveAddresses(B);
    B->Address = 1;
  }
  pthread_mutex_unlock(&Lock);
  return B != NULL;
}

void changeBlock(uintptr_t Address, int References) {
  pthread_mutex_lock(&Lock);
  struct Block *B = find(Address);
  if (B)
    B->References += References;
  pthread_mutex_unlock(&Lock);
}

void endContextBlocks(CUcontext C) {
  pthread_mutex_lock(&Lock);
  for (size_t I = 0; I != Room; ++I) {
    struct Block *B = &Blocks[I];
    if (B->Address <= 1 || B->Context != C)
      continue;
    giveAddresses(B);
    B->Address = 1;
    if (B->Kind == Pooled)
      givePooled(B);
    else if (B->Kind == OfGraph)
      giveOfGraph(B);
    else if (B->Kind != Host && B->Kind != Registered && B->Kind != Imported)
      used()[visible(B->Device)] -= allOf(B->Bytes);
  }
  pthread_mutex_unlock(&Lock);
}

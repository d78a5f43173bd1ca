// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA driver without a device: libcuda.so.1 as tests see it. It gives out
// addresses of a model of devices, and nothing lies behind them but behind those
// of the host. Types and numbers are those of CUDA's own headers.
//
//   FAKECUDA_DEVICES=N         devices (1; at most 8)
//   FAKECUDA_BYTES=N           that each of them has (8 GiB)
//   FAKECUDA_OTHER_BYTES=N     that another process has of each
//   FAKECUDA_SHARES=N          it has no memory but the machine's: the driver counts N bytes of
//                              files, NVML knows the processes' bytes alone
//   FAKECUDA_STATE=FILE        where processes find what others have of the devices, and
//                              what fakecuda_set_other() says; without it each is alone,
//                              and NVML finds no driver
//   FAKECUDA_CONTEXT_BYTES=N   that a context takes of its device (none)
//   FAKECUDA_MODULE_BYTES=N    that a module takes once it is loaded (none)
//   FAKECUDA_HOST_BYTES=N      that a context, or a module, takes of the host (none)
//   FAKECUDA_LAZY=1            modules are loaded when a function of theirs is launched
//   FAKECUDA_FAIL=NAME:N:CODE  the Nth call of NAME returns CODE
//   FAKECUDA_REUSE=1           addresses that are given back are given out again at once
//   FAKECUDA_SCRIPT=FILE       all of these, and more, as lines of a text (script.c)
//   FAKECUDA_LOG=1             says on stderr what it loads
//   CUDA_VISIBLE_DEVICES=A,B   which devices a program sees, and in which order
#ifndef MEMKIT_TEST_FAKECUDA_H
#define MEMKIT_TEST_FAKECUDA_H

#include <cuda.h>
#include <cupti.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// What a script sets stands before the environment.
const char *setting(const char *Name) __attribute__((weak));
#define getenv(NAME) (setting ? setting(NAME) : (getenv)(NAME))

// What a call does beside what it should.
struct Behaviour {
  int Fail;
  bool IsSilent, IsUnannounced, Kills;
};
struct Behaviour behaviourOf(const char *Call);

#define EXPORT __attribute__((visibility("default")))

enum { MaxDevices = 8, Granularity = 2 << 20 };

// What libcupti asks of us.
typedef void (*fakecuda_hook)(CUpti_CallbackDomain, CUpti_CallbackId, const void *);
EXPORT void fakecuda_set_hook(fakecuda_hook Hook);
EXPORT uint32_t fakecuda_device_of(CUcontext C);
EXPORT const char *fakecuda_function_name(CUfunction F);
EXPORT uint32_t fakecuda_stream_number(CUstream S); // 7 for the default stream
EXPORT uint32_t fakecuda_graph_number(CUgraphExec E);
// Another process has so many bytes of a device, beside FAKECUDA_OTHER_BYTES.
EXPORT void fakecuda_set_other(int Device, size_t Bytes);

struct CUctx_st {
  int Device, References;
  bool IsPrimary, IsThere;
  uint32_t Uid;
  struct CUmod_st *Modules; // loaded ones
  void *Host;
};
// The calling thread's; null: it has none.
CUcontext current(void);
bool isInitialized(void);

// A call, as callbacks see it.
struct Call {
  CUpti_CallbackId Id;
  CUpti_CallbackData Data;
  uint64_t Correlation;
  CUresult Fail;
  bool IsSilent; // nobody is told
};
struct Call enter(CUpti_CallbackId Id, const char *Name, const void *Params);
CUresult leave(struct Call *C, CUresult R);
void fireResource(CUpti_CallbackId Id, CUcontext C);
// What the I-th that the program sees is; -1: there is none.
int visible(int I);
void endContextModules(CUcontext C);
size_t bytesOf(const char *Variable);
// FAKECUDA_HOST_BYTES of malloc; null: none.
void *takeHost(void);

#define ENTER(NAME, ...)                                                       \
  NAME##_params P_ = {__VA_ARGS__};                                            \
  ENTER_AS(NAME)
#define ENTER_AS(NAME) ENTER_ID(CUPTI_DRIVER_TRACE_CBID_##NAME, #NAME)
#define ENTER_ID(ID, NAME)                                                     \
  struct Call C_ = enter(ID, NAME, &P_);                                       \
  CUresult R_ = C_.Fail              ? C_.Fail                                 \
                : !isInitialized()   ? CUDA_ERROR_NOT_INITIALIZED              \
                : current() == NULL  ? CUDA_ERROR_INVALID_CONTEXT              \
                                     : CUDA_SUCCESS
// For calls that need no context.
#define ANYWHERE                                                               \
  R_ = C_.Fail ? C_.Fail : isInitialized() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED
#define LEAVE return leave(&C_, R_)

// The model. What is at an address is of a kind, of a device and a context.
enum Kind { Device, Managed, Host, Registered, Pooled, Imported, Range, Handle, Array, OfGraph };
struct Block {
  uintptr_t Address;
  size_t Bytes;
  enum Kind Kind;
  int Device;
  CUcontext Context;
  void *Of; // a pool
  int References;
};
// All that is known of the machine; where processes share it, in a file of this form.
struct Process {
  int Pid; // 0: nobody's
  size_t Used[MaxDevices];
};
enum { MaxProcesses = 64 };
struct Machine {
  struct Process Processes[MaxProcesses];
  size_t Other[MaxDevices];
};
struct Machine *machine(void);

// Bytes of a device that the program sees, rounded up; false: it has no more of them.
bool takeBytes(int Device, size_t Bytes);
void giveBytes(int Device, size_t Bytes);
void deviceBytes(int Device, size_t *Free, size_t *Total);
uintptr_t takeAddresses(size_t Bytes);
void addBlock(struct Block B);
bool findBlock(uintptr_t Address, struct Block *Out);
bool removeBlock(uintptr_t Address, struct Block *Out);
void changeBlock(uintptr_t Address, int References);
void endContextBlocks(CUcontext C);
size_t allOf(size_t Bytes);
void givePooled(struct Block *B);

// Graphs. Of the one that a stream captures; null: it does not.
CUgraph capturedBy(CUstream S);
CUgraph newGraph(void);
CUdeviceptr addGraphMemory(CUgraph G, size_t Bytes);
void freeGraphMemory(CUgraph G, CUdeviceptr P);
void giveOfGraph(struct Block *B);

#endif

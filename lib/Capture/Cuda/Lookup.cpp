// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The look-ups of CUDA's driver by a program.
//
// A program looks up the functions of CUDA's driver by dlsym; the runtime, for
// example, finds cuGetProcAddress by dlsym. For a function of the driver's
// library this dlsym may return a wrapper of libmemrec-cuda.so. Other look-ups
// jump to the real dlsym with the caller's return address, because RTLD_NEXT
// searches after the caller's library.
//
// CUPTI has one subscriber. When the program subscribes, the CUDA library first
// unsubscribes; it subscribes again after the program has unsubscribed. CUPTI
// also has one set of buffers for activity records: when the program takes
// them, the CUDA library gives them up for good.

#include "Cuda/Library.h"
#include "Cuda/Table.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"
#include "Runtime/Symbols.h"
#include "Stacks/Loader.h"

#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <link.h>

using namespace memkit;
using namespace memkit::capture;

extern "C" {
/// The real dlsym; null until the first look-up.
void *(*memrecRealDlsym)(void *, const char *)
    __attribute__((visibility("hidden"))) = nullptr;
__attribute__((visibility("hidden"))) void memrecFindDlsym() {
  void *P = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  __atomic_store_n(&memrecRealDlsym,
                   reinterpret_cast<decltype(memrecRealDlsym)>(P),
                   __ATOMIC_RELEASE);
}
}

//===----------------------------------------------------------------------===//
// The library's wrappers
//===----------------------------------------------------------------------===//

using WrapFn = void *(*)(const char *, void *);

/// memrec_cuda_wrap of libmemrec-cuda.so; null: none.
static WrapFn findWrap() {
  static std::atomic<bool> Tried;
  static std::atomic<WrapFn> Found;
  if (!Tried.exchange(true))
    Found.store(
        reinterpret_cast<WrapFn>(cuda::libraryFunction("memrec_cuda_wrap")),
        std::memory_order_release);
  return Found.load(std::memory_order_acquire);
}

/// Is P in CUDA's driver?
static bool isDriver(void *P) {
  FoundObject O = {};
  if (!Loader.find(uintptr_t(P), O) || !O.LinkMap)
    return false;
  const char *Path = static_cast<link_map *>(O.LinkMap)->l_name;
  const char *Name = strrchr(Path, '/');
  return strncmp(Name ? Name + 1 : Path, "libcuda.so", 10) == 0;
}

/// Of HiddenNames: the look-up by the code at \p Caller must find nothing.
extern "C" __attribute__((visibility("hidden"))) bool
memrecHides(void *Handle, const char *Name, uintptr_t Caller);

using RegisterFn = int (*)(void *, void *);
extern "C" int cuptiActivityRegisterCallbacks(void *Request, void *Complete);
/// CUPTI's function, if a library has looked it up.
static std::atomic<RegisterFn> FoundRegister;
/// Null: the CUDA library does not use activity records.
static std::atomic<void (*)(const char *Who)> LeaveActivity;

/// Tools look up CUPTI's functions, too. While the CUDA library uses activity
/// records, it must hear of a tool that takes them.
static void *orHook(const char *Name, void *Found) {
  if (__builtin_expect(!LeaveActivity.load(std::memory_order_acquire), 1) ||
      strcmp(Name, "cuptiActivityRegisterCallbacks") != 0)
    return Found;
  auto *Hook = reinterpret_cast<void *>(&cuptiActivityRegisterCallbacks);
  if (Found != Hook)
    FoundRegister.store(reinterpret_cast<RegisterFn>(Found),
                        std::memory_order_release);
  return Hook;
}

extern "C" __attribute__((visibility("hidden"))) void *
memrecFindCuda(void *Handle, const char *Name) {
  if (memrecHides(Handle, Name, uintptr_t(__builtin_return_address(0))))
    return nullptr;
  void *P = memrecRealDlsym(Handle, Name);
  if (P)
    P = orHook(Name, P);
  if (!P || !isDriver(P) || !recordingThread() || !Proc.Ctl->Settings.Cuda)
    return P;
  WrapFn Wrap = findWrap();
  return Wrap ? Wrap(Name, P) : P;
}

/// Of Jax: a module of Python is about to be initialized by its function \p
/// Init.
extern "C" __attribute__((visibility("hidden"))) void
memrecModule(void *Module, const char *Name, void *Init);

extern "C" __attribute__((visibility("hidden"))) void *
memrecFindModule(void *Handle, const char *Name) {
  void *P = memrecRealDlsym(Handle, Name);
  if (P)
    memrecModule(Handle, Name, P);
  return P;
}

/// Of Jax: the program has looked up Name and found Found; the result is for
/// the program.
extern "C" __attribute__((visibility("hidden"))) void *
memrecPlugin(const char *Name, void *Found);

extern "C" __attribute__((visibility("hidden"))) void *
memrecFindPlugin(void *Handle, const char *Name) {
  void *P = memrecRealDlsym(Handle, Name);
  return P ? memrecPlugin(Name, P) : nullptr;
}

// Names that start with "cu", "Py" or "Ge" take the slow path, if the handle is
// a library's. Handles 0 and -1 are RTLD_DEFAULT and RTLD_NEXT. Names that
// start with "_Z", "TF" or "cu" may be hidden.
asm(R"(
  .text
  .p2align 4
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  movq memrecRealDlsym(%rip), %rax
  testq %rax, %rax
  je 2f
1:
  cmpw $0x7563, (%rsi)
  je 4f
  cmpw $0x7950, (%rsi)
  je 5f
  cmpw $0x5a5f, (%rsi)
  je 6f
  cmpw $0x4654, (%rsi)
  je 6f
  cmpw $0x6547, (%rsi)
  jne 3f
  leaq 1(%rdi), %rdx
  cmpq $1, %rdx
  ja memrecFindPlugin
  jmp 3f
5:
  leaq 1(%rdi), %rdx
  cmpq $1, %rdx
  ja memrecFindModule
  jmp 3f
4:
  leaq 1(%rdi), %rdx
  cmpq $1, %rdx
  ja memrecFindCuda
6:
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  pushq %rax
  .cfi_adjust_cfa_offset 8
  movq 24(%rsp), %rdx
  call memrecHides
  movl %eax, %ecx
  popq %rax
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  testb %cl, %cl
  je 3f
  xorl %eax, %eax
  ret
3:
  jmp *%rax
2:
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call memrecFindDlsym
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  movq memrecRealDlsym(%rip), %rax
  jmp 1b
  .cfi_endproc
  .size dlsym, .-dlsym
)");

//===----------------------------------------------------------------------===//
// CUPTI's subscriber
//===----------------------------------------------------------------------===//

static std::atomic<void (*)(const char *Who)> Leave;
static std::atomic<void (*)()> Return;

void cuda::setListener(void (*L)(const char *), void (*R)()) {
  Return.store(R, std::memory_order_release);
  Leave.store(L, std::memory_order_release);
}

static void comeBack() {
  if (auto *F = Return.load(std::memory_order_acquire))
    F();
}

/// The file name of the binary of Pc, which is about to subscribe.
static const char *moduleName(uintptr_t Pc) {
  FoundObject O = {};
  if (!Loader.find(Pc, O) || !O.LinkMap)
    return "";
  const char *Path = static_cast<link_map *>(O.LinkMap)->l_name;
  const char *Name = strrchr(Path, '/');
  // The executable's path is empty.
  return Name ? Name + 1 : *Path ? Path : "the program itself";
}

static void leaveFor(uintptr_t Pc) {
  if (auto *F = Leave.load(std::memory_order_acquire))
    F(moduleName(Pc));
}

/// CUPTI's own function, as the binary of the caller would have found it.
template <typename Fn> static Fn findCupti(uintptr_t Pc, const char *Name) {
  FoundObject O = {};
  void *P = nullptr;
  if (Loader.find(Pc, O) && O.LinkMap)
    P = symbolOfBinary(O.LinkMap, Name);
  FoundObject Is = {}, Us = {};
  // libmemrec.so comes first in the global scope, so the look-up may have found
  // the function of this file.
  if (P && Loader.find(uintptr_t(P), Is) &&
      Loader.find(uintptr_t(&cuda::setListener), Us) &&
      Is.LinkMap == Us.LinkMap)
    P = nullptr;
  P = P ? P : nextSymbol(Name);
  for (const char *Library : {"libcupti.so.13", "libcupti.so.12",
                              "libcupti.so.11.8", "libcupti.so.11.7"})
    P = P ? P : symbolOfLoaded(Library, Name);
  return reinterpret_cast<Fn>(P);
}

static constexpr int NotInitialized = 15; ///< CUPTI_ERROR_NOT_INITIALIZED

/// The CUDA library unsubscribes, and subscribes again if the call fails.
template <typename Fn, typename... Args>
static int subscribe(uintptr_t Pc, Fn Real, Args... A) {
  if (!Real)
    return NotInitialized;
  leaveFor(Pc);
  int Result = Real(A...);
  if (Result)
    comeBack();
  return Result;
}

MEMKIT_EXPORT int cuptiSubscribe(void **Subscriber, void *Callback,
                                 void *Data) {
  CallerFrame Caller = MEMKIT_CALLER;
  return subscribe(
      Caller.Pc,
      findCupti<int (*)(void **, void *, void *)>(Caller.Pc, "cuptiSubscribe"),
      Subscriber, Callback, Data);
}

MEMKIT_EXPORT int cuptiSubscribe_v2(void **Subscriber, void *Callback,
                                    void *Data, void *Params) {
  CallerFrame Caller = MEMKIT_CALLER;
  return subscribe(Caller.Pc,
                   findCupti<int (*)(void **, void *, void *, void *)>(
                       Caller.Pc, "cuptiSubscribe_v2"),
                   Subscriber, Callback, Data, Params);
}

MEMKIT_EXPORT int cuptiUnsubscribe(void *Subscriber) {
  CallerFrame Caller = MEMKIT_CALLER;
  auto Real = findCupti<int (*)(void *)>(Caller.Pc, "cuptiUnsubscribe");
  if (!Real)
    return NotInitialized;
  int Result = Real(Subscriber);
  if (!Result)
    comeBack();
  return Result;
}

//===----------------------------------------------------------------------===//
// CUPTI's activity records
//===----------------------------------------------------------------------===//

/// The first library that has taken the records.
static struct {
  std::atomic<uint32_t> State; ///< 0 none, 1 being written, 2 known
  char Name[sizeof(wire::SourceFinding::Name)];
} ActivityUser;

const char *cuda::setActivityListener(void (*L)(const char *)) {
  LeaveActivity.store(L, std::memory_order_release);
  return ActivityUser.State.load(std::memory_order_acquire) == 2
             ? ActivityUser.Name
             : nullptr;
}

static void noteActivityUser(const char *Who) {
  uint32_t None = 0;
  if (!ActivityUser.State.compare_exchange_strong(None, 1))
    return;
  memcpy(ActivityUser.Name, Who, strnlen(Who, sizeof(ActivityUser.Name) - 1));
  ActivityUser.State.store(2, std::memory_order_release);
}

MEMKIT_EXPORT int cuptiActivityRegisterCallbacks(void *Request,
                                                 void *Complete) {
  CallerFrame Caller = MEMKIT_CALLER;
  RegisterFn Real = FoundRegister.load(std::memory_order_acquire);
  if (!Real)
    Real = findCupti<RegisterFn>(Caller.Pc, "cuptiActivityRegisterCallbacks");
  if (!Real)
    return NotInitialized;
  const char *Who = moduleName(Caller.Pc);
  noteActivityUser(Who);
  if (auto *F = LeaveActivity.load(std::memory_order_acquire))
    F(Who);
  return Real(Request, Complete);
}

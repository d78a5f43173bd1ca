// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hook of dlopen, for libraries that bind deeply, and for those that call
// an allocator by names of its own (AllocatorHooks.h).
//
// A library that is opened with RTLD_DEEPBIND, as PHP opens its extensions,
// finds libc's functions before this library's. When the loader has bound the
// library, this hook binds the words again that lead to a function with a hook.
// What the library allocates before, in its constructors, is not recorded.
//
// The loader looks for a file in the search path of the caller of dlopen, which
// it knows by the return address. So a call jumps to the real dlopen unless the
// caller makes no difference.

#include "AllocatorBinding.h"
#include "LateBinding.h"
#include "Real.h"
#include "Runtime/Source.h"
#include "Runtime/Symbols.h"
#include "Runtime/Thread.h"
#include "Sampling.h"
#include "Stacks/Binaries.h"
#include "Stacks/Imports.h"
#include "Stacks/LoadWatch.h"
#include "Stacks/Loader.h"

#include <cstring>
#include <dlfcn.h>

using namespace memkit;
using namespace memkit::capture;

extern "C" {
/// The real dlopen; null until the first call.
void *(*memrecRealDlopen)(const char *,
                          int)__attribute__((visibility("hidden"))) = nullptr;

__attribute__((visibility("hidden"))) void memrecFindDlopen() {
  void *P = nextSymbol("dlopen");
  __atomic_store_n(&memrecRealDlopen,
                   reinterpret_cast<decltype(memrecRealDlopen)>(P),
                   __ATOMIC_RELEASE);
}
}

//===----------------------------------------------------------------------===//
// Binding again
//===----------------------------------------------------------------------===//

namespace {
/// A function with a hook.
struct HookedFunction {
  const char *Name;
  uintptr_t Hook, Next; ///< what the program finds, and what it would find
};
} // namespace

static HookedFunction Hooks[] = {
    {"malloc", 0, 0},         {"free", 0, 0},
    {"calloc", 0, 0},         {"realloc", 0, 0},
    {"reallocarray", 0, 0},   {"memalign", 0, 0},
    {"posix_memalign", 0, 0}, {"aligned_alloc", 0, 0},
    {"valloc", 0, 0},         {"pvalloc", 0, 0},
    {"mmap", 0, 0},           {"mmap64", 0, 0},
    {"munmap", 0, 0},         {"mremap", 0, 0},
    {"mprotect", 0, 0},       {"brk", 0, 0},
    {"sbrk", 0, 0},           {"pthread_create", 0, 0},
    {"dlclose", 0, 0},        {"execl", 0, 0},
    {"execle", 0, 0},         {"execlp", 0, 0},
    {"execv", 0, 0},          {"execve", 0, 0},
    {"execveat", 0, 0},       {"execvp", 0, 0},
    {"execvpe", 0, 0},        {"fexecve", 0, 0},
    {"posix_spawn", 0, 0},    {"posix_spawnp", 0, 0},
    {"_exit", 0, 0},          {"_Exit", 0, 0},
    {"quick_exit", 0, 0},     {"prctl", 0, 0},
    {"syscall", 0, 0}};

/// False: the program has an allocator of its own in front of the hooks.
static bool findHooks() {
  static bool Found;
  for (HookedFunction &H : Hooks) {
    if (Found)
      break;
    H.Hook = uintptr_t(globalSymbol(H.Name));
    H.Next = uintptr_t(nextSymbol(H.Name));
    if (!isOwnCode(H.Hook))
      H.Hook = 0;
  }
  Found = true;
  return Hooks[0].Hook && Hooks[1].Hook;
}

static const HookedFunction *hookOf(const char *Name) {
  for (const HookedFunction &H : Hooks)
    if (H.Hook && strcmp(H.Name, Name) == 0)
      return &H;
  return nullptr;
}

static void bindImports(link_map *Of, void *Handle) {
  Imports(Of).each([&](const Import &I) {
    const HookedFunction *H = hookOf(I.Name);
    if (!H)
      return;
    bool IsNext = *I.At == H->Next;
    // The library, or what it depends on, may bring an allocator of its own.
    if (!IsNext && isUnbound(I, Of))
      IsNext = uintptr_t(dlsym(Handle, H->Name)) == H->Next &&
               uintptr_t(symbolSeenBy(Of, H->Name)) == H->Next;
    if (IsNext)
      setWord(Of, I.At, H->Hook);
  });
}

/// Binds the library and those that the loader has added behind it.
static void bindAgain(void *Handle) {
  Quiet Q;
  BindingTurn Turn;
  if (Turn && findHooks())
    for (auto *L = static_cast<link_map *>(Handle); L; L = L->l_next)
      bindImports(L, Handle);
}

//===----------------------------------------------------------------------===//
// The hook
//===----------------------------------------------------------------------===//

/// Whether File means the same for any caller.
static bool isForAnyCaller(const char *File, uintptr_t Caller) {
  FoundObject O = {};
  if (strchr(File, '$') || !Loader.find(Caller, O) || !O.LinkMap)
    return false;
  bool HasFolder = strchr(File, '/');
  auto *D = static_cast<const link_map *>(O.LinkMap)->l_ld;
  for (; D && D->d_tag != DT_NULL; ++D)
    if (D->d_tag == DT_RPATH || (D->d_tag == DT_RUNPATH && !HasFolder))
      return false;
  return true;
}

extern "C" {
/// Allocations leave their fast path until one of them has looked.
__attribute__((visibility("hidden"))) void memrecNoteLoad() {
  noteLoad();
  Sampling.Mask = 0;
}

/// Of AllocatorBinding.h.
extern bool memrecHasAllocator __attribute__((visibility("hidden")));

/// Set while the program is recorded late: see LateBinding.h.
__attribute__((visibility("hidden"))) bool memrecBindsLoads = false;

/// Whether memrecOpenDeeply can open the library. Errors of File are left to
/// dlopen.
__attribute__((visibility("hidden"))) bool memrecOpens(const char *File,
                                                       uintptr_t Caller) {
  return File && recordingThread() && isForAnyCaller(File, Caller);
}

__attribute__((visibility("hidden"))) void *memrecOpenDeeply(const char *File,
                                                             int Mode) {
  if (memrecBindsLoads)
    forSources(&Source::Opens);
  void *Handle = memrecRealDlopen(File, Mode);
  if (Handle && memrecBindsLoads)
    bindLateFrom(static_cast<link_map *>(Handle));
  else if (Handle && Mode & RTLD_DEEPBIND)
    bindAgain(Handle);
  if (Handle && memrecHasAllocator)
    for (auto *L = static_cast<link_map *>(Handle); L; L = L->l_next)
      bindAllocatorsOf(L);
  return Handle;
}
}

// 8 is RTLD_DEEPBIND.
static_assert(RTLD_DEEPBIND == 8);
asm(R"(
  .text
  .p2align 4
  .globl dlopen
  .type dlopen, @function
dlopen:
  .cfi_startproc
  movq memrecRealDlopen(%rip), %rax
  testq %rax, %rax
  je 2f
1:
  cmpb $0, memrecWatchesLoads(%rip)
  jne 4f
5:
  testb $8, %sil
  jne 3f
  cmpb $0, memrecHasAllocator(%rip)
  jne 3f
  cmpb $0, memrecBindsLoads(%rip)
  jne 3f
  jmp *%rax
2:
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call memrecFindDlopen
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  movq memrecRealDlopen(%rip), %rax
  jmp 1b
3:
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  pushq %rax
  .cfi_adjust_cfa_offset 8
  movq 24(%rsp), %rsi
  call memrecOpens
  movl %eax, %ecx
  popq %rax
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  testb %cl, %cl
  jne memrecOpenDeeply
  jmp *%rax
4:
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  pushq %rax
  .cfi_adjust_cfa_offset 8
  call memrecNoteLoad
  popq %rax
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  jmp 5b
  .cfi_endproc
  .size dlopen, .-dlopen
)");

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks of the mmap family.
//
// The hooks of mmap, munmap, mremap and mprotect. Mappings that glibc makes for
// its own use (for malloc, stacks, libraries) do not pass the hooks.
//
// Order: an unmapping is recorded before the call, a mapping after the call, so
// no thread can be handed an address whose end is not published. mremap does
// both and has a record on either side, as realloc has.
//
// madvise is not hooked: pages that madvise empties still belong to the
// program, and come back when touched.

#include "Failures.h"
#include "Maps.h"
#include "Real.h"
#include "Runtime/Symbols.h"

#include <cerrno>
#include <cstdarg>
#include <sys/stat.h>
#include <sys/sysmacros.h>

using namespace memkit;
using namespace memkit::capture;

//===----------------------------------------------------------------------===//
// The functions behind the hooks
//===----------------------------------------------------------------------===//

static long resultOf(long Raw) {
  if (!sys::failed(Raw))
    return Raw;
  errno = int(-Raw);
  return -1;
}

static void *rawMmap(void *At, size_t Size, int Prot, int Flags, int Fd,
                     off_t Offset) {
  return reinterpret_cast<void *>(resultOf(
      sys::forward(SYS_mmap, long(At), long(Size), Prot, Flags, Fd, Offset)));
}
static int rawMunmap(void *At, size_t Size) {
  return int(resultOf(sys::forward(SYS_munmap, long(At), long(Size))));
}
static void *rawMremap(void *At, size_t Old, size_t New, int Flags, ...) {
  va_list Rest;
  va_start(Rest, Flags);
  long To = Flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)
                ? long(va_arg(Rest, void *))
                : 0;
  va_end(Rest);
  return reinterpret_cast<void *>(resultOf(
      sys::forward(SYS_mremap, long(At), long(Old), long(New), Flags, To)));
}
static int rawMprotect(void *At, size_t Size, int Prot) {
  return int(resultOf(sys::forward(SYS_mprotect, long(At), long(Size), Prot)));
}
static int rawPkeyMprotect(void *At, size_t Size, int Prot, int Key) {
  return int(resultOf(
      Key == -1
          ? sys::forward(SYS_mprotect, long(At), long(Size), Prot)
          : sys::forward(SYS_pkey_mprotect, long(At), long(Size), Prot, Key)));
}

/// libc's functions, or those of another library in front of libc's.
static struct {
  void *(*Mmap)(void *, size_t, int, int, int, off_t) = rawMmap;
  int (*Munmap)(void *, size_t) = rawMunmap;
  void *(*Mremap)(void *, size_t, size_t, int, ...) = rawMremap;
  int (*Mprotect)(void *, size_t, int) = rawMprotect;
  int (*PkeyMprotect)(void *, size_t, int, int) = rawPkeyMprotect;
} RealMaps;

template <typename Fn> static void find(Fn *&To, const char *Name) {
  if (void *P = nextSymbol(Name))
    To = reinterpret_cast<Fn *>(P);
}

void capture::prepareMaps() {
  find(RealMaps.Mmap, "mmap");
  find(RealMaps.Munmap, "munmap");
  find(RealMaps.Mremap, "mremap");
  find(RealMaps.Mprotect, "mprotect");
  find(RealMaps.PkeyMprotect, "pkey_mprotect");
}

//===----------------------------------------------------------------------===//
// mmap, munmap
//===----------------------------------------------------------------------===//

static MapClass anonymousClass(int Prot, int Flags) {
  return Prot == PROT_NONE || (Flags & MAP_NORESERVE) ? MapClass::Reserved
                                                      : MapClass::Used;
}

static MapClass classOf(int Prot, int Flags, int Fd) {
  if (Flags & MAP_ANONYMOUS)
    return anonymousClass(Prot, Flags);
  struct stat S;
  if (sys::failed(sys::call(SYS_fstat, Fd, long(&S))) || !S_ISCHR(S.st_mode))
    return MapClass::File;
  if (S.st_rdev == makedev(1, 5)) // /dev/zero
    return anonymousClass(Prot, Flags);
  return MapClass::Device;
}

/// The bytes that the kernel maps for a length.
static uint64_t mappedBytes(size_t Size, int Flags) {
  uint64_t Page = PageBytes;
  if ((Flags & (MAP_ANONYMOUS | MAP_HUGETLB)) ==
      (MAP_ANONYMOUS | MAP_HUGETLB)) {
    unsigned Shift = unsigned(Flags) >> MAP_HUGE_SHIFT & MAP_HUGE_MASK;
    Page = 1ull << (Shift ? Shift : 21);
  }
  return (Size + Page - 1) & ~(Page - 1);
}

static inline void *mapped(void *At, size_t Size, int Prot, int Flags, int Fd,
                           off_t Offset, const CallerFrame &Caller) {
  void *P = RealMaps.Mmap(At, Size, Prot, Flags, Fd, Offset);
  if (P != MAP_FAILED)
    recordPages(wire::HB_Maps,
                wire::MapRecord{uintptr_t(P), classOf(Prot, Flags, Fd),
                                mappedBytes(Size, Flags), AllocFunction::Mmap,
                                0},
                Caller);
  else
    recordMapFailure(Size, errno, Prot, Flags, AllocFunction::Mmap, Caller);
  return P;
}

MEMKIT_EXPORT void *mmap(void *At, size_t Size, int Prot, int Flags, int Fd,
                         off_t Offset) noexcept {
  return mapped(At, Size, Prot, Flags, Fd, Offset, MEMKIT_CALLER);
}

MEMKIT_EXPORT void *mmap64(void *At, size_t Size, int Prot, int Flags, int Fd,
                           off64_t Offset) noexcept {
  return mapped(At, Size, Prot, Flags, Fd, Offset, MEMKIT_CALLER);
}

/// False: the kernel refuses a call with these arguments.
static bool isRange(const void *At, size_t Size) {
  return uintptr_t(At) % PageBytes == 0 && Size != 0 &&
         Size <= wire::Record::MaxSize &&
         uintptr_t(At) <= wire::Record::MaxSize;
}

MEMKIT_EXPORT int munmap(void *At, size_t Size) noexcept {
  if (isRange(At, Size))
    recordUnmap(uintptr_t(At), roundToPages(Size));
  return RealMaps.Munmap(At, Size);
}

//===----------------------------------------------------------------------===//
// mprotect
//===----------------------------------------------------------------------===//

static void recordProtect(void *At, size_t Size, int Prot,
                          const CallerFrame &Caller) {
  constexpr int Access = PROT_READ | PROT_WRITE | PROT_EXEC;
  if (isRange(At, Size))
    recordPages(
        wire::HB_Maps,
        wire::ProtectRecord{uintptr_t(At),
                            Prot & Access ? MapClass::Used : MapClass::Reserved,
                            roundToPages(Size), AllocFunction::Mprotect, 0},
        Caller);
}

MEMKIT_EXPORT int mprotect(void *At, size_t Size, int Prot) noexcept {
  CallerFrame Caller = MEMKIT_CALLER;
  int Result = RealMaps.Mprotect(At, Size, Prot);
  if (Result == 0)
    recordProtect(At, Size, Prot, Caller);
  return Result;
}

MEMKIT_EXPORT int pkey_mprotect(void *At, size_t Size, int Prot,
                                int Key) noexcept {
  CallerFrame Caller = MEMKIT_CALLER;
  int Result = RealMaps.PkeyMprotect(At, Size, Prot, Key);
  if (Result == 0)
    recordProtect(At, Size, Prot, Caller);
  return Result;
}

//===----------------------------------------------------------------------===//
// mremap
//===----------------------------------------------------------------------===//

static bool recordRemapBegin(void *At, size_t Size) {
  ThreadState *T = mappingThread(wire::HB_Maps);
  if (!T || !hasRoom(*T))
    return false;
  T->Ring.write(wire::RemapBeginRecord{uintptr_t(At), roundToPages(Size)});
  return true;
}

static void recordRemapEnd(void *New, size_t Size, bool OldStays,
                           const CallerFrame &Caller) {
  ThreadState *T = mappingThread(wire::HB_Maps);
  if (!T)
    return;
  if (New == MAP_FAILED)
    T->Ring.write(wire::RemapEndRecord{});
  else
    writeWithStack(*T,
                   wire::RemapEndRecord{uintptr_t(New), OldStays,
                                        roundToPages(Size),
                                        AllocFunction::Mremap, 0},
                   Caller);
}

static void *remapped(void *At, size_t Old, size_t New, int Flags, void *To,
                      const CallerFrame &Caller) {
  // An old size of 0 asks for a second mapping of the pages.
  bool Begun = uintptr_t(At) % PageBytes == 0 && Old <= wire::Record::MaxSize &&
               recordRemapBegin(At, Old);
  void *P = RealMaps.Mremap(At, Old, New, Flags, To);
  if (Begun)
    recordRemapEnd(P, New, Old == 0 || (Flags & MREMAP_DONTUNMAP), Caller);
  if (P == MAP_FAILED && (Flags & MREMAP_MAYMOVE))
    recordMapFailure(New, errno, PROT_READ, 0, AllocFunction::Mremap, Caller);
  return P;
}

MEMKIT_EXPORT void *mremap(void *At, size_t Old, size_t New, int Flags,
                           ...) noexcept {
  CallerFrame Caller = MEMKIT_CALLER;
  va_list Rest;
  va_start(Rest, Flags);
  void *To = Flags & (MREMAP_FIXED | MREMAP_DONTUNMAP) ? va_arg(Rest, void *)
                                                       : nullptr;
  va_end(Rest);
  return remapped(At, Old, New, Flags, To, Caller);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the program's allocator what it holds.
//
// The allocator is the library that defines the malloc behind the hooks. Each
// kind has calls of its own, which are looked up in this library alone: a
// program may have loaded a second allocator that serves nobody.

#include "AllocatorReport.h"
#include "MallocInfo.h"
#include "Real.h"
#include "Runtime/Symbols.h"
#include "Runtime/Thread.h"

#include <cstring>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>

using namespace memkit;
using namespace memkit::capture;
using wire::AllocatorFigures;
using wire::AllocatorReport;
using wire::ServingKind;

namespace {
/// The library that serves the program's requests.
class ServingLibrary {
public:
  ServingLibrary() {
    Dl_info Info;
    void *Map = nullptr;
    if (dladdr1(reinterpret_cast<void *>(Real.Malloc), &Info, &Map,
                RTLD_DL_LINKMAP)) {
      Base = Info.dli_fbase;
      LinkMap = Map;
    }
  }

  /// Its own definition of Name; false: it has none.
  template <typename Fn> bool find(const char *Name, Fn *&To) const {
    void *P = LinkMap ? symbolOfBinary(LinkMap, Name) : nullptr;
    Dl_info Info;
    if (!P || !dladdr(P, &Info) || Info.dli_fbase != Base)
      return false;
    To = reinterpret_cast<Fn *>(P);
    return true;
  }

private:
  void *Base = nullptr, *LinkMap = nullptr;
};
} // namespace

static void setVersion(AllocatorReport &To, const char *Text) {
  if (Text)
    strncpy(To.Version, Text, sizeof(To.Version) - 1);
}

static bool askGlibc(const ServingLibrary &L, AllocatorReport &To) {
  int (*Info)(int, FILE *);
  if (!L.find("malloc_info", Info) || !readMallocInfo(Info, To))
    return false;
  setVersion(To, gnu_get_libc_version());
  return true;
}

static bool askJemalloc(const ServingLibrary &L, AllocatorReport &To) {
  int (*Control)(const char *, void *, size_t *, void *, size_t);
  if (!L.find("mallctl", Control))
    return false;
  // The figures are those of the last epoch.
  uint64_t Epoch = 1;
  size_t Bytes = sizeof(Epoch);
  Control("epoch", &Epoch, &Bytes, &Epoch, sizeof(Epoch));
  auto Read = [&](const char *Name, uint64_t &Out) {
    size_t Value = 0, Room = sizeof(Value);
    if (!Control(Name, &Value, &Room, nullptr, 0))
      Out = Value;
  };
  Read("stats.allocated", To.All.InUse);
  Read("stats.resident", To.All.Reserved);
  if (To.All.Reserved != AllocatorFigures::NotSaid &&
      To.All.Reserved >= To.All.InUse)
    To.All.Free = To.All.Reserved - To.All.InUse;
  const char *Version = nullptr;
  Bytes = sizeof(Version);
  if (!Control("version", &Version, &Bytes, nullptr, 0))
    setVersion(To, Version);
  return To.All.InUse != AllocatorFigures::NotSaid;
}

static bool askTcmalloc(const ServingLibrary &L, AllocatorReport &To) {
  int (*Read)(const char *, size_t *);
  if (!L.find("MallocExtension_GetNumericProperty", Read))
    return false;
  size_t InUse = 0, Heap = 0, Returned = 0;
  if (!Read("generic.current_allocated_bytes", &InUse) ||
      !Read("generic.heap_size", &Heap))
    return false;
  Read("tcmalloc.pageheap_unmapped_bytes", &Returned);
  To.All.InUse = InUse;
  To.All.Reserved = Heap - (Returned < Heap ? Returned : Heap);
  if (To.All.Reserved >= InUse)
    To.All.Free = To.All.Reserved - InUse;
  const char *(*Version)(int *, int *, const char **);
  if (L.find("tc_version", Version))
    setVersion(To, Version(nullptr, nullptr, nullptr));
  return true;
}

static bool askMimalloc(const ServingLibrary &L, AllocatorReport &To) {
  void (*Info)(size_t *, size_t *, size_t *, size_t *, size_t *, size_t *,
               size_t *, size_t *);
  if (!L.find("mi_process_info", Info))
    return false;
  size_t Committed = 0, Other[7];
  Info(&Other[0], &Other[1], &Other[2], &Other[3], &Other[4], &Committed,
       &Other[5], &Other[6]);
  To.All.Reserved = Committed;
  return true;
}

void capture::askAllocator(AllocatorReport &To) {
  // The allocations of the calls below are no blocks of the program.
  Quiet Own;
  ServingLibrary L;
  To.All = AllocatorFigures();
  struct {
    ServingKind Kind;
    bool (*Ask)(const ServingLibrary &, AllocatorReport &);
  } static constexpr Known[] = {{ServingKind::Jemalloc, askJemalloc},
                                {ServingKind::Tcmalloc, askTcmalloc},
                                {ServingKind::Mimalloc, askMimalloc},
                                {ServingKind::Glibc, askGlibc}};
  ServingKind Kind = ServingKind::Unknown;
  for (const auto &K : Known)
    if (K.Ask(L, To)) {
      Kind = K.Kind;
      break;
    }
  To.Kind.store(uint32_t(Kind), std::memory_order_release);
}

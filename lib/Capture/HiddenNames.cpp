// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hides the library's hooks from programs that lack the hooked functions.

#include "HiddenNames.h"

#include "Runtime/Symbols.h"
#include "Runtime/Thread.h"
#include "Stacks/Binaries.h"
#include "Stacks/Loader.h"
#include "TensorFlow/Names.h"

#include <cstring>
#include <dlfcn.h>

using namespace memkit;
using namespace memkit::capture;

/// Of Cuda: the real dlsym.
extern "C" __attribute__((visibility("hidden"))) void *(*memrecRealDlsym)(
    void *, const char *);

namespace {
/// The libraries that define hooked functions whose names begin with Prefix.
struct HookedLibraries {
  const char *Prefix;
  const char *Libraries[4];
};
} // namespace

static constexpr HookedLibraries Hooked[] = {
    {"_ZN2at", {"libtorch_cpu.so"}},
    {"_ZN3c10", {"libc10.so"}},
    {"_ZN5torch", {"libtorch_cpu.so"}},
    {"_ZN10tensorflow", {tf::Framework, tf::Cc}},
    {"_ZNK10tensorflow", {tf::Framework, tf::Cc}},
    {"_ZN3tsl", {tf::Framework, tf::Cc}},
    {"_ZN3xla", {tf::Framework, tf::Cc}},
    {"TFE_Execute", {tf::Framework, tf::Cc}},
    {"cudaMallocAsync",
     {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"}},
    {"cudaFreeAsync",
     {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"}},
    {"cuptiActivityRegisterCallbacks",
     {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
      "libcupti.so.11.7"}},
    {"cuptiSubscribe",
     {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
      "libcupti.so.11.7"}},
    {"cuptiUnsubscribe",
     {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
      "libcupti.so.11.7"}},
    {"nccl", {"libnccl.so.2"}},
};

static const HookedLibraries *librariesOf(const char *Name) {
  for (const HookedLibraries &L : Hooked)
    if (strncmp(Name, L.Prefix, strlen(L.Prefix)) == 0)
      return &L;
  return nullptr;
}

bool capture::isHookOfFramework(const char *Name) { return librariesOf(Name); }

/// Handles whose look-ups search the program's global scope.
static bool isGlobal(void *Handle) {
  if (Handle == RTLD_DEFAULT || Handle == RTLD_NEXT)
    return true;
  // The handle of dlopen(nullptr) is the link_map of the program.
  return *static_cast<link_map *>(Handle)->l_name == 0;
}

static bool isOwn(void *P) { return isOwnCode(uintptr_t(P)); }

/// Whether some other library has the name, in the scopes that the look-up of
/// Caller may search or as the owner of the name.
static bool isElsewhere(const HookedLibraries &Of, const char *Name,
                        uintptr_t Caller) {
  if (nextSymbol(Name))
    return true;
  for (const char *Library : Of.Libraries)
    if (Library && symbolOfLoaded(Library, Name))
      return true;
  FoundObject Binary = {};
  if (!Loader.find(Caller, Binary) || !Binary.LinkMap)
    return false;
  void *P = symbolSeenBy(Binary.LinkMap, Name);
  return P && !isOwn(P);
}

/// Whether dlsym(\p Handle, \p Name) of the code at \p Caller must find
/// nothing: the result would be a definition of this library, and without this
/// library there would be none. True leaves the error of a failed look-up for
/// dlerror. Any thread outside of signal handlers, as dlsym.
extern "C" __attribute__((visibility("hidden"))) bool
memrecHides(void *Handle, const char *Name, uintptr_t Caller) {
  if (isOwnCode(Caller) || !isGlobal(Handle))
    return false;
  const HookedLibraries *Of = librariesOf(Name);
  if (!Of)
    return false;
  Quiet Q;
  if (!isOwn(memrecRealDlsym(RTLD_DEFAULT, Name)) ||
      isElsewhere(*Of, Name, Caller))
    return false;
  memrecRealDlsym(RTLD_NEXT, Name); // For dlerror.
  return true;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules, libraries and kernels, as far as they take memory.
#include "fakecuda.h"
#include <stdio.h>
#include <stdlib.h>

struct CUmod_st {
  CUcontext Context; // null: it is not loaded
  struct CUmod_st *Next;
  void *Host;
};
struct CUfunc_st {
  CUmodule Of;
  char Name[256];
};
const char *fakecuda_function_name(CUfunction F) { return F->Name; }

static void load(CUmodule M) {
  if (M->Context)
    return;
  CUcontext C = current();
  takeBytes(C->Device, bytesOf("FAKECUDA_MODULE_BYTES"));
  *M = (struct CUmod_st){C, C->Modules, takeHost()};
  C->Modules = M;
  fireResource(CUPTI_CBID_RESOURCE_MODULE_LOADED, C);
}

static void unload(CUmodule M) {
  CUcontext C = M->Context;
  if (!C)
    return;
  fireResource(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, C);
  for (struct CUmod_st **P = &C->Modules; *P; P = &(*P)->Next)
    if (*P == M) {
      *P = M->Next;
      break;
    }
  giveBytes(C->Device, bytesOf("FAKECUDA_MODULE_BYTES"));
  free(M->Host);
  M->Context = NULL;
}

void endContextModules(CUcontext C) {
  while (C->Modules)
    unload(C->Modules);
}

static CUmodule make(void) {
  CUmodule M = calloc(1, sizeof(*M));
  if (!getenv("FAKECUDA_LAZY"))
    load(M);
  return M;
}

EXPORT CUresult cuModuleLoad(CUmodule *To, const char *File) {
  ENTER(cuModuleLoad, To, File);
  if (!R_)
    *To = make();
  LEAVE;
}
EXPORT CUresult cuModuleLoadData(CUmodule *To, const void *Process) {
  ENTER(cuModuleLoadData, To, Process);
  if (!R_)
    *To = make();
  LEAVE;
}
EXPORT CUresult cuModuleLoadDataEx(CUmodule *To, const void *Process, unsigned N, CUjit_option *Options, void **Values) {
  ENTER(cuModuleLoadDataEx, To, Process, N, Options, Values);
  if (!R_)
    *To = make();
  LEAVE;
}
EXPORT CUresult cuModuleUnload(CUmodule M) {
  ENTER(cuModuleUnload, M);
  if (!R_)
    unload(M);
  LEAVE;
}
EXPORT CUresult cuLibraryLoadData(CUlibrary *To, const void *Code, CUjit_option *Jit, void **JitValues, unsigned NumJit,
                                  CUlibraryOption *Options, void **Values, unsigned N) {
  ENTER(cuLibraryLoadData, To, Code, Jit, JitValues, NumJit, Options, Values, N);
  if (!R_)
    *To = (CUlibrary)make();
  LEAVE;
}
EXPORT CUresult cuLibraryUnload(CUlibrary L) {
  ENTER(cuLibraryUnload, L);
  if (!R_)
    unload((CUmodule)L);
  LEAVE;
}
EXPORT CUresult cuModuleGetFunction(CUfunction *To, CUmodule M, const char *Name) {
  ENTER(cuModuleGetFunction, To, M, Name);
  if (!R_) {
    *To = calloc(1, sizeof(**To));
    (*To)->Of = M;
    snprintf((*To)->Name, sizeof((*To)->Name), "%s", Name);
  }
  LEAVE;
}
EXPORT CUresult cuLaunchKernel(CUfunction F, unsigned GridX, unsigned GridY, unsigned GridZ, unsigned BlockX,
                               unsigned BlockY, unsigned BlockZ, unsigned Shared, CUstream S, void **Args,
                               void **Extra) {
  ENTER(cuLaunchKernel, F, GridX, GridY, GridZ, BlockX, BlockY, BlockZ, Shared, S, Args, Extra);
  if (!R_)
    load(F->Of);
  LEAVE;
}

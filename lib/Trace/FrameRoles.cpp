// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The role of a frame for a reader of Python.

#include "memkit/Trace/FrameRoles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

/// Functions of the interpreter that only call others. Extension binaries, and
/// programs that embed an interpreter, have no other sign of glue than these
/// names.
static constexpr StringLiteral GluePrefixes[] = {
    "PyEval_",
    "_PyEval_",
    "_PyFunction_",
    "PyObject_Call",
    "_PyObject_Call",
    "_PyObject_FastCall",
    "_PyObject_MakeTpCall",
    "PyObject_Vectorcall",
    "_PyObject_Vectorcall",
    "PyVectorcall_",
    "_PyVectorcall_",
    "PyCFunction_Call",
    "_PyCFunction_",
    "_PyMethodDef_",
    "_PyMethodDescr_",
    "_PyStack_",
    "PyIter_Send",
    "cfunction_",
    "method_vectorcall",
    "method_call",
    "classmethod_",
    "function_code_fastcall",
    "slot_tp_",
    "slot_nb_",
    "slot_sq_",
    "slot_mp_",
    "slot_am_",
    "vectorcall_",
    "object_vacall",
    "wrap_",
    "wrapper_call",
    "wrapperdescr_",
    "partial_call",
    "partial_vectorcall",
    "gen_send_ex",
    "gen_iternext",
    "lookup_maybe_",
    "call_unbound",
    "__Pyx_PyObject_Call",
    "__Pyx_PyFunction_FastCall",
    "__Pyx_PyVectorcall_",
    "__Pyx_PyMethod_",
    "__Pyx_CyFunction_",
};
static constexpr StringLiteral GlueNames[] = {
    "type_call",          "type_vectorcall", "call_function",  "do_call_core",
    "fast_function",      "_PyCall_MakeTp",  "call_method",    "vgetargs1_impl",
    "property_descr_get", "call_attribute",  "gen_close_iter",
};

/// The interpreter's allocators: the functions between the interpreter and
/// malloc.
static constexpr StringLiteral AllocatorPrefixes[] = {
    "_PyMem_",
    "PyMem_",
    "_PyObject_Malloc",
    "_PyObject_Calloc",
    "_PyObject_Realloc",
    "_PyObject_Arena",
    "PyObject_Malloc",
    "PyObject_Calloc",
    "PyObject_Realloc",
    "_PyObject_GC_",
    "PyObject_GC_",
    "gc_alloc",
    "pymalloc_",
    "new_arena",
    "allocate_from_new_pool",
    "arena_map_",
    "PyType_GenericAlloc",
    "_PyType_AllocNoTrack",
};

static constexpr StringLiteral StartNames[] = {
    "_start",  "start_thread", "clone",        "clone3",
    "__clone", "__clone3",     "thread_start",
};

static StringRef lastPart(StringRef Path) {
  return Path.substr(Path.rfind('/') + 1);
}

/// A name without the suffixes that compilers append.
static StringRef plainName(StringRef Function) {
  return Function.take_front(Function.find_first_of(". "));
}

static bool isGlue(StringRef Function) {
  return any_of(GluePrefixes,
                [&](StringRef P) { return Function.starts_with(P); }) ||
         is_contained(GlueNames, plainName(Function));
}

static bool isAllocator(StringRef Function) {
  return any_of(AllocatorPrefixes,
                [&](StringRef P) { return Function.starts_with(P); });
}

static bool isStart(StringRef Function) {
  return is_contained(StartNames, Function) ||
         Function.starts_with("__libc_start_");
}

/// `python3.11`, `libpython3.11.so.1.0`.
static bool isInterpreter(StringRef Binary) {
  StringRef Name = lastPart(Binary);
  if (Name.consume_front("libpython"))
    return Name.empty() || Name.front() == '.' || isDigit(Name.front());
  return Name.consume_front("python") &&
         (Name.empty() || isDigit(Name.front()));
}

static bool isLibc(StringRef Binary) {
  StringRef Name = lastPart(Binary);
  return Name.starts_with("libc.so") || Name.starts_with("libpthread") ||
         Name.starts_with("libc-2.") || Name.starts_with("ld-musl");
}

FrameRole nativeFrameRole(StringRef Binary, ArrayRef<StringRef> Functions) {
  bool IsInterpreter = isInterpreter(Binary);
  if (Functions.empty())
    return IsInterpreter    ? FrameRole::Glue
           : isLibc(Binary) ? FrameRole::Start
                            : FrameRole::Program;
  if (all_of(Functions, isGlue))
    return FrameRole::Glue;
  if (IsInterpreter)
    return all_of(Functions, isAllocator) ? FrameRole::Allocator
                                          : FrameRole::Interpreter;
  return all_of(Functions, isStart) ? FrameRole::Start : FrameRole::Program;
}

/// Whether File is `lib/python3.11/site.py`, which runs before the program.
static bool isSite(StringRef File) {
  return File == "<frozen site>" || (File.consume_back("/site.py") &&
                                     lastPart(File).starts_with("python3."));
}

FrameRole pythonFrameRole(StringRef File) {
  bool IsLoader = isSite(File) || File.starts_with("<frozen importlib") ||
                  File == "<frozen runpy>" || File.ends_with("/runpy.py") ||
                  File.ends_with("/importlib/__init__.py") ||
                  File.ends_with("/importlib/_bootstrap.py") ||
                  File.ends_with("/importlib/_bootstrap_external.py");
  return IsLoader ? FrameRole::Loader : FrameRole::Python;
}

SmallVector<bool, 64> unfoldedFrames(ArrayRef<FrameRole> Roles) {
  SmallVector<bool, 64> Stays(Roles.size(), true);
  for (size_t I = 0; I != Roles.size(); ++I)
    Stays[I] = Roles[I] != FrameRole::Allocator;
  size_t Inner = Roles.size(); // index after the innermost Python frame
  while (Inner && !isPython(Roles[Inner - 1]))
    --Inner;
  if (!Inner)
    return Stays;
  // Drops the start when only frames of the interpreter follow it.
  size_t First = 0;
  while (!isPython(Roles[First]) && Roles[First] != FrameRole::Program)
    ++First;
  bool IsStarted = isPython(Roles[First]);
  for (size_t I = 0; I + 1 < Inner; ++I)
    Stays[I] = Roles[I] == FrameRole::Python ||
               Roles[I] == FrameRole::Program ||
               (Roles[I] == FrameRole::Start && (I > First || !IsStarted));
  for (size_t I = Inner; I != Roles.size() && Roles[I] == FrameRole::Glue; ++I)
    Stays[I] = false;
  return Stays;
}

} // namespace memkit

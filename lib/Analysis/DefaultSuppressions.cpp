// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suppressions of memory that programs keep by design.
//
// Lists in the syntax of a suppressions file. The listed functions allocate
// memory that lives at the end of every program of their kind, is allocated
// once, and is no leak. Patterns must be bound at both ends, and must not match
// functions through which the program itself allocates.

#include "memkit/Analysis/Suppressions.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

namespace {
struct List {
  const char *NeededHeap; ///< the list applies only to traces with this heap;
                          ///< null: to all
  const char *Text;
};
} // namespace

static constexpr List Lists[] = {
    // The loader's own tables of loaded binaries; not constructors.
    {nullptr, R"(
leak:^_dl_new_object$
leak:^_dl_map_object$
leak:^_dl_map_object_deps$
leak:^_dl_check_map_versions$
leak:^_dl_find_object_update$
leak:^_dl_init_paths$
leak:^_dl_important_hwcaps$
leak:^add_to_global_update$
)"},
    // libc's locales and conversions.
    {nullptr, R"(
leak:^setlocale$
leak:^_nl_find_locale$
leak:^__gconv_find_transform$
leak:^__gconv_load_conf$
leak:^__wcsmbs_load_conv$
)"},
    // CPython: its start, types that are never freed, interned strings, names
    // and constants of code.
    {nullptr, R"(
leak:^Py_InitializeFromConfig$
leak:^Py_PreInitializeFromPyArgv$
leak:^_PyRuntime_Initialize$
leak:^PyType_Ready$
leak:^PyUnicode_InternInPlace$
leak:^PyUnicode_InternFromString$
leak:^_PyUnicode_InternMortal$
leak:^_PyUnicode_InternImmortal$
leak:^PyDict_SetItemString$
leak:^_PyPegen_new_identifier$
leak:^r_object$
)"},
    // Device memory that PyTorch's allocators cache for reuse.
    {nullptr, R"(
leak:^[device segment]$
)"},
    // CPython's arenas: unused memory in arenas, if the objects in them are
    // recorded. Without recorded objects, the arenas are their only trace and
    // are not suppressed.
    {"python.object", R"(
leak:^new_arena$
leak:^_PyObject_ArenaMmap$
leak:^_PyMem_ArenaAlloc$
leak:^arena_map_get$
)"},
};

Suppressions Suppressions::byDefault(const Trace &T) {
  Suppressions S;
  for (const List &L : Lists) {
    auto IsNeeded = [&](const Heap &H) {
      return T.string(H.Name) == L.NeededHeap;
    };
    if (L.NeededHeap && none_of(T.heaps(), IsNeeded))
      continue;
    cantFail(S.parse(L.Text, "the built-in list"));
  }
  return S;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is kept by design.
//
// Lists in the syntax of a suppressions file. What stands here lives at the end
// of every program of its kind, once and for good, and is nobody's leak: keep
// patterns bound at both ends, and to functions through which nothing of the
// program itself is allocated.

#include "memkit/Analysis/Suppressions.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

namespace {
struct List {
  const char *NeededHeap; ///< a trace without it has no use for it; null: any
  const char *Text;
};
} // namespace

static constexpr List Lists[] = {
    // The loader's own tables of what it has loaded; not constructors.
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
    // What PyTorch's allocators keep of a device to give out again.
    {nullptr, R"(
leak:^[device segment]$
)"},
    // CPython's arenas: what is not given out of them, when the objects in them
    // are recorded. Else they are the only trace that these leave.
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

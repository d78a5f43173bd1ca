// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Provides the package memkit to a program without it.

#include "ModuleFinder.h"

#include "Runtime/Process.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

/// Defines no name in the program's module. A child of fork inherits the
/// finder. A program to which memrec attaches may have imported the package.
static constexpr char Before[] = R"(exec('''
try:
    import sys
    class Finder:
        memkit = True
        @classmethod
        def find_spec(cls, name, path=None, target=None):
            if name != "memkit":
                return None
            for other in sys.meta_path:
                if other is not cls and hasattr(other, "find_spec"):
                    spec = other.find_spec(name, path, target)
                    if spec is not None:
                        return spec
            from importlib.util import spec_from_file_location
            return spec_from_file_location(
                name, cls.folder + "/memkit/__init__.py",
                submodule_search_locations=[cls.folder + "/memkit"])
    Finder.folder = ")";
static constexpr char After[] = R"("
    if not any(hasattr(f, "memkit") for f in sys.meta_path):
        sys.meta_path.append(Finder)
    late = sys.modules.get("memkit._native")
    if late:
        late.attached()
except Exception:
    pass
''', {}))";

/// Can \p Folder be put into the text without quoting?
static bool isPlain(const char *Folder) {
  for (const char *C = Folder; *C; ++C)
    if (uint8_t(*C) < ' ' || *C == '"' || *C == '\'' || *C == '\\')
      return false;
  return *Folder;
}

void ModuleFinder::begin(const Exports &E, const char *F) {
  Folder = F;
  Wanted = isPlain(F) && Calls.find(E);
}

/// Called by the interpreter, in its main thread, with the GIL held.
int ModuleFinder::install(void *Self) {
  auto *F = static_cast<ModuleFinder *>(Self);
  // A child of fork inherits the call, but has no finder of its own yet.
  if (!F->Calls.isThere() || !F->Folder)
    return 0;
  char Text[sizeof(Before) + sizeof(wire::Control::PythonFolder) +
            sizeof(After)];
  char *To = stpcpy(Text, Before);
  To = stpncpy(To, F->Folder, sizeof(wire::Control::PythonFolder) - 1);
  strcpy(To, After);
  F->Calls.run(Text);
  return 0;
}

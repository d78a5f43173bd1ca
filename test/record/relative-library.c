// A library that is loaded by a relative path has its names, though the program leaves
// the folder before it allocates there, and has ended when it is looked at.
//
// RUN: rm -rf %t.dir && mkdir -p %t.dir/lib %t.dir/plain
// RUN: %cc -O0 -g -shared -fPIC -DLIBRARY=dlopened %s -o %t.dir/plugin.so
// RUN: %cc -O0 -g -shared -fPIC -DLIBRARY=linked %s -o %t.dir/lib/liblinked.so
// RUN: %cc -O0 -g %s -o %t.dir/prog -L%t.dir/lib -llinked -ldl
// RUN: cd %t.dir && env LD_LIBRARY_PATH=lib memrec -o %t.fb ./prog 2> %t.err
// RUN: memflame --format=collapsed %t.fb | FileCheck %s
// CHECK-DAG: main;dlopened;malloc 1111
// CHECK-DAG: main;linked;malloc 2222
// RUN: not grep symbols %t.err
//
// The trace has the whole path, so that symbols can be added elsewhere.
// RUN: memdump --format=asm %t.fb | FileCheck %s --check-prefix=PATH
// PATH-DAG: string {{[0-9]+}} "/{{.*}}.dir/plugin.so"
// PATH-DAG: string {{[0-9]+}} "/{{.*}}.dir/lib/liblinked.so"
//
// One that comes and goes is one module.
// RUN: cd %t.dir && env LD_LIBRARY_PATH=lib memrec -q -o %t.again.fb ./prog 20
// RUN: memdump --format=asm %t.fb | grep -c '^ *load ' > %t.loads
// RUN: memdump --format=asm %t.again.fb | grep -c '^ *load ' | diff %t.loads -
//
// From Python, too.
// RUN: cd %t.dir && memrec -q -o %t.py.fb %python -c 'import ctypes, os; f = ctypes.CDLL("./plugin.so").dlopened; os.chdir("/"); f()'
// RUN: memflame --metric=allocated --format=collapsed %t.py.fb | FileCheck %s --check-prefix=CTYPES
// CTYPES: ;dlopened;malloc 1111
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef LIBRARY
static int bytesOf(int Letter) { return Letter == 'd' ? 1111 : 2222; }
#define TEXT(Name) #Name
#define FIRST(Name) TEXT(Name)[0]
void *LIBRARY(void) { return malloc(bytesOf(FIRST(LIBRARY))); }
#else
void *linked(void);
int main(int Argc, char **Argv) {
  for (int Left = Argc > 1 ? atoi(Argv[1]) : 1; Left > 0; --Left) {
    void *Library = dlopen("./plugin.so", RTLD_NOW);
    void *(*Entry)(void) = (void *(*)(void))dlsym(Library, "dlopened");
    char Folder[4096];
    if (!getcwd(Folder, sizeof(Folder)) || chdir("/"))
      return 1;
    void *Block = Entry();
    if (chdir(Folder))
      return 1;
    if (Left > 1) {
      free(Block);
      dlclose(Library);
    }
  }
  return !linked() || chdir("/");
}
#endif

// A program whose recorder does not answer finds its own operator new, although
// the library that has it is in a local scope.
//
// RUN: %cc -DOWN -shared -fPIC %s -o %t.own.so
// RUN: %cc -DUSER -shared -fPIC %s -o %t.user.so %t.own.so
// RUN: %cc %s -o %t -ldl
// RUN: env LD_PRELOAD=%libmemrec MEMREC_SOCKET=%t.none MEMREC_PRELOAD=%libmemrec %t %t.user.so | FileCheck %s
// CHECK: {{^}}its own{{$}}
#if defined(OWN)
static char Memory[64];
void *_Znwm(unsigned long Size) { return Size ? Memory : 0; }
int isOwn(void *P) { return P == Memory; }
#elif defined(USER)
void *_Znwm(unsigned long Size);
int isOwn(void *P);
int usesOwn(void) { return isOwn(_Znwm(8)); }
#else
#include <dlfcn.h>
#include <stdio.h>
int main(int Count, char **Args) {
  void *User = Count > 1 ? dlopen(Args[1], RTLD_NOW | RTLD_LOCAL) : 0;
  int (*UsesOwn)(void) = User ? (int (*)(void))dlsym(User, "usesOwn") : 0;
  puts(!UsesOwn ? "not loaded" : UsesOwn() ? "its own" : "another");
}
#endif

// Modules that glibc loads and unloads by itself: their allocations have the
// right module, however often another one has been at its place.
//
// REQUIRES: gconv
// RUN: %cc -O1 -g %s -o %t
// RUN: %wiredrain --stacks -- %t > %t.out
// RUN: FileCheck %s < %t.out
// RUN: %oracle 500 1 -- %t | FileCheck %s --check-prefix=ORACLE
// RUN: env MEMREC_ORACLE_OLD_GLIBC=1 %oracle 500 1 -- %t | FileCheck %s --check-prefix=ORACLE
// RUN: memrec -q -o %t.fb %t
// RUN: memdump --check %t.fb
//
// What a conversion holds is allocated by its own module, each time anew.
// CHECK-DAG: alloc malloc size {{[0-9]+}} UTF-16.so+
// CHECK-DAG: alloc malloc size {{[0-9]+}} UTF-7.so+
// CHECK-DAG: alloc malloc size {{[0-9]+}} UTF-32.so+
// CHECK: unknown 0 twice 0 lost 0
// Not all stay loaded.
// CHECK: unmapped {{[1-9][0-9]*}} exit 0
//
// ORACLE: different 0 beyond 0 marked 0
// ORACLE: status 0
#include <iconv.h>
#include <stdio.h>
#include <string.h>

static int convert(const char *To) {
  iconv_t C = iconv_open(To, "UTF-8");
  if (C == (iconv_t)-1)
    return 0;
  char In[] = "memory", Out[64];
  char *From = In, *Into = Out;
  size_t Left = strlen(In), Room = sizeof(Out);
  int Good = iconv(C, &From, &Left, &Into, &Room) != (size_t)-1;
  iconv_close(C);
  return Good;
}

int main(void) {
  const char *Names[] = {"UTF-16", "EUC-JP",     "UTF-7",   "KOI8-R",
                         "UTF-32", "ISO-8859-5", "CP1252",  "UTF-16",
                         "BIG5",   "SHIFT_JIS",  "EUC-KR",  "ISO-8859-15"};
  int Good = 0;
  for (int Round = 0; Round < 20; ++Round)
    for (unsigned I = 0; I < sizeof(Names) / sizeof(*Names); ++I)
      Good += convert(Names[I]);
  return Good == 0;
}

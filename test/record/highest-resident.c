// The highest resident memory is the kernel's own figure: a peak between two samples counts.
//
// RUN: %cc -O1 %s -o %t
// RUN: memrec -q -o %t.fb %t > %t.kilobytes
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep process-end > %t.end
// RUN: %python -c 'import sys; told = int(open(sys.argv[1]).read().split()[-1]); peak = int(open(sys.argv[2]).read()) << 10; assert 64 << 20 < peak and abs(told - peak) < 1 << 20, (told, peak)' %t.end %t.kilobytes
// RUN: memstat --format=json %t.fb > %t.json
// A sample may be some pages above what the kernel tells at the end.
// RUN: %python -c 'import json, re, sys; peak = int(re.search("\"rss_peak_bytes\": ([0-9]+)", open(sys.argv[1]).read()).group(1)); told = int(open(sys.argv[2]).read().split()[-1]); assert 0 <= peak - told < 1 << 20, (peak, told)' %t.json %t.end
// REQUIRES: python
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(void) {
  size_t Bytes = 64 << 20;
  char *P = mmap(0, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(P, 1, Bytes);
  munmap(P, Bytes);
  char Line[256];
  long Kilobytes = 0;
  FILE *Status = fopen("/proc/self/status", "r");
  while (fgets(Line, sizeof(Line), Status))
    sscanf(Line, "VmHWM: %ld", &Kilobytes);
  fclose(Status);
  printf("%ld\n", Kilobytes);
  return 0;
}

// Ranges of NVTX that a thread pushes and pops are scope paths of the kind range,
// in a domain as domain:name, with their color; marks, and ranges that another
// thread may end, are marks. Each module has its own tables; children of fork
// go on.
//
// REQUIRES: nvtx3
//
// RUN: %cc -O1 -g %nvtx3 -shared -fPIC -DMODULE %s -o %t.so
// RUN: %cc -O1 -g %nvtx3 %s %t.so -Wl,-rpath,%S -o %t.exe -pthread
// RUN: memrec -q --step='^Lib:work$' -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --format=asm %t.fb | FileCheck %s --check-prefix=SCOPES
// RUN: memdump %t.fb | FileCheck %s --check-prefix=MARKS
// RUN: memflame --group-by=scope --format=collapsed --metric=allocated --heap=host.malloc %t.fb | FileCheck %s --check-prefix=FLAME
// RUN: memflame --scope=outer --format=collapsed --metric=allocated %t.fb | FileCheck %s --check-prefix=SCOPE
// RUN: memdump --scopes --format=csv %t.fb | FileCheck %s --check-prefix=TABLE
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=SUMMARY
//
// Without a recorder, and with its variable, nothing happens.
//
// RUN: env NVTX_INJECTION64_PATH=%libmemrec %t.exe

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

static nvtxEventAttributes_t event(void) {
  nvtxEventAttributes_t E = {0};
  E.version = NVTX_VERSION;
  E.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  return E;
}

#ifdef MODULE
void work(size_t Bytes) {
  static nvtxDomainHandle_t Domain;
  static nvtxStringHandle_t Name;
  if (!Domain) {
    Domain = nvtxDomainCreateA("Lib");
    Name = nvtxDomainRegisterStringA(Domain, "work");
  }
  nvtxEventAttributes_t E = event();
  E.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  E.message.registered = Name;
  E.colorType = NVTX_COLOR_ARGB;
  E.color = 0xff00ff80;
  nvtxDomainRangePushEx(Domain, &E);
  *(void *volatile *)malloc(sizeof(void *)) = malloc(Bytes);
  nvtxDomainRangePop(Domain);
}
#else
void work(size_t Bytes);
static void *volatile Keep;

static void *ends(void *Id) {
  nvtxRangeEnd(*(nvtxRangeId_t *)Id);
  return 0;
}

int main(void) {
  if (nvtxRangePushA("outer") == 0 &&
      nvtxRangePushW(L"br\u00fccke \U0001F600") != 1)
    return 1;
  Keep = malloc(1000);
  if (nvtxRangePop() == 0)
    return 2;
  work(20000);
  nvtxRangePop();
  work(300);

  // Of two domains the inner one ends first, whatever order they are popped in.
  nvtxDomainHandle_t Other = nvtxDomainCreateW(L"Other");
  nvtxEventAttributes_t E = event();
  E.messageType = NVTX_MESSAGE_TYPE_ASCII;
  E.message.ascii = "crossed";
  nvtxRangePushA("first");
  nvtxDomainRangePushEx(Other, &E);
  nvtxRangePop();
  Keep = malloc(4000);
  nvtxDomainRangePop(Other);
  Keep = malloc(50000);
  if (nvtxRangePop() >= 0) // there is none
    return 3;

  nvtxMarkA("a mark");
  E.messageType = NVTX_MESSAGE_TYPE_UNICODE;
  E.message.unicode = L"\u00e4 mark";
  nvtxDomainMarkEx(Other, &E);
  nvtxMarkEx(&E);
  nvtxRangeId_t Id = nvtxRangeStartA("to another");
  pthread_t Thread;
  pthread_create(&Thread, 0, ends, &Id);
  pthread_join(Thread, 0);
  nvtxDomainRangeEnd(Other, nvtxDomainRangeStartEx(Other, &E));

  if (fork() == 0) {
    work(7000); // by handles of its parent
    _exit(0);
  }
  wait(0);
  return 0;
}
#endif

// SCOPES: scope {{[0-9]+}} range name={{[0-9]+}}{{$}}
// SCOPES: scope {{[0-9]+}} range name={{[0-9]+}} color=0xff00ff80
// MARKS: user a mark
// MARKS: user Other:ä mark
// MARKS: user ä mark
// MARKS: range-begin {{[0-9]+}} to another
// MARKS: range-end
// MARKS: range-begin {{[0-9]+}} Other:ä mark
// MARKS: range-end
// FLAME-DAG: outer;brücke 😀 1000
// FLAME-DAG: outer;Lib:work 20008
// FLAME-DAG: {{^}}Lib:work 7316
// FLAME-DAG: first;Other:crossed 4000
// SCOPE: main;work;malloc 20008
// SCOPE-NEXT: main;malloc 1000
// TABLE: name,{{.*}}calls
// TABLE-DAG: {{^}}outer,{{.*}}
// TABLE-DAG: {{^}}Lib:work,{{.*}}
// SUMMARY: , 3 steps

// A program that executes another before the recorder has looked at it for the first
// time, and has allocated nothing.
//
// RUN: %cc -O1 %s -o %t.exe
// RUN: for i in $(seq 60); do memrec -q -o %t.fb %t.exe %t.exe || exit 1; done
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb | FileCheck %s
// CHECK: "exit_status": null,
// CHECK: "exit_status": 0,
#include <unistd.h>

int main(int Argc, char **Argv) {
  extern char **environ;
  char *Next[] = {Argv[0], 0};
  return Argc < 2 ? 0 : execve(Argv[1], Next, environ);
}

// longjmp and exceptions out of frames that have allocated.
//
// RUN: %cxx -O1 -g %s -o %t.exe
// RUN: %{same} %t.fb -- %t.exe

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

static jmp_buf Back;
static void *volatile P;

__attribute__((noinline)) static void jump(int Depth) {
  P = malloc(50);
  free(P);
  if (Depth == 0)
    longjmp(Back, 1);
  jump(Depth - 1);
  P = nullptr;
}

__attribute__((noinline)) static void fail(int Depth) {
  std::string Text(100, 'x');
  if (Depth == 0)
    throw std::runtime_error(Text);
  fail(Depth - 1);
}

int main() {
  volatile int Jumps = 0, Caught = 0;
  for (volatile int I = 0; I < 1000; I = I + 1) {
    if (setjmp(Back) == 0)
      jump(20);
    Jumps = Jumps + 1;
    try {
      fail(20);
    } catch (const std::runtime_error &E) {
      Caught = Caught + (E.what()[0] == 'x');
    }
  }
  std::printf("%d %d\n", Jumps, Caught);
}

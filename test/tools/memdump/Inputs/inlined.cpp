#include "inlined.h"
namespace lib {
__attribute__((noinline)) int outer(Shared &S, int N) {
  Unused2 *Never = nullptr;
  return S.inlined(N) + (Never != nullptr);
}
} // namespace lib
int main(int Argc, char **) {
  Shared S;
  return lib::outer(S, Argc) + OFFSET;
}

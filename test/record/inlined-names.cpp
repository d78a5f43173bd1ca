// Inlined functions that are local to their file have no linkage name in GCC's debug
// information. They have the names that their symbols have where they are not inlined:
// scope, template arguments, parameters.
//
// RUN: %cxx -std=c++20 -O2 -g %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe && memdump %t.fb | FileCheck %s
// RUN: %cxx -std=c++20 -O1 -g -DAPART %s -o %t.apart.exe
// RUN: memrec -q -o %t.apart.fb %t.apart.exe && memdump %t.apart.fb | FileCheck %s
//
// So the two builds are the same to memdiff, and selections find them.
// RUN: memdiff -v --noise=0 --stack=main %t.fb %t.apart.fb 2>/dev/null | FileCheck %s --check-prefix=SAME
// SAME: no differences above the noise
// RUN: memflame --format=collapsed --stack='Secret::work\(int\)' %t.fb | FileCheck %s --check-prefix=STACK
// STACK: main;(anonymous namespace)::Secret::work(int);malloc 100
#include <cstdlib>
#include <string>
#include <vector>

#ifdef APART
#define LAMBDA __attribute__((noinline, noipa))
#define INLINE LAMBDA
#else
#define LAMBDA __attribute__((always_inline))
#define INLINE inline LAMBDA
#endif

static void *volatile Kept;

namespace {
enum Colour { Red, Green };
struct Secret {
  INLINE void work(int N) { Kept = malloc(N); }
  INLINE void read(unsigned long N) const & { Kept = malloc(N); }
  INLINE static void make(std::string &, const char *const *, int (*)(bool),
                          const int (&)[3]) {
    Kept = malloc(102);
  }
  template <typename T, Colour C> INLINE T *get(T N, const T *) {
    Kept = malloc(N);
    return nullptr;
  }
  INLINE Secret operator<<(long long) {
    Kept = malloc(104);
    return *this;
  }
};
template <typename T, unsigned long N, bool B> struct Box {
  INLINE explicit Box(std::vector<T> &&) { Kept = malloc(N); }
};
} // namespace

namespace outer {
template <typename... T> INLINE static void all(T &&...) { Kept = malloc(106); }
INLINE static void plain() { Kept = malloc(107); }
} // namespace outer
extern "C" {
INLINE void known(int N) { Kept = malloc(N); }
}

int main() {
  int Three[3];
  std::string Text;
  Secret S;
  // CHECK: {{^      }}(anonymous namespace)::Secret::work(int) (
  S.work(100);
  // CHECK: {{^      }}(anonymous namespace)::Secret::read(unsigned long) const & (
  S.read(101);
  // CHECK: {{^      }}(anonymous namespace)::Secret::make(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>&, char const* const*, int (*)(bool), int const (&) [3]) (
  Secret::make(Text, nullptr, nullptr, Three);
  // CHECK: {{^      }}short* (anonymous namespace)::Secret::get<short, ((anonymous namespace)::Colour)1>(short, short const*) (
  S.get<short, Green>(103, nullptr);
  // CHECK: {{^      }}(anonymous namespace)::Secret::operator<<(long long) (
  S << 0ll;
  // CHECK: {{^      }}(anonymous namespace)::Box<char, 105ul, true>::Box(std::vector<char, std::allocator<char>>&&) (
  Box<char, 105, true> B{std::vector<char>()};
  // CHECK: {{^      }}void outer::all<int&, float>(int&, float&&) (
  outer::all(Three[0], 1.0f);
  // CHECK: {{^      }}outer::plain() (
  outer::plain();
  // CHECK: {{^      }}main::'lambda'(int)::operator()(int) const (
  // CHECK: {{^      }}main::'lambda0'(long)::operator()(long) const (
  // CHECK: {{^      }}main::'lambda1'(int)::operator()(int) const (
  auto First = [](int N) LAMBDA { Kept = malloc(N); };
  auto Other = [](long N) LAMBDA { Kept = malloc(N); };
  auto Last = [](int N) LAMBDA { Kept = malloc(N); };
  First(108);
  Other(109);
  Last(110);
  // CHECK: {{^      }}known (
  known(111);
}

// A C++ program without symbols: what it asks of the C++ library is the program's own, and not the
// C++ runtime's, which has its pool for exceptions alone.
//
// RUN: %cxx -O1 -std=c++17 %s -o %t.exe
// RUN: strip %t.exe -o %t
// RUN: memrec -q --force -o %t.fb -- %t
// RUN: memstat --show=lines %t.fb | FileCheck %s
// RUN: memleak --kind=exit %t.fb | FileCheck %s --check-prefix=LIVE
// CHECK: The peak, by {{.*}}(no debug information)
// CHECK-NEXT: MiB {{.*}} stripped.cpp.tmp
// LIVE: Live at the end
// LIVE-NEXT: MiB {{.*}} stripped.cpp.tmp
#include <string>
#include <vector>

int main() {
  auto *Kept = new std::vector<std::string>;
  for (int I = 0; I < 2000; ++I)
    Kept->push_back(std::string(1000, 'x'));
  return Kept->size() != 2000;
}

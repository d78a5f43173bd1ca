// A PyTorch without the symbols that are needed runs unharmed, its tensors are recorded,
// and one line says what is not.
//
// RUN: rm -rf %t.lib && mkdir %t.lib
// RUN: c++ -shared -fPIC -DC10 %s -o %t.lib/libc10.so -Wl,-soname,libc10.so
// RUN: c++ -shared -fPIC -DCPU %s -o %t.lib/libtorch_cpu.so -Wl,-soname,libtorch_cpu.so
// RUN: c++ %s -o %t.exe -ldl
// RUN: env LD_LIBRARY_PATH=%t.lib memrec -o %t.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: memdump --summary %t.fb | FileCheck %s
// NONE: PyTorch: operators and layers are not recorded: expected symbols are missing
// NONE: 0 lost
//
// RUN: c++ -shared -fPIC -DCPU -DADD %s -o %t.lib/libtorch_cpu.so -Wl,-soname,libtorch_cpu.so
// RUN: env LD_LIBRARY_PATH=%t.lib memrec -o %t.add.fb -- %t.exe 2>&1 | FileCheck %s --check-prefix=FORWARD
// RUN: memdump --summary %t.add.fb | FileCheck %s
// FORWARD: PyTorch: layers of the backward pass are not recorded: expected symbols are missing
// FORWARD: 0 lost
// CHECK: torch.cpu 1 0 1000 B
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>

#if defined(C10)
namespace c10 {
struct Device {
  int8_t Type, Index;
};
bool memoryProfilingEnabled() { return false; }
void reportMemoryUsageToProfiler(void *, int64_t, size_t, size_t, Device) {}
} // namespace c10
extern "C" void run() {
  auto Report = c10::reportMemoryUsageToProfiler;
  if (c10::memoryProfilingEnabled())
    Report(malloc(1000), 1000, 1000, 0, {0, -1});
}
#elif defined(CPU)
namespace at {
struct RecordFunction {
  const char *name() const;
};
const char *RecordFunction::name() const { return ""; }
#ifdef ADD
struct RecordFunctionCallback {
  void *Start, *End;
  double Probability;
  bool Flags[13];
};
uint64_t addGlobalCallback(RecordFunctionCallback) { return 1; }
#endif
} // namespace at
#else
int main() {
  dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_LOCAL);
  void *Library = dlopen("libc10.so", RTLD_LAZY | RTLD_LOCAL);
  reinterpret_cast<void (*)()>(dlsym(Library, "run"))();
  return 0;
}
#endif

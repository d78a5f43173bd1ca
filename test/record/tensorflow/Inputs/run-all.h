// What the program of fake-tensorflow.cpp does, by way of the symbols.
#include "fake-tensorflow.h"

#ifdef CC
#include <memkit/memkit.h>
using namespace tensorflow;

static void *allocate(size_t Bytes) {
  return tsl::cpu_allocator_base()->AllocateRaw(64, Bytes);
}
static void release(void *P) { tsl::cpu_allocator_base()->DeallocateRaw(P); }

static ThreadPoolDevice &device() {
  static auto *Device = new ThreadPoolDevice;
  return *Device;
}

static void run(const char *Name, const char *Type, int DataType, int64_t Step,
                size_t Bytes) {
  OpKernel K(Name, Type);
  OpKernelContext C{&K, Step, DataType, [&](OpKernel *Is) {
                      if (Is != &K)
                        abort();
                      if (Bytes)
                        allocate(Bytes);
                    }};
  device().Compute(&K, &C);
}

static void runAsync(const char *Name, const char *Type, int64_t Step,
                     size_t Bytes) {
  AsyncOpKernel K{{Name, Type}};
  bool IsDone = false;
  OpKernelContext C{&K, Step, 0, [&](OpKernel *) { allocate(Bytes); }};
  device().ComputeAsync(&K, &C, [&] { IsDone = true; });
  if (!IsDone)
    abort();
}

static void runProgram(int64_t Step, size_t Bytes) {
  xla::HloModule Module;
  Module.Name = "a_inference_step_19__XlaMustCompile_true_config_proto_123";
  xla::cpu::CpuExecutable Program;
  Program.Module = &Module;
  Program.Work = [&] { allocate(Bytes); };
  OpKernel K("Program", "__inference_train_step_12");
  OpKernelContext C{&K, Step, 1, [&](OpKernel *) {
                      xla::ServiceExecutableRunOptions O;
#ifdef OLD
                      Status S = Program.ExecuteAsyncOnStream(
                          &O, std::vector<xla::ExecutionInput>(2), nullptr);
#else
                      Status S = Program.ExecuteAsyncOnStream(
                          &O, std::vector<xla::ExecutionInput>(2));
#endif
                      if (S.Code != 43)
                        abort();
                    }};
  device().Compute(&K, &C);
}

static void graph(int64_t Step) {
  run("x", "_Arg", 1, Step, 0);
  run("StatefulPartitionedCall/net/enc/Relu", "_FusedMatMul", 1, Step, 1 << 20);
  run("StatefulPartitionedCall/gradient_tape/net/enc/MatMul/MatMul", "MatMul",
      19, Step, 600000);
  run("adam/Mul", "Mul", 1, Step, 50);
  runAsync("queue", "Async", Step, 60);
  runProgram(Step, 70);
}

static void trainStep() {
  allocate(10);
  ProcessFunctionLibraryRuntime R;
  FunctionLibraryRuntime::Options O{-5, graph};
  std::vector<Tensor> Results;
  Tensor Arguments[3];
  if (R.RunSync(O, 7, {Arguments, 3}, &Results).Code != 42)
    abort();
}

static void execute(const char *Name, std::function<void()> Call) {
  TFE_Op Op{Name, Call};
  TFE_Execute(&Op, nullptr, nullptr, nullptr);
}

static void runOnce() {
  run("MatMul", "MatMul", 1, 0, 1000);
  uint64_t Epoch = memkit_scope_begin("epoch");
  execute("__inference_train_step_12", trainStep);
  execute("__backward_g_3", [] {
    run("gradients/net/enc/MatMul_grad/MatMul", "_FusedMatMul", 1, 0, 80);
  });
  memkit_scope_end(Epoch);
  // A step that no function has begun.
  std::thread(run, "gradient_tape/Mul", "Mul", 1, -99, 40).join();
  void *Blocks[3];
  for (void *&P : Blocks)
    P = allocate(100);
  for (void *P : Blocks)
#ifdef SIZED
    tsl::cpu_allocator_base()->DeallocateRaw(P, 64, 100);
#else
    release(P);
#endif
}

extern "C" void runAll() {
  runOnce();
#ifdef FORK
  int Status = 0;
  if (pid_t Child = fork())
    waitpid(Child, &Status, 0);
  else
    runOnce();
  if (Status)
    abort();
#endif
}
#elif !defined(FRAMEWORK)
int main() {
  void *Library = dlopen("libtensorflow_cc.so.2", RTLD_LAZY | RTLD_LOCAL);
  if (!Library)
    return puts(dlerror());
  reinterpret_cast<void (*)()>(dlsym(Library, "runAll"))();
  return 0;
}
#endif

// A TensorFlow without TensorFlow: the classes and functions whose symbols libmemrec.so
// defines, too, with the same mangled names and the same places in an OpKernel.
//
// -DFRAMEWORK: libtensorflow_framework.so.2; -DCC: libtensorflow_cc.so.2; else a program,
// which opens the second library and calls run(). -DOLD: names of 2.16 instead of 2.21's.
// -DPLAIN: the host's tensors come from an allocator without symbols, as without oneDNN.
// -DNEWER, -DRENAMED: names and places that no known version has.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#ifdef NEWER
#define ABSL lts_20990101
#define TF_NumOutputs TF_NumResults
#elif defined(OLD)
#define ABSL lts_20230802
#else
#define ABSL lts_20250814
#endif

#ifdef RENAMED
#define ThreadPoolDevice HostDevice
#define MklCPUAllocator HostAllocator
#define cpu_allocator_base host_allocator
#endif

namespace absl::ABSL {
template <class T> struct Span {
  T *Data;
  size_t Count;
};
} // namespace absl::ABSL

namespace tsl {
struct AllocationAttributes {};
class Allocator {
public:
  virtual ~Allocator() {}
  virtual std::string Name() { return "allocator"; }
  virtual void *AllocateRaw(size_t Alignment, size_t Bytes) = 0;
  virtual void *AllocateRaw(size_t Alignment, size_t Bytes,
                            const AllocationAttributes &);
  virtual void DeallocateRaw(void *) = 0;
  virtual void DeallocateRaw(void *, size_t Alignment, size_t Bytes);
};
Allocator *cpu_allocator_base();
} // namespace tsl

namespace tensorflow {
using tsl::Allocator;
class BasicCPUAllocator {
public:
  virtual ~BasicCPUAllocator() {}
  virtual void *Alloc(size_t Alignment, size_t Bytes, size_t *Received);
};
class MklCPUAllocator : public Allocator {
public:
  void *AllocateRaw(size_t Alignment, size_t Bytes) override;
  void DeallocateRaw(void *) override;

private:
  BasicCPUAllocator Regions;
  char *Region = nullptr;
  size_t Used = 0;
  static constexpr size_t RegionBytes = 4 << 20, Large = 256 << 10;
};

struct OpKernel {
  void *Table = nullptr;
  char Before[192] = {};
#ifdef NEWER
  std::string_view Name;
  void *Other[2] = {};
  std::string_view Type;
#else
  std::string_view Name, Type; // at 200 and 216
#endif
  OpKernel(const char *Name, const char *Type) : Name(Name), Type(Type) {}
};
struct AsyncOpKernel : OpKernel {};
struct OpKernelContext {
  const OpKernel *Kernel;
  int64_t Step;
  int DataType;                         // of the result; 0: there is none
  std::function<void(OpKernel *)> Work; // what the operator does
};
class ThreadPoolDevice {
public:
  virtual ~ThreadPoolDevice() {}
  virtual void Compute(OpKernel *, OpKernelContext *);
  virtual void ComputeAsync(AsyncOpKernel *, OpKernelContext *,
                            std::function<void()>);
};

struct Tensor {};
struct Status {
  int Code;
  ~Status() {} // returned in memory
};
struct FunctionLibraryRuntime {
  struct Options {
    int64_t step_id;
    std::function<void(int64_t)> Graph;
  };
};
class ProcessFunctionLibraryRuntime {
public:
  Status RunSync(const FunctionLibraryRuntime::Options &, uint64_t Handle,
                 absl::ABSL::Span<const Tensor>, std::vector<Tensor> *) const;
};
} // namespace tensorflow

namespace xla {
struct ServiceExecutableRunOptions {};
struct ExecutionInput {};
struct HloExecutionProfile {};
struct HloModule {
  virtual ~HloModule() {}
  std::string Name;
};
class Executable {
public:
  virtual ~Executable() {}
#ifdef OLD
  HloModule &module() const;
#else
  std::string_view name() const;
#endif
  HloModule *Module = nullptr;
};
namespace cpu {
struct CpuExecutable : Executable {
  std::function<void()> Work;
#ifdef OLD
  tensorflow::Status ExecuteAsyncOnStream(const ServiceExecutableRunOptions *,
                                          std::vector<ExecutionInput>,
                                          HloExecutionProfile *);
#else
  tensorflow::Status ExecuteAsyncOnStream(const ServiceExecutableRunOptions *,
                                          std::vector<ExecutionInput>);
#endif
};
} // namespace cpu
} // namespace xla

extern "C" {
struct TF_StringView {
  const char *data;
  size_t len;
};
TF_StringView TF_GetOpKernelName(tensorflow::OpKernelContext *);
int64_t TF_GetStepId(tensorflow::OpKernelContext *);
int TF_NumOutputs(tensorflow::OpKernelContext *);
int TF_ExpectedOutputDataType(tensorflow::OpKernelContext *, int);

struct TFE_Op {
  const char *Name;
  std::function<void()> Call;
};
const char *TFE_OpGetName(const TFE_Op *, void *Status);
void TFE_Execute(TFE_Op *, void **Results, int *Count, void *Status);
const char *TF_Version();
}

#ifdef FRAMEWORK
void *tsl::Allocator::AllocateRaw(size_t A, size_t B,
                                  const AllocationAttributes &) {
  return AllocateRaw(A, B);
}
void tsl::Allocator::DeallocateRaw(void *P, size_t, size_t) {
  DeallocateRaw(P);
}
void *tensorflow::BasicCPUAllocator::Alloc(size_t A, size_t B, size_t *Got) {
  *Got = B;
  return aligned_alloc(A, B);
}
void *tensorflow::MklCPUAllocator::AllocateRaw(size_t A, size_t B) {
  size_t Got;
  if (B < Large)
    return aligned_alloc(A, (B + A - 1) / A * A);
  if (!Region)
    Region = static_cast<char *>(Regions.Alloc(A, RegionBytes, &Got));
  void *P = Region + Used;
  Used += (B + A - 1) / A * A;
  return P;
}
void tensorflow::MklCPUAllocator::DeallocateRaw(void *P) {
  if (P < Region || P >= Region + RegionBytes)
    free(P);
}
namespace {
struct PlainAllocator : tsl::Allocator {
  void *AllocateRaw(size_t A, size_t B) override {
    return aligned_alloc(A, (B + A - 1) / A * A);
  }
  void DeallocateRaw(void *P) override { free(P); }
  void DeallocateRaw(void *P, size_t, size_t) override { free(P); }
};
} // namespace
tsl::Allocator *tsl::cpu_allocator_base() {
#ifdef PLAIN
  static Allocator *Is = new PlainAllocator;
#else
  static Allocator *Is = new tensorflow::MklCPUAllocator;
#endif
  return Is;
}
void tensorflow::ThreadPoolDevice::Compute(OpKernel *K, OpKernelContext *C) {
  C->Work(K);
}
void tensorflow::ThreadPoolDevice::ComputeAsync(AsyncOpKernel *K,
                                                OpKernelContext *C,
                                                std::function<void()> Done) {
  C->Work(K);
  Done();
}
tensorflow::Status tensorflow::ProcessFunctionLibraryRuntime::RunSync(
    const FunctionLibraryRuntime::Options &O, uint64_t Handle,
    absl::ABSL::Span<const Tensor> Arguments, std::vector<Tensor> *) const {
  if (Handle != 7 || Arguments.Count != 3)
    abort();
  std::thread(O.Graph, O.step_id).join();
  return {42};
}
extern "C" {
TF_StringView TF_GetOpKernelName(tensorflow::OpKernelContext *C) {
  return {C->Kernel->Name.data(), C->Kernel->Name.size()};
}
int64_t TF_GetStepId(tensorflow::OpKernelContext *C) { return C->Step; }
int TF_NumOutputs(tensorflow::OpKernelContext *C) { return C->DataType != 0; }
int TF_ExpectedOutputDataType(tensorflow::OpKernelContext *C, int) {
  return C->DataType;
}
}
#elif defined(CC)
#ifdef OLD
xla::HloModule &xla::Executable::module() const { return *Module; }
tensorflow::Status
xla::cpu::CpuExecutable::ExecuteAsyncOnStream(const ServiceExecutableRunOptions *,
                                              std::vector<ExecutionInput> I,
                                              HloExecutionProfile *P) {
  if (I.size() != 2 || P)
    abort();
#else
std::string_view xla::Executable::name() const { return Module->Name; }
tensorflow::Status
xla::cpu::CpuExecutable::ExecuteAsyncOnStream(const ServiceExecutableRunOptions *,
                                              std::vector<ExecutionInput> I) {
  if (I.size() != 2)
    abort();
#endif
  Work();
  return {43};
}
extern "C" {
const char *TFE_OpGetName(const TFE_Op *Op, void *) { return Op->Name; }
void TFE_Execute(TFE_Op *Op, void **, int *, void *) { Op->Call(); }
const char *TF_Version() { return "2.99.0"; }
}
#endif

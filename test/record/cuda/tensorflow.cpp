// Tensors of TensorFlow on a GPU are chunks in regions of its allocator, and the regions are
// blocks of the driver: the device's total is the driver's, and nothing counts twice. A
// library made here has the symbols of TensorFlow's; see tensorflow-real.test.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %cuda_cxx -std=c++17 -shared -fPIC -DFRAMEWORK %s -o %t/libtensorflow_framework.so.2 -Wl,-soname,libtensorflow_framework.so.2
// RUN: %cuda_cxx -std=c++17 %s -o %t/exe %libcuda -ldl
// RUN: %cuda sh -c 'LD_LIBRARY_PATH=$LD_LIBRARY_PATH:"%t" exec env FAKECUDA_DEVICES=2 memrec -q -o "%t.fb" -- "%t/exe" libtensorflow_framework.so.2' | FileCheck %s --check-prefix=RAN
// RAN: 5 tensors, 2 refused
//
// Each allocator's name is asked for once, also of one that is no GPU's.
// RAN-NEXT: {{^}}4 names
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
//
// Regions of GPU 1, which end with the allocator, have 2 MiB; those of GPU 0 have 2 and 8 MiB.
// A request of 1,000 bytes is a chunk of 1,024.
// HEAPS-DAG: cuda:0.device {{.*}} 10 MiB 2 10 MiB
// HEAPS-DAG: tf.cuda:0.segments {{.*}} 10 MiB 2 10 MiB
// HEAPS-DAG: tf.cuda:0 3 1 {{.*}} 6 MiB
// HEAPS-DAG: cuda:1.device {{.*}} 0 B 0 2 MiB
// HEAPS-DAG: tf.cuda:1.segments {{.*}} 0 B 0 2 MiB
// HEAPS-DAG: tf.cuda:1 1 1 1 KiB 0 B 0 1 KiB
// HEAPS-DAG: tf.pinned 1 0 4 KiB 4 KiB 1 4 KiB
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=JSON
// JSON: "name": "tf.cuda:0.segments",
// JSON-NEXT: "space": "cuda:0",
// JSON-NEXT: "parent": "cuda:0.device",
// RUN: memdump %t.fb | grep -E " tf.cuda:0 |oom" | FileCheck %s --check-prefix=EVENTS
// EVENTS: alloc {{.*}} 1 KiB tf.cuda:0 {{.*}} requested 1000 B
// EVENTS: alloc {{.*}} 6 MiB tf.cuda:0 {{.*}} requested 6 MiB
// EVENTS: oom tf.cuda:0 1 GiB 6 MiB 10 MiB
// RUN: memflame --format=collapsed --group-by=scope-path --heap=tf.cuda:0 --metric=allocated %t.fb | FileCheck %s --check-prefix=SCOPES
// SCOPES: forward;net;net/dense;MatMul 6291456
//
// A fork has its own allocators' devices, and nothing is asked or recorded without tensors.
// RUN: %cuda sh -c 'LD_LIBRARY_PATH=$LD_LIBRARY_PATH:"%t" exec env FAKECUDA_DEVICES=2 memrec -q --torch=none -o "%t.none.fb" -- "%t/exe" libtensorflow_framework.so.2' | FileCheck %s --check-prefix=ALONE
// RUN: memdump --summary %t.none.fb | FileCheck %s --check-prefix=NONE
// NONE-NOT: tf.cuda
// ALONE: 5 tensors, 2 refused
// ALONE-NEXT: {{^}}0 names

#include "Inputs/bfc.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace tsl;
using namespace tensorflow;

#ifdef FRAMEWORK
BFCAllocator::BFCAllocator(std::unique_ptr<SubAllocator> S, size_t Total,
                           const std::string &Name, const Options &)
    : Sub(std::move(S)), Total(Total), Is(Name) {}
BFCAllocator::~BFCAllocator() {
  for (auto &[P, Bytes] : Regions)
    Sub->Free(P, Bytes);
}
bool BFCAllocator::Extend(size_t Alignment, size_t Bytes) {
  size_t Wanted = 2 << 20, Got = 0;
  while (Wanted < Bytes)
    Wanted *= 2;
  if (Reserved + Wanted > Total)
    return false;
  Region = static_cast<char *>(Sub->Alloc(Alignment, Wanted, &Got));
  if (!Region)
    return false;
  Used = 0;
  Reserved += End = Got;
  Regions.push_back({Region, Got});
  if (Sub->SupportsCoalescing())
    Manager.AddOrExtendAllocationRegion(Region, Got);
  else
    Manager.AddAllocationRegion(Region, Got);
  return true;
}
void *BFCAllocator::AllocateRaw(size_t Alignment, size_t Bytes,
                                const AllocationAttributes &) {
  size_t Rounded = (Bytes + 255) / 256 * 256;
  if (Used + Rounded > End && !Extend(Alignment, Rounded))
    return nullptr;
  void *P = Region + Used;
  Used += Rounded;
  Chunks.push_back({P, Rounded});
  return P;
}
void BFCAllocator::DeallocateRaw(void *) {}
size_t BFCAllocator::AllocatedSize(const void *P) const {
  for (auto &[Is, Bytes] : Chunks)
    if (Is == P)
      return Bytes;
  abort();
}
void BFCAllocator::RegionManager::AddAllocationRegion(void *, size_t) {}
void *BFCAllocator::RegionManager::AddOrExtendAllocationRegion(void *P,
                                                               size_t) {
  return P;
}
void BaseGPUDevice::Compute(OpKernel *, OpKernelContext *C) { C->Work(); }
void ThreadPoolDevice::Compute(OpKernel *, OpKernelContext *) {}
extern "C" {
struct View {
  const char *data;
  size_t len;
};
View TF_GetOpKernelName(OpKernelContext *C) {
  return {C->Kernel->Name.data(), C->Kernel->Name.size()};
}
int64_t TF_GetStepId(OpKernelContext *) { return 0; }
int TF_NumOutputs(OpKernelContext *) { return 1; }
int TF_ExpectedOutputDataType(OpKernelContext *, int) { return 1; }
}
extern "C" int NamesAsked = 0;
extern "C" int namesAsked() { return NamesAsked; }
extern "C" BaseGPUDevice *makeDevice() { return new BaseGPUDevice; }
#else
#include "Inputs/check.h"

static void *Library;

namespace {
struct OfDevice : SubAllocator {
  explicit OfDevice(int Device) {
    CHECK(cuDevicePrimaryCtxRetain(&Context, Device));
  }
  CUcontext Context;
  void *Alloc(size_t, size_t Bytes, size_t *Received) override {
    CUdeviceptr P = 0;
    CHECK(cuCtxSetCurrent(Context));
    *Received = Bytes;
    return cuMemAlloc(&P, Bytes) ? nullptr : reinterpret_cast<void *>(P);
  }
  void Free(void *P, size_t) override {
    CHECK(cuMemFree(reinterpret_cast<CUdeviceptr>(P)));
  }
  bool SupportsCoalescing() const override { return false; }
};
struct OfHost : SubAllocator {
  void *Alloc(size_t, size_t Bytes, size_t *Received) override {
    void *P = nullptr;
    *Received = Bytes;
    CHECK(cuMemAllocHost(&P, Bytes));
    return P;
  }
  void Free(void *P, size_t) override { CHECK(cuMemFreeHost(P)); }
  bool SupportsCoalescing() const override { return true; }
};
} // namespace

/// The real class is larger than the one declared here.
static Allocator *make(SubAllocator *Of, const char *Name) {
  auto *Construct =
      (void (*)(void *, std::unique_ptr<SubAllocator> &, size_t,
                const std::string &, const BFCAllocator::Options &))
          dlsym(Library,
                "_ZN3tsl12BFCAllocatorC1ESt10unique_ptrINS_12SubAllocatorESt14default_"
                "deleteIS2_EEmRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEER"
                "KNS0_7OptionsE");
  void *Object = aligned_alloc(64, 64 << 10);
  std::unique_ptr<SubAllocator> Sub(Of);
  BFCAllocator::Options O;
  Construct(Object, Sub, 64 << 20, Name, O);
  return static_cast<Allocator *>(Object);
}

static int Tensors, Refused;
static void *tensor(Allocator *A, size_t Bytes, bool MayFail = false) {
  AllocationAttributes Of;
  Of.retry_on_failure = !MayFail;
  void *P = A->AllocateRaw(256, Bytes, Of);
  ++(P ? Tensors : Refused);
  return P;
}

/// An operator of the GPU, where the library has the class.
static void *inOperator(Allocator *A, size_t Bytes) {
  auto *Make = (BaseGPUDevice * (*)()) dlsym(Library, "makeDevice");
  if (!Make)
    return tensor(A, Bytes);
  void *P = nullptr;
  OpKernel K;
  K.Name = "StatefulPartitionedCall/net/dense/MatMul";
  K.Type = "MatMul";
  OpKernelContext C{&K, [&] { P = tensor(A, Bytes); }};
  Make()->Compute(&K, &C);
  return P;
}

int main(int, char **Arguments) {
  CHECK(cuInit(0));
  Library = dlopen(Arguments[1], RTLD_LAZY | RTLD_LOCAL);
  if (!Library)
    return puts(dlerror());
  Allocator *Gpu = make(new OfDevice(0), "GPU_0_bfc");
  Allocator *Other = make(new OfDevice(1), "GPU_1_bfc");
  Allocator *Pinned = make(new OfHost, "gpu_host_bfc");
  void *Small = tensor(Gpu, 1000);
  inOperator(Gpu, 6 << 20);
  Gpu->DeallocateRaw(Small);
  tensor(Gpu, 1 << 30, /*MayFail=*/true);
  tensor(Gpu, 1 << 30);
  void *Moved = tensor(Other, 1000);
  Other->DeallocateRaw(Moved);
  Other->~Allocator();
  tensor(Pinned, 4096);
  Small = tensor(Gpu, 500);
  printf("%d tensors, %d refused\n", Tensors, Refused);
  // Regions of the real class would change the heaps that tensorflow-real.test expects.
  auto *Asked = (int (*)())dlsym(Library, "namesAsked");
  if (!Asked)
    return 0;
  Allocator *Cpu = make(new OfHost, "mkl_cpu_bfc");
  for (int I = 0; I != 1000; ++I)
    Cpu->DeallocateRaw(Cpu->AllocateRaw(256, 100, AllocationAttributes()));
  printf("%d names\n", Asked());
}
#endif

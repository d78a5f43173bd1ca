// What a program needs of TensorFlow's allocator of a GPU: the classes' virtual functions in
// the order of 2.16 and 2.21, and the constructor by its symbol.
#ifndef BFC_H
#define BFC_H
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#ifdef FRAMEWORK
extern "C" {
extern int NamesAsked;
}
#endif

namespace tsl {
struct AllocationAttributes {
  bool retry_on_failure = true, allocation_will_be_logged = false;
  std::function<uint64_t()> *freed_by_func = nullptr;
};
class Allocator {
public:
  virtual ~Allocator() {}
  virtual std::string Name() = 0;
  virtual void *AllocateRaw(size_t Alignment, size_t Bytes) = 0;
  virtual void *AllocateRaw(size_t Alignment, size_t Bytes,
                            const AllocationAttributes &) = 0;
  virtual void DeallocateRaw(void *) = 0;
};
class SubAllocator {
public:
  virtual ~SubAllocator() {}
  virtual void *Alloc(size_t Alignment, size_t Bytes, size_t *Received) = 0;
  virtual void Free(void *, size_t Bytes) = 0;
  virtual bool SupportsCoalescing() const = 0;
  virtual int GetMemoryType() const { return 0; }

private:
  std::vector<std::function<void(void *, int, size_t)>> OnAlloc, OnFree;
};
class BFCAllocator : public Allocator {
public:
  struct Options {
    bool allow_growth = true, allow_retry_on_failure = false,
         garbage_collection = false;
    double fragmentation_fraction = 0;
  };
  BFCAllocator(std::unique_ptr<SubAllocator>, size_t Total,
               const std::string &Name, const Options &);
  ~BFCAllocator() override;
  std::string Name() override {
#ifdef FRAMEWORK
    ++NamesAsked;
#endif
    return Is;
  }
  void *AllocateRaw(size_t Alignment, size_t Bytes) override {
    return AllocateRaw(Alignment, Bytes, AllocationAttributes());
  }
  void *AllocateRaw(size_t Alignment, size_t Bytes,
                    const AllocationAttributes &) override;
  void DeallocateRaw(void *) override;
  virtual size_t RequestedSize(const void *) const { return 0; }
  virtual size_t AllocatedSize(const void *) const;

  class RegionManager {
  public:
    void AddAllocationRegion(void *, size_t);
    void *AddOrExtendAllocationRegion(void *, size_t);
  };

private:
  bool Extend(size_t Alignment, size_t Bytes);
  std::unique_ptr<SubAllocator> Sub;
  size_t Total, Reserved = 0, Used = 0, End = 0;
  char *Region = nullptr;
  std::string Is;
  std::vector<std::pair<void *, size_t>> Chunks, Regions;
  RegionManager Manager;
};
} // namespace tsl

namespace tensorflow {
struct OpKernel {
  void *Table = nullptr;
  char Before[192] = {};
  std::string_view Name, Type; // at 200 and 216
};
struct OpKernelContext {
  const OpKernel *Kernel;
  std::function<void()> Work;
};
class BaseGPUDevice {
public:
  virtual ~BaseGPUDevice() {}
  virtual void Compute(OpKernel *, OpKernelContext *);
};
class ThreadPoolDevice {
public:
  virtual void Compute(OpKernel *, OpKernelContext *);
};
} // namespace tensorflow
#endif

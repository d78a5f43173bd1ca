// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stand-in for jaxlib's library: the classes and virtual functions whose
// symbols and tables memkit looks for, with the types of their parameters, and
// nothing else. Buffers are blocks of posix_memalign, and a large execution
// runs on a thread of its own, as in XLA's client for the CPU.
//
// -DOTHER_VERSION: the allocator takes one parameter more.

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace absl {
inline namespace lts_20991231 {
template <class T> struct Span {
  T *Data;
  size_t Size;
};
/// The layout of the real one.
template <class Signature> class AnyInvocable {
public:
  template <class F> AnyInvocable(F Closure) {
    Target = new F(std::move(Closure));
    Size = sizeof(F);
    Manager = [](int, AnyInvocable *, AnyInvocable *) {};
    Invoker = [](AnyInvocable *Of) { (*static_cast<F *>(Of->Target))(); };
    Deleter = [](void *Of) { delete static_cast<F *>(Of); };
  }
  AnyInvocable(AnyInvocable &&Other) {
    memcpy(static_cast<void *>(this), &Other, sizeof(*this));
    Other.Target = nullptr;
  }
  ~AnyInvocable() {
    if (Target)
      Deleter(Target);
  }
  void call() { Invoker(this); }

private:
  void *Target;
  size_t Size;
  void (*Manager)(int, AnyInvocable *, AnyInvocable *);
  void (*Invoker)(AnyInvocable *);
  void (*Deleter)(void *);
};
} // namespace lts_20991231
} // namespace absl

namespace tsl {
template <class T> class RCReference {};
} // namespace tsl

namespace xla {

using Task = absl::AnyInvocable<void() &&>;

struct RawMemory {
  virtual ~RawMemory() = default;
  virtual void *base() const = 0;
  virtual size_t size_bytes() const = 0;
};
struct Allocator {
  virtual ~Allocator() = default;
#ifdef OTHER_VERSION
  virtual std::unique_ptr<RawMemory> Allocate(size_t, size_t, int) const = 0;
#else
  virtual std::unique_ptr<RawMemory> Allocate(size_t, size_t) const = 0;
#endif
};

namespace {
class AlignedMemory final : public RawMemory {
public:
  AlignedMemory(void *Base, size_t Size) : Base(Base), Size(Size) {}
  ~AlignedMemory() override { free(Base); }
  void *base() const override { return Base; }
  size_t size_bytes() const override { return Size; }

private:
  void *Base;
  size_t Size;
};

class AlignedAllocator final : public Allocator {
public:
#ifdef OTHER_VERSION
  std::unique_ptr<RawMemory> Allocate(size_t Size, size_t Alignment,
                                      int) const override {
#else
  std::unique_ptr<RawMemory> Allocate(size_t Size,
                                      size_t Alignment) const override {
#endif
    void *P = nullptr;
    if (posix_memalign(&P, Alignment, Size))
      return nullptr;
    return std::make_unique<AlignedMemory>(P, Size);
  }
};
} // namespace

static std::unique_ptr<RawMemory> allocate(const Allocator &Of, size_t Size) {
#ifdef OTHER_VERSION
  return Of.Allocate(Size, 64, 0);
#else
  return Of.Allocate(Size, 64);
#endif
}

class AsyncWorkRunner {
public:
  virtual ~AsyncWorkRunner() = default;
  virtual void Execute(Task T) = 0;
};
class ThreadPoolAsyncWorkRunner : public AsyncWorkRunner {
public:
  void Execute(Task T) override {
    auto *Of = new Task(std::move(T));
    std::thread([Of] {
      Of->call();
      delete Of;
    }).join();
  }
};

namespace ifrt {
class Array;
class DeviceList;
class ExecuteOptions {};
template <class T> class RCReferenceWrapper {};

struct LoadedExecutable {
  virtual ~LoadedExecutable() = default;
  virtual std::string_view name() const = 0;
  virtual std::vector<std::unique_ptr<RawMemory>>
  Execute(absl::Span<tsl::RCReference<Array>> Arguments,
          const ExecuteOptions &Options,
          std::optional<RCReferenceWrapper<DeviceList>> Devices) = 0;
};
class PjRtLoadedExecutable final : public LoadedExecutable {
public:
  PjRtLoadedExecutable(std::string Name, size_t Size, const Allocator &Memory,
                       AsyncWorkRunner &Runner)
      : Name(std::move(Name)), Size(Size), Memory(Memory), Runner(Runner) {}
  std::string_view name() const override { return Name; }
  std::vector<std::unique_ptr<RawMemory>>
  Execute(absl::Span<tsl::RCReference<Array>>, const ExecuteOptions &,
          std::optional<RCReferenceWrapper<DeviceList>>) override {
    std::vector<std::unique_ptr<RawMemory>> Out(1);
    // A closure of XLA captures some 500 bytes.
    struct {
      char Captured[400];
      std::unique_ptr<RawMemory> *Out;
      const PjRtLoadedExecutable *Of;
      void operator()() const { *Out = allocate(Of->Memory, Of->Size); }
    } Work{{}, &Out[0], this};
    constexpr size_t Inline = 1 << 16;
    if (Size < Inline)
      Work();
    else
      Runner.Execute(Task(Work));
    return Out;
  }

private:
  std::string Name;
  size_t Size;
  const Allocator &Memory;
  AsyncWorkRunner &Runner;
};
} // namespace ifrt
} // namespace xla

using namespace xla;

#define EXPORT extern "C" __attribute__((visibility("default")))

/// Never destroyed, as results that live at the end of a program.
static auto &Results = *new std::vector<std::unique_ptr<RawMemory>>;

/// What the compiler cannot see through: all calls must be virtual.
template <class T> static T *hidden(T *P) {
  asm volatile("" : "+r"(P));
  return P;
}

/// Runs a program with one result of Size bytes, which stays.
EXPORT void fake_run(const char *Name, size_t Size) {
  static Allocator *Memory = new AlignedAllocator;
  static AsyncWorkRunner *Runner = new ThreadPoolAsyncWorkRunner;
  ifrt::LoadedExecutable *Program = hidden<ifrt::LoadedExecutable>(
      new ifrt::PjRtLoadedExecutable(Name, Size, *hidden(Memory),
                                     *hidden(Runner)));
  for (auto &Of : Program->Execute({}, {}, {}))
    Results.push_back(std::move(Of));
  delete Program;
}
/// A block of posix_memalign that is no buffer.
EXPORT void *fake_scratch(size_t Size) {
  void *P = nullptr;
  return posix_memalign(&P, 64, Size) ? nullptr : P;
}
/// Frees the oldest result.
EXPORT void fake_free() { Results.erase(Results.begin()); }
EXPORT void *Wrapped_PyInit__jax() { return nullptr; }
EXPORT void *PyInit__jax() { return Wrapped_PyInit__jax(); }

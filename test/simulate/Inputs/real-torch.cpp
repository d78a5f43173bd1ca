// Drives PyTorch's own allocator of CUDA memory with random sequences of requests, and prints each
// request with the allocator's answer: the sums of its stats.
//
//   real-torch CONF DEVICE_BYTES SEED SEQUENCES STEPS [FEATURES]
//
// FEATURES: letters of `s` several streams, `u` uses by other streams, `p` private pools, `r` their
// release, `e` empty_cache. Not `r` with expandable segments: PyTorch 2.13 counts a request that maps
// several parts once, and may delete a released pool with live blocks (it then fails or crashes). Each sequence runs in a process of its own. The text is described in
// test/unit/Simulate/TorchAnswers.cpp.

#include <c10/core/AllocatorConfig.h>
#include <c10/cuda/CUDAAllocatorConfig.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace c10::cuda::CUDACachingAllocator;

namespace c10::cuda::_internal {
C10_CUDA_API void setHasPrimaryContext(bool (*)(c10::DeviceIndex));
}
namespace c10::cuda::detail {
C10_CUDA_API void init_p2p_access_cache(int64_t);
}
extern "C" {
void fakeCudaBusy(int);
void fakeCudaCapturing(int);
}

namespace {
constexpr uint64_t KiB = 1 << 10, MiB = 1 << 20;

struct LiveBlock {
  void *Address;
  unsigned Id;
};

class Sequence {
public:
  Sequence(unsigned Seed, std::string Features) : Random(Seed), Features(std::move(Features)) {}
  void run(unsigned Steps);

private:
  bool has(char Feature) const { return Features.find(Feature) != std::string::npos; }
  unsigned upTo(unsigned N) { return std::uniform_int_distribution<unsigned>(0, N - 1)(Random); }
  bool chance(unsigned Percent) { return upTo(100) < Percent; }
  uint64_t size();
  void answer();
  void allocate();
  void use();
  void free();
  void changePool();

  std::mt19937 Random;
  std::string Features;
  CUDAAllocator *A = nullptr;
  std::vector<c10::cuda::CUDAStream> Streams;
  std::vector<LiveBlock> Live;
  std::vector<uint64_t> Sizes; // a program asks for the same sizes again
  unsigned NextId = 0;
  unsigned Capturing = 0; // the pool; 0: none
  bool IsCapture = false;
  unsigned NumPools = 0;
  std::vector<unsigned> Pools; // not released
  bool Busy = false;
};

uint64_t Sequence::size() {
  if (!Sizes.empty() && chance(60))
    return Sizes[upTo(Sizes.size())];
  static const uint64_t Ranges[] = {2, 600, 100 * KiB, MiB + 1000, 3 * MiB, 11 * MiB, 64 * MiB, 300 * MiB, 1200 * MiB};
  unsigned Weights[] = {1, 4, 14, 20, 20, 20, 14, 5, 2};
  unsigned Pick = upTo(100), Range = 0;
  while (Pick >= Weights[Range])
    Pick -= Weights[Range++];
  uint64_t Bytes = std::uniform_int_distribution<uint64_t>(1, Ranges[Range])(Random);
  if (chance(20)) // around the limits
    Bytes = (Bytes + MiB) / MiB * MiB - 512 + 512 * upTo(3);
  Sizes.push_back(Bytes);
  return Bytes;
}

void Sequence::answer() {
  DeviceStats S = A->getDeviceStats(0);
  printf(" = %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", S.reserved_bytes[0].current, S.allocated_bytes[0].current,
         S.active_bytes[0].current, S.num_device_alloc, S.num_device_free);
}

void Sequence::allocate() {
  unsigned Stream = has('s') && chance(25) ? 1 + upTo(2) : 0;
  uint64_t Bytes = size();
  printf("a %u %" PRIu64 " %u %u", NextId, Bytes, Stream, Capturing);
  try {
    void *P = A->raw_alloc_with_stream(Bytes, Stream ? Streams[Stream - 1].stream() : nullptr);
    Live.push_back({P, NextId});
  } catch (const c10::OutOfMemoryError &) {
    printf(" oom");
  }
  ++NextId;
  answer();
}

void Sequence::use() {
  if (Live.empty())
    return;
  LiveBlock &B = Live[upTo(Live.size())];
  printf("u %u", B.Id);
  c10::DataPtr P(B.Address, B.Address, A->raw_deleter(), c10::Device(c10::kCUDA, 0));
  A->recordStream(P, Streams[2]);
  P.release_context();
  answer();
}

void Sequence::free() {
  if (Live.empty())
    return;
  unsigned At = chance(50) ? Live.size() - 1 : upTo(Live.size());
  printf("f %u", Live[At].Id);
  A->raw_delete(Live[At].Address);
  Live.erase(Live.begin() + At);
  answer();
}

void Sequence::changePool() {
  if (Capturing) {
    if (IsCapture) {
      printf("X");
      A->markCaptureEnd(0);
      fakeCudaCapturing(0);
      answer();
    }
    printf("x");
    A->endAllocateToPool(0, {0, Capturing});
    Capturing = 0;
    IsCapture = false;
  } else if (has('r') && !Pools.empty() && chance(40)) {
    unsigned At = upTo(Pools.size());
    printf("r %u", Pools[At]);
    A->releasePool(0, {0, Pools[At]});
    Pools.erase(Pools.begin() + At);
  } else {
    Capturing = ++NumPools;
    Pools.push_back(Capturing);
    printf("c %u", Capturing);
    A->beginAllocateToPool(0, {0, Capturing}, [](cudaStream_t) { return true; });
    if (chance(50)) {
      answer();
      printf("C");
      A->markCaptureBegin(0);
      fakeCudaCapturing(1);
      IsCapture = true;
    }
  }
  answer();
}

void Sequence::run(unsigned Steps) {
  A = get();
  c10::cuda::_internal::setHasPrimaryContext([](c10::DeviceIndex) { return true; });
  c10::cuda::detail::init_p2p_access_cache(2);
  A->init(2);
  for (int I = 0; I != 3; ++I)
    Streams.push_back(c10::cuda::getStreamFromPool(false, 0));
  unsigned Target = 4 + upTo(60); // live blocks around which the sequence stays
  for (unsigned I = 0; I != Steps; ++I) {
    if (has('e') && chance(1)) {
      printf("e");
      A->emptyCache();
      answer();
    }
    if (has('p') && chance(Capturing ? 8 : 2))
      changePool();
    if (has('u') && !Capturing && chance(10))
      use();
    if (has('u') && chance(5)) {
      Busy = !Busy;
      fakeCudaBusy(Busy);
      printf("%c", Busy ? 'b' : 'd');
      answer();
    }
    if (chance(1))
      Target = 4 + upTo(60);
    if (chance(Live.size() < Target ? 65 : 35))
      allocate();
    else
      free();
  }
}
} // namespace

int main(int Argc, char **Argv) {
  if (Argc < 6)
    return 2;
  std::string Conf = Argv[1];
  setenv("FAKE_CUDA_BYTES", Argv[2], 1);
  unsigned Seed = atoi(Argv[3]), Sequences = atoi(Argv[4]), Steps = atoi(Argv[5]);
  std::string Features = Argc > 6 ? Argv[6] : "supre";
  for (unsigned I = 0; I != Sequences; ++I) {
    printf("torch %s %s # seed %u\n", Argv[2], Conf.empty() ? "-" : Conf.c_str(), Seed + I);
    fflush(stdout);
    pid_t Child = fork();
    if (!Child) {
      if (!Conf.empty())
        setAllocatorSettings(Conf);
      try {
        Sequence(Seed + I, Features).run(Steps);
      } catch (const c10::Error &E) {
        printf(" failed\n");
        fprintf(stderr, "real-torch: seed %u: %s\n", Seed + I, E.what_without_backtrace());
      }
      fflush(stdout);
      _exit(0);
    }
    int Status;
    waitpid(Child, &Status, 0);
    if (Status) {
      fprintf(stderr, "real-torch: seed %u: status %d\n", Seed + I, Status);
      return 1;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which failures of allocators are out-of-memory events.

#include "OneProcess.h"
#include "Wire/Records.h"

using namespace memkit;

namespace {

constexpr uint64_t Ms = 1'000'000;

struct Failures : OneProcess {
  void SetUp() override {
    begin();
    I->shared().control().TensorDevices[0] = 1 << 16 | 1;
  }
  template <class T>
  void put(uint32_t Ring, const T &Rec, uint64_t AfterNs = 1000) {
    I->process(wire::encodeAt(Tsc += AfterNs, Rec), Ring);
  }
  void failMalloc(uint64_t Bytes, uint32_t Ring = 0) {
    put(Ring, wire::HostOomRecord{Bytes, wire::AllocFunction::Malloc, 0});
  }
  void failPages(uint64_t Bytes) {
    put(0, wire::HostOomRecord{Bytes, wire::AllocFunction::Mmap, 0});
  }
  void failDriver(uint64_t Bytes, uint32_t Ring = 0) {
    put(Ring,
        wire::DeviceOomRecord{Bytes, wire::CudaFunction::MemAlloc, 0, place()});
  }
  void allocateOnDevice(uint64_t Address, uint64_t Bytes, uint32_t Ring = 0) {
    put(Ring, wire::DeviceAllocateRecord{
                  Address, Bytes, wire::CudaFunction::MemAlloc, 0, place()});
  }
  void failTensor(uint64_t Bytes, uint32_t Ring = 0) {
    put(Ring, wire::TensorOomRecord{0, Bytes, 0, 0});
  }
  static uint32_t place() {
    return wire::CudaPlace::pack(0, uint32_t(wire::CudaHeap::Device), 0);
  }
  /// Another event of the process, Ns later, and the end of a pass.
  void wait(uint64_t Ns) {
    Tsc += Ns;
    OneProcess::put(3, RecordKind::Allocate, 0x900000 + Tsc, 1);
    pass();
  }
  /// `heap bytes` of each event; `+n` for those left out.
  std::string seen() {
    std::string Text;
    for (const OomLog::OomTimePoint &M : R->ooms().timePoints()) {
      Text += (Text.empty() ? "" : ", ") +
              R->heaps().heapName(M.What.Heap).str() + " " +
              std::to_string(M.What.Requested);
      if (M.What.Skipped)
        Text += " +" + std::to_string(M.What.Skipped);
    }
    return Text;
  }
};

TEST_F(Failures, EachCountsAfterAMoment) {
  failMalloc(100);
  pass();
  EXPECT_EQ("", seen());
  wait(300 * Ms);
  EXPECT_EQ("host.malloc 100", seen());
  failMalloc(200);
  I->settleHeld(true);
  EXPECT_EQ("host.malloc 100, host.malloc 200", seen());
}

TEST_F(Failures, TwoOfOneAllocatorAreTwo) {
  failMalloc(100);
  failMalloc(200);
  failMalloc(300, 1);
  I->settleHeld(true);
  EXPECT_EQ("host.malloc 100, host.malloc 200, host.malloc 300", seen());
}

TEST_F(Failures, OnlyTheOutermostCounts) {
  failPages(4096);
  failMalloc(100);
  I->settleHeld(true);
  EXPECT_EQ("host.malloc 100", seen());
  failDriver(2 << 20);
  failTensor(1000000);
  I->settleHeld(true);
  EXPECT_EQ("host.malloc 100, torch.cuda:0 1000000", seen());
}

TEST_F(Failures, NotOfAnotherThread) {
  failDriver(2 << 20, 1);
  failTensor(1000000, 0);
  I->settleHeld(true);
  EXPECT_EQ("torch.cuda:0 1000000, cuda:0.device 2097152", seen());
}

TEST_F(Failures, TheDriverAskedAgain) {
  failDriver(8 << 20);
  allocateOnDevice(0x7000000000, 8 << 20);
  I->settleHeld(true);
  EXPECT_EQ("", seen());
}

/// As allocators of XLA and TensorFlow do.
TEST_F(Failures, TheDriverAskedForLess) {
  failDriver(10 << 20);
  failDriver(9 << 20);
  allocateOnDevice(0x7000000000, 8 << 20);
  I->settleHeld(true);
  EXPECT_EQ("", seen());
  // All in vain: what the program wanted first.
  failDriver(10 << 20);
  failDriver(9 << 20);
  I->settleHeld(true);
  EXPECT_EQ("cuda:0.device 10485760", seen());
}

TEST_F(Failures, ALargerBlockIsNoSecondTry) {
  failDriver(1 << 20);
  allocateOnDevice(0x7000000000, 8 << 20);
  I->settleHeld(true);
  EXPECT_EQ("cuda:0.device 1048576", seen());
}

TEST_F(Failures, ASmallBlockIsNoSecondTry) {
  failDriver(8 << 20);
  allocateOnDevice(0x7000000000, 1 << 20);
  I->settleHeld(true);
  EXPECT_EQ("cuda:0.device 8388608", seen());
}

TEST_F(Failures, ManyAreTheFirstAndTheLast) {
  for (uint64_t N = 1; N <= 1000; ++N)
    failMalloc(N);
  I->settleHeld(true);
  EXPECT_EQ(MaxOomsOfProcess, R->ooms().timePoints().size());
  EXPECT_TRUE(llvm::StringRef(seen()).starts_with(
      "host.malloc 1, host.malloc 2, host.malloc 3"))
      << seen();
  for (int N = 0; N != 100; ++N)
    wait(1000);
  failMalloc(5);
  I->settleHeld(true);
  EXPECT_EQ(5u, R->ooms().timePoints().back().What.Requested);
}

TEST_F(Failures, AKill) {
  OneProcess::put(0, RecordKind::Allocate, 0x1000, 500);
  I->noteKill(Tsc + 10, {LimitKind::Group, 64 << 20, std::nullopt});
  const OomRecord &O = R->ooms().timePoints().front().What;
  EXPECT_EQ(OomKind::Killed, O.Kind);
  EXPECT_EQ(LimitKind::Group, O.Limit);
  EXPECT_EQ(64u << 20, O.LimitBytes);
  EXPECT_FALSE(O.FreeKnown);
  EXPECT_EQ(500u, R->ooms().timePoints().front().Heaps.front().LiveBytes);
}

TEST_F(Failures, AnUnknownFunctionIsBad) {
  put(0, wire::HostOomRecord{1, wire::AllocFunction(200), 0});
  I->settleHeld(true);
  EXPECT_EQ("", seen());
  EXPECT_EQ(1u, lost(LossKind::BadRecord));
}

} // namespace

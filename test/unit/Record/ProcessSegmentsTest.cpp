// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of a device's allocator.

#include "RawRecord.h"
#include "Sources/ProcessState.h"
#include "memkit/Trace/SummaryStats.h"
#include <gtest/gtest.h>
#include <unistd.h>

using namespace memkit;
using wire::RecordKind;
using wire::SegmentChange;

namespace {

constexpr uint64_t Base = 0x700000000000;
constexpr uint64_t MaxSize = wire::Record::MaxSize;

/// A process with a CUDA device in slot 0. One tick of the clock is a
/// nanosecond.
struct OneDevice : testing::Test {
  std::string Bytes;
  StringSink Out{Bytes};
  std::unique_ptr<Recording> R;
  std::unique_ptr<SharedSources> Shared;
  std::unique_ptr<ProcessState> I;
  uint64_t Ns = 0;

  void SetUp() override {
    TscClock Clock({0, 0, 0}, 1000000000);
    R = llvm::cantFail(Recording::create(Out, Header(), Clock));
    R->names().addProcess(ProcessRecord());
    R->stats().beginProcess(1, 0);
    auto Memory =
        llvm::cantFail(SharedProcess::create(1, ProcessSettings(), "test"));
    Shared = std::make_unique<SharedSources>(*R);
    I = std::make_unique<ProcessState>(1, getpid(), false, std::move(Memory),
                                       *Shared);
    R->addProcess(I->log());
    I->ring(0);
    I->shared().ringHeader(0).Tid = 100;
    I->shared().control().TensorDevices[0] = 1 << 16 | 1;
  }
  void put(RecordKind K, uint64_t Address, uint64_t Size = 0,
           uint32_t Stack = 0, uint32_t Extra = 0, uint8_t Slot = 0) {
    I->process(rawRecord(Ns += 1000, K, Address, Size, Slot, Stack, Extra), 0);
  }
  void segment(SegmentChange Change, uint64_t Address, uint64_t Size) {
    put(RecordKind::TensorSegment, Address, Size, 0, uint32_t(Change));
  }
  HeapStats heap(llvm::StringRef Name) {
    for (uint32_t Id = 1; R->stats().hasHeap(Id); ++Id)
      if (R->heaps().heapName(Id) == Name)
        return R->stats().heapStats(Id);
    return {};
  }
  /// The only layer so far.
  LayerStats layer() {
    I->endScopes(Ns);
    Layers.insert(Layers.end(), R->scopeTotals().begin(),
                  R->scopeTotals().end());
    R->scopeTotals().clear();
    std::vector<LayerStats> Joined = joinLayers(Layers, ScopeKind::Layer);
    return Joined.size() == 1 ? Joined[0] : LayerStats();
  }
  std::vector<LayerStats> Layers;
  uint64_t deviceBytes() { return R->stats().spaceStats(1).LiveBytes; }
};

TEST_F(OneDevice, TensorsLieInSegments) {
  segment(SegmentChange::Allocate, Base, 1000);
  put(RecordKind::TensorAllocate, Base + 100, 300);
  put(RecordKind::TensorAllocate, Base + 5000, 7); // outside all segments
  EXPECT_EQ(deviceBytes(), 1007u);
  EXPECT_EQ(heap("torch.cuda:0").LiveBytes, 307u);
  EXPECT_EQ(heap("torch.cuda:0.segments").LiveBytes, 1000u);
  EXPECT_EQ(heap("torch.cuda:0").ReservedBytes, 1000u);
  put(RecordKind::TensorFree, Base + 100);
  EXPECT_EQ(deviceBytes(), 1007u);
  segment(SegmentChange::Free, Base, 1000);
  EXPECT_EQ(deviceBytes(), 7u);
  EXPECT_EQ(heap("torch.cuda:0").ReservedBytes, 0u);
  EXPECT_EQ(R->losses(), 0u);
}

/// Regions of TensorFlow's allocator end with the blocks of the driver around
/// them, and none ends that only touches one.
TEST_F(OneDevice, RegionsEndWithTheDriversBlock) {
  I->shared().control().TensorDevices[0] =
      wire::TensorDeviceWord::pack(wire::TensorFramework::TensorFlow, 1);
  uint32_t Device =
      wire::CudaPlace::pack(0, uint32_t(wire::CudaHeap::Device), 1);
  auto Driver = [&](RecordKind K, uint64_t Address, uint64_t Size) {
    put(K, Address, Size, 0, Device, uint8_t(K == RecordKind::DeviceAllocate));
  };
  Driver(RecordKind::DeviceAllocate, Base, 1000);
  Driver(RecordKind::DeviceAllocate, Base + 1000, 1000);
  segment(SegmentChange::Region, Base, 600);
  segment(SegmentChange::Region, Base + 600, 400);
  segment(SegmentChange::Region, Base + 1000, 1000);
  put(RecordKind::TensorAllocate, Base + 700, 100);
  EXPECT_EQ(deviceBytes(), 2000u);
  EXPECT_EQ(heap("tf.cuda:0.segments").LiveBytes, 2000u);
  EXPECT_EQ(heap("tf.cuda:0").ReservedBytes, 2000u);
  put(RecordKind::TensorFree, Base + 700);
  Driver(RecordKind::DeviceFree, Base, 0);
  EXPECT_EQ(heap("tf.cuda:0.segments").LiveBytes, 1000u);
  EXPECT_EQ(heap("tf.cuda:0").ReservedBytes, 1000u);
  EXPECT_EQ(deviceBytes(), 1000u);
  EXPECT_EQ(R->losses(), 0u);
}

TEST_F(OneDevice, ASegmentThatExpands) {
  segment(SegmentChange::First, Base, 1000);
  segment(SegmentChange::Map, Base + 1000, 500);
  segment(SegmentChange::Map, Base + 8000, 100); // another segment
  put(RecordKind::TensorAllocate, Base + 900, 200);
  EXPECT_EQ(deviceBytes(), 1600u);
  put(RecordKind::TensorFree, Base + 900);
  segment(SegmentChange::Unmap, Base, 1000);
  EXPECT_EQ(deviceBytes(), 600u);
  segment(SegmentChange::Map, Base, 1000); // the old segment again
  EXPECT_EQ(heap("torch.cuda:0.segments").Allocations, 2u);
  segment(SegmentChange::Unmap, Base, 1000);
  segment(SegmentChange::Unmap, Base + 1000, 500);
  EXPECT_EQ(deviceBytes(), 100u);
  EXPECT_EQ(heap("torch.cuda:0.segments").Frees, 1u);
  EXPECT_EQ(heap("torch.cuda:0").ReservedBytes, 100u);
  EXPECT_EQ(R->losses(), 0u);
}

TEST_F(OneDevice, ATensorOlderThanItsSegment) {
  put(RecordKind::TensorAllocate, Base, 10);
  segment(SegmentChange::Allocate, Base, 100);
  EXPECT_EQ(deviceBytes(), 110u);
  put(RecordKind::TensorFree, Base);
  EXPECT_EQ(deviceBytes(), 100u);
}

TEST_F(OneDevice, ASegmentOfWhichNoEndWasTold) {
  segment(SegmentChange::Allocate, Base, 100);
  segment(SegmentChange::Allocate, Base + 50, 100);
  EXPECT_EQ(deviceBytes(), 100u);
  EXPECT_EQ(R->losses(), 1u);
  EXPECT_EQ(heap("torch.cuda:0").ReservedBytes, 100u);
}

TEST_F(OneDevice, ActiveBytes) {
  put(RecordKind::TensorAllocate, Base, 100);
  put(RecordKind::TensorFree, Base, 1); // a stream still uses the block
  put(RecordKind::TensorReserved, 40, 1000);
  put(RecordKind::TensorReusable, Base);
  put(RecordKind::TensorReserved, 40, 2000);
  // Two tensors at one address: no stream uses the first any more.
  put(RecordKind::TensorAllocate, Base, 100);
  put(RecordKind::TensorFree, Base, 1);
  put(RecordKind::TensorAllocate, Base, 100);
  put(RecordKind::TensorReserved, 140, 3000);
  EXPECT_EQ(heap("torch.cuda:0").ReservedBytes, 3000u);
  EXPECT_EQ(R->losses(), 0u);
}

TEST_F(OneDevice, LayersHaveWhatIsReserved) {
  put(RecordKind::TensorReserved, 0, 1000);
  Ns = 1000;
  put(RecordKind::ScopeBegin, wire::SF_Layer, 1); // at 2000
  put(RecordKind::TensorAllocate, Base, 750);     // at 3000
  put(RecordKind::TensorReserved, 750, 4000);     // at 4000
  put(RecordKind::ScopeEnd, 0, 1);                // at 5000
  I->endScopes(5000);
  ASSERT_EQ(R->scopeTotals().size(), 1u);
  const LayerStats &T = R->scopeTotals()[0];
  EXPECT_EQ(T.ReservedPeakBytes, 4000u);
  // Three parts of the time: 1000 of 1000 free, 250 of 1000, 3250 of 4000.
  EXPECT_EQ(T.FragmentationPpm, 687500u);
}

TEST_F(OneDevice, LayersHaveAPeakInEachMemorySpace) {
  I->shared().control().TensorDevices[1] = 1 << 16 | 1 << 8 | 1;
  constexpr uint64_t Other = Base + (1 << 20);
  put(RecordKind::TensorAllocate, Base, 1000);
  put(RecordKind::TensorAllocate, Other, 5000, 0, 0, 1);
  auto Layer = [&](uint64_t Number, auto Work) {
    put(RecordKind::ScopeBegin, wire::SF_Layer, Number);
    Work();
    put(RecordKind::ScopeEnd, 0, Number);
  };
  // An empty layer: the peak is the largest of one device, not the sum of all.
  Layer(1, [] {});
  EXPECT_EQ(layer().PeakBytes, 5000u);
  EXPECT_EQ(layer().Shares.size(), 0u);
  Layer(2, [&] {
    put(RecordKind::TensorAllocate, Base + 4096, 200);
    put(RecordKind::TensorFree, Base + 4096);
  });
  const LayerStats One = layer();
  EXPECT_EQ(One.PeakBytes, 1200u);
  ASSERT_EQ(One.Shares.size(), 1u);
  EXPECT_EQ(One.Shares[0].PeakBytes, 1200u);
  EXPECT_EQ(One.Shares[0].Allocations, 1u);
  EXPECT_EQ(One.Shares[0].FreedBytes, 200u);
  // The outer layer includes earlier blocks and the inner layer's changes.
  Layer(3, [&] {
    put(RecordKind::TensorFree, Base);
    Layer(4, [&] {
      put(RecordKind::TensorAllocate, Other + 8192, 50, 0, 0, 1);
      put(RecordKind::TensorFree, Other + 8192, 0, 0, 0, 1);
    });
  });
  const LayerStats Two = layer();
  EXPECT_EQ(Two.PeakBytes, 5050u);
  EXPECT_EQ(Two.Calls, 4u);
  ASSERT_EQ(Two.Shares.size(), 2u);
  EXPECT_EQ(Two.Shares[0].PeakBytes, 1200u);
  EXPECT_EQ(Two.Shares[0].Frees, 2u);
  EXPECT_EQ(Two.Shares[1].PeakBytes, 5050u);
  // Allocations of both layers count: the layers are nested and have the same
  // name.
  EXPECT_EQ(Two.Shares[1].Allocations, 2u);
}

TEST_F(OneDevice, Nonsense) {
  segment(SegmentChange(9), Base, 10);
  segment(SegmentChange::Allocate, Base, 0);
  segment(SegmentChange::Allocate, ~uint64_t(0), MaxSize);
  put(RecordKind::TensorReusable, ~uint64_t(0));
  put(RecordKind::TensorRequest, Base, 1, 0, 0, 7); // no such device
  put(RecordKind::TensorSegment, Base, 1, 0, 0, 200);
  EXPECT_EQ(R->losses(), 6u);
  // Harmless: unknown streams, frees of unknown blocks.
  put(RecordKind::TensorRequest, Base, MaxSize, ~0u, ~0u);
  put(RecordKind::TensorAllocate, Base, 5);
  put(RecordKind::TensorRequest, Base + 64, 5, ~0u - 1, ~0u);
  put(RecordKind::TensorPool, ~uint64_t(0), MaxSize);
  put(RecordKind::TensorAllocate, Base + 64, 5);
  segment(SegmentChange::Free, Base, MaxSize);
  segment(SegmentChange::Unmap, Base, MaxSize);
  segment(SegmentChange::Free, 0, 0);
  segment(SegmentChange::Map, Base + 4096, MaxSize);
  segment(SegmentChange::Map, Base + 4096, MaxSize);
  EXPECT_EQ(R->losses(), 6u);
  EXPECT_EQ(heap("torch.cuda:0").LiveBytes, 10u);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorFlow's scopes, from records that no library writes.

#include "OneProcess.h"
#include <random>

using namespace llvm;
using namespace memkit;

namespace {
constexpr uint64_t Tf = wire::SF_TensorFlow;
} // namespace

/// Flags, texts, numbers and links are anything; tensors come between.
TEST_F(OneProcess, TensorFlowScopesOfAWrongProgram) {
  static constexpr uint64_t Kinds[] = {wire::SF_Layer,
                                       wire::SF_Operator,
                                       wire::SF_Range,
                                       wire::SF_Backward,
                                       wire::SF_Nvtx,
                                       wire::SF_KindMask,
                                       0};
  for (unsigned Seed = 1; Seed != 20; ++Seed) {
    begin();
    I->shared().control().TensorDevices[0] =
        wire::TensorDeviceWord::pack(wire::TensorFramework::TensorFlow, 0xff00);
    std::mt19937_64 Random(Seed);
    auto Below = [&](uint64_t N) { return Random() % N; };
    for (unsigned N = 0; N != 3000; ++N) {
      uint32_t Ring = uint32_t(Below(4));
      wire::Record Rec;
      if (Below(3) == 0) {
        uint64_t Extra =
            Below(4) ? (Random() &
                        (wire::SF_Unnamed | wire::SF_Function | wire::SF_Link |
                         wire::SF_Outside | wire::SF_WithInputs))
                     : Random() << 40;
        wire::ScopeBeginRecord Begin{
            uint32_t(Below(2) ? Below(20) : Random()),
            Kinds[Below(std::size(Kinds))] | Tf | Extra, Below(200),
            Below(2) ? Below(200) : Random()};
        Rec = wire::encodeAt(Tsc += 1000, Begin);
      } else if (Below(2)) {
        Rec = wire::encodeAt(Tsc += 1000, wire::ScopeEndRecord{Below(200)});
      } else if (Below(4) == 0) {
        Rec = wire::encodeAt(Tsc += 1000, wire::OperatorWorkRecord{Random()});
      } else if (Below(2)) {
        Rec = wire::encodeAt(
            Tsc += 1000,
            wire::TensorAllocateRecord{0x1000 + 16 * Below(500), Below(5000),
                                       uint8_t(Below(2)), 0});
      } else {
        Rec = wire::encodeAt(Tsc += 1000,
                             wire::TensorFreeRecord{0x1000 + 16 * Below(500),
                                                    false, uint8_t(Below(2))});
      }
      I->process(Rec, Ring);
      if (Below(100) == 0)
        pass();
    }
    I->settleHeld(true);
    I->endScopes(R->lastNs());
    EXPECT_EQ(std::vector<std::string>(), differences());
  }
}

TEST_F(OneProcess, ADeviceOfNoFramework) {
  I->shared().control().TensorDevices[0] = 1u << 16 | 7u << 17 | 0xff00;
  I->process(wire::encodeAt(Tsc += 1000,
                            wire::TensorAllocateRecord{0x1000, 100, 0, 0}),
             0);
  EXPECT_EQ(1u, lost(LossKind::BadRecord));
}

/// A block of malloc that TensorFlow divides encloses the tensors in it.
TEST_F(OneProcess, TensorsInARegion) {
  I->shared().control().TensorDevices[0] =
      wire::TensorDeviceWord::pack(wire::TensorFramework::TensorFlow, 0xff00);
  put(0, RecordKind::Allocate, 0x100000, 1 << 20);
  for (uint64_t At : {0x100000, 0x140000, 0x1c0000})
    I->process(wire::encodeAt(Tsc += 1000,
                              wire::TensorAllocateRecord{At, 0x40000, 0, 0}),
               0);
  // Not in the region: another allocator's.
  I->process(
      wire::encodeAt(Tsc += 1000,
                     wire::TensorAllocateRecord{0x300000, 0x40000, 0, 0}),
      0);
  EXPECT_EQ(uint64_t(1 << 20) + 0x40000, R->stats().spaceLiveBytes(0));
  EXPECT_EQ(std::vector<std::string>(), differences());
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From launches and pieces of work to the times of operators and scopes.

#include "OneProcess.h"
#include "Wire/Records.h"

using namespace memkit;
using wire::CudaPlace;

namespace {

constexpr uint64_t Ms = 1'000'000;

struct DeviceTimesTest : OneProcess {
  static constexpr uint32_t NoDevice = CudaPlace::pack(255, 0, 0);

  template <class T> void write(uint32_t Ring, const T &What) {
    I->process(wire::encodeAt(Tsc += 1000, What), Ring);
  }
  void operatorBegins(uint64_t Number, uint32_t Ring = 0) {
    write(Ring, wire::ScopeBeginRecord{0, wire::SF_Operator, Number, 0});
  }
  void scopeEnds(uint64_t Number, uint32_t Ring = 0) {
    write(Ring, wire::ScopeEndRecord{Number});
  }
  void launch(uint32_t Correlation, uint32_t Ring = 0) {
    write(Ring, wire::DeviceLaunchRecord{Correlation, 0, NoDevice});
  }
  void clock(uint64_t DeviceNs, uint32_t Ring = 1) {
    write(Ring, wire::DeviceClockRecord{DeviceNs, NoDevice});
  }
  void work(uint32_t Correlation, uint64_t BeginNs, uint64_t DurationNs,
            uint32_t Device = 0, uint32_t Ring = 1) {
    write(Ring, wire::DeviceWorkDetailRecord{0, 7, 0, 0});
    write(Ring, wire::DeviceWorkRecord{
                    BeginNs, DurationNs, wire::DeviceWorkKind::Kernel,
                    Correlation, CudaPlace::pack(Device, 0, 0)});
  }
  /// All operators are of one name: text 0.
  LayerStats operators() {
    std::vector<LayerStats> All;
    I->log().AddScopes(0, /*OnlyChanged=*/false, All);
    for (const LayerStats &L : All)
      if (L.Kind == ScopeKind::Operator)
        return L;
    return {};
  }
  const std::vector<DeviceTimeStats> &rows() { return R->deviceTimes().rows(); }
};

TEST_F(DeviceTimesTest, WorkBelongsToTheScopesOfItsLaunch) {
  operatorBegins(1);
  launch(10);
  scopeEnds(1);
  launch(11); // outside
  clock(500 * Ms);
  work(11, 100 * Ms, 3 * Ms);
  work(10, 100 * Ms, 2 * Ms); // in any order
  EXPECT_EQ(2 * Ms, operators().DeviceNs);
  EXPECT_EQ(2 * Ms, operators().DeviceSelfNs);
  ASSERT_EQ(2u, rows().size());
  EXPECT_EQ(0u, rows()[0].ScopePath);
  EXPECT_NE(0u, rows()[1].ScopePath);
  EXPECT_EQ(0u, rows()[0].Untied + rows()[1].Untied);
}

TEST_F(DeviceTimesTest, AnOperatorInsideOfItselfCountsOnce) {
  operatorBegins(1);
  operatorBegins(2);
  launch(10);
  scopeEnds(2);
  launch(11);
  scopeEnds(1);
  clock(500 * Ms);
  work(10, 100 * Ms, 2 * Ms);
  work(11, 100 * Ms, 5 * Ms);
  EXPECT_EQ(7 * Ms, operators().DeviceNs);
  EXPECT_EQ(7 * Ms, operators().DeviceSelfNs);
}

TEST_F(DeviceTimesTest, TimesAreOfTheTrace) {
  Tsc = 900 * Ms;
  clock(5000 * Ms); // 1 us later, the clock of the trace is 900 ms
  work(1, 4990 * Ms, 2 * Ms);
  work(1, 1000 * Ms, 2 * Ms); // before the recording
  ASSERT_EQ(1u, rows().size());
  EXPECT_EQ(0u, rows()[0].BeginNs);
  EXPECT_EQ(892 * Ms + 1000, rows()[0].EndNs);
}

TEST_F(DeviceTimesTest, WorkWithoutAKnownLaunchIsUntied) {
  launch(10);
  launch(10 + DeviceTimes::MaxLaunches); // takes the place of the first
  clock(500 * Ms);
  work(10, 100 * Ms, Ms);
  work(0, 100 * Ms, Ms);
  ASSERT_EQ(1u, rows().size());
  EXPECT_EQ(2u, rows()[0].Calls);
  EXPECT_EQ(2u, rows()[0].Untied);
  EXPECT_EQ(0u, lost(LossKind::BadRecord));
}

TEST_F(DeviceTimesTest, WrongRecordsAreRefused) {
  uint64_t Bad = 0;
  auto Refused = [&] { EXPECT_EQ(++Bad, lost(LossKind::BadRecord)); };
  launch(0);
  Refused();
  work(1, Ms, Ms); // no clock
  Refused();
  clock(0);
  Refused();
  clock(500 * Ms);
  work(1, Ms, Ms, wire::MaxCudaDevices);
  Refused();
  write(1, wire::DeviceWorkRecord{Ms, Ms, wire::DeviceWorkKind::Kernel, 1,
                                  CudaPlace::pack(0, 0, 0)}); // no detail
  Refused();
  write(1, wire::DeviceWorkDetailRecord{0, 7, 0, 0});
  write(1, wire::DeviceWorkRecord{
               Ms, Ms, wire::DeviceWorkKind(wire::NumDeviceWorkKinds), 1,
               CudaPlace::pack(0, 0, 0)});
  Refused();
  write(1, wire::DeviceWorkLostRecord{~uint64_t(0), NoDevice});
  Refused();
  EXPECT_TRUE(rows().empty());
}

TEST_F(DeviceTimesTest, LostWorkIsNoLostEvent) {
  write(1, wire::DeviceWorkLostRecord{5, NoDevice});
  EXPECT_EQ(5u, lost(LossKind::DeviceWork));
  EXPECT_EQ(5u, R->deviceLosses(LossKind::DeviceWork));
  EXPECT_EQ(0u, R->losses());
}

TEST_F(DeviceTimesTest, TheTraceHasSumsAndSpans) {
  operatorBegins(1);
  launch(10);
  clock(500 * Ms);
  work(10, 100 * Ms, 2 * Ms);
  I->finish(600 * Ms);
  EXPECT_TRUE(differences().empty());
  auto T = llvm::cantFail(
      TraceReader::create(llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
  DeviceSpans Spans;
  Summary Sums;
  size_t NumTimes = 0;
  for (const SectionInfo &B : T->sections()) {
    if (B.Kind == SectionKind::DeviceSpans)
      llvm::cantFail(T->read(B, Spans));
    if (B.Kind == SectionKind::Summary) {
      llvm::cantFail(T->read(B, Sums));
      NumTimes += Sums.DeviceTimes.size();
    }
  }
  EXPECT_EQ(1u, NumTimes);
  ASSERT_EQ(1u, Spans.Rows.size());
  EXPECT_EQ(2 * Ms, Spans.Rows[0].DurationNs);
}

} // namespace

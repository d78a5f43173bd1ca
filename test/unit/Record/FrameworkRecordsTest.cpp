// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OneProcess.h"

using namespace memkit;

namespace {

struct FrameworkRecords : OneProcess {
  template <class T> void write(uint32_t Ring, const T &What) {
    I->process(wire::encodeAt(Tsc += 1000, What), Ring);
  }
  uint32_t scopePathOfLast() { return I->log().Now.rows().back().ScopePath; }
};

TEST_F(FrameworkRecords, WorkOfAnotherThreadIsInTheScopeOfItsOperator) {
  write(0, wire::ScopeBeginRecord{0, wire::SF_Operator, 5, 0});
  put(0, RecordKind::Allocate, 0x1000, 8);
  uint32_t Of = scopePathOfLast();
  EXPECT_NE(0u, Of);
  write(0, wire::ScopeEndRecord{5});
  // The work goes on after the end of the operator.
  write(1, wire::ScopeBeginRecord{0, wire::SF_Continued, 6, 5});
  put(1, RecordKind::Allocate, 0x2000, 8);
  EXPECT_EQ(Of, scopePathOfLast());
  write(1, wire::ScopeEndRecord{6});
  put(1, RecordKind::Allocate, 0x3000, 8);
  EXPECT_EQ(0u, scopePathOfLast());
}

TEST_F(FrameworkRecords, WorkOfAnUnknownOperatorIsAnOperatorOfItsName) {
  for (uint64_t First : {uint64_t(0), uint64_t(99), ~uint64_t(0)}) {
    write(1, wire::ScopeBeginRecord{0, wire::SF_Continued, 6, First});
    put(1, RecordKind::Allocate, 0x2000 + First % 64 * 16, 8);
    EXPECT_NE(0u, scopePathOfLast());
    write(1, wire::ScopeEndRecord{6});
  }
}

TEST_F(FrameworkRecords, InvalidFiguresAreBadRecords) {
  using wire::FigureKind;
  struct Marks : RecordingListener {
    std::vector<Mark> All;
    // Other marks tell of the losses.
    void addingMark(const Mark &M) override {
      if (M.Kind == MarkKind::Program || M.Kind == MarkKind::Arrays)
        All.push_back(M);
    }
  } Listener;
  R->addListener(Listener);
  std::vector<Mark> &Marks = Listener.All;
  uint64_t Bad = 0;
  auto Refused = [&](const wire::FigureRecord &Rec) {
    write(0, Rec);
    EXPECT_EQ(++Bad, lost(LossKind::BadRecord));
  };
  Refused({1, 0, FigureKind(wire::NumFigureKinds), 0, 1});
  Refused({1, 0, FigureKind::Arrays, 0, 0});
  Refused({1, 0, FigureKind::Arrays, 0, wire::MaxFigures + 1});
  Refused({1, 0, FigureKind::Arrays, 2, 2});
  // A row without a name.
  write(0, wire::FigureRecord{1, 0, FigureKind::Arrays, 0, 2});
  Refused({1, 0, FigureKind::Arrays, 1, 2});
  // The first value of a row is lost: no mark, and no bad record.
  write(0, wire::FigureRecord{1, 0, FigureKind::Arrays, 1, 2});
  EXPECT_EQ(Bad, lost(LossKind::BadRecord));
  EXPECT_TRUE(Marks.empty());
  R->removeListener(Listener);
}

TEST_F(FrameworkRecords, HeapsAreOfFrameworks) {
  auto Word = wire::TensorDeviceWord::pack;
  auto &Devices = I->shared().control().TensorDevices;
  Devices[0] = Word(wire::TensorFramework::Torch, 0);
  Devices[1] = Word(wire::TensorFramework::Jax, 0);
  Devices[2] =
      Word(wire::TensorFramework::Jax, wire::TensorDeviceWord::Tpu | 3 << 8);
  Devices[3] = Word(wire::TensorFramework::Jax, 1 | 2 << 8); // CUDA
  Devices[4] = Word(wire::TensorFramework(wire::NumTensorFrameworks), 0);
  for (uint8_t Device = 0; Device != 5; ++Device)
    write(0, wire::TensorAllocateRecord{0x1000u + Device * 64u, 64, Device, 0});
  std::vector<std::string> Names;
  for (const Event &E : I->log().Now.rows())
    Names.push_back(R->heaps().heapName(E.Heap).str());
  EXPECT_EQ((std::vector<std::string>{"torch.cpu", "jax.cpu", "jax.tpu:3",
                                      "jax.cuda:2"}),
            Names);
  EXPECT_EQ(1u, lost(LossKind::BadRecord));
  // No framework's tensor at an address ends another's.
  write(0, wire::TensorFreeRecord{0x1040, false, 1});
  EXPECT_EQ(std::vector<std::string>(), differences());
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of several processes that take turns.

#include "RawRecord.h"
#include "Sources/ProcessState.h"
#include "memkit/Model/Check.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <unistd.h>

using namespace memkit;
using wire::RecordKind;

namespace {

constexpr unsigned NumProcesses = 5, NumRings = 2;

struct Taken {
  size_t Records = 0, Runs = 0;
};

/// Processes without programs. Source N is ring N % NumRings of the process
/// N / NumRings + 1.
class Turns {
public:
  Turns(std::string &Bytes, llvm::ArrayRef<uint64_t> Bounds) : Out(Bytes) {
    R = llvm::cantFail(
        Recording::create(Out, Header(), TscClock({0, 0, 0}, 1000000000)));
    R->stats().setBounds(/*IsSpace=*/true, 0, Bounds);
    Shared = std::make_unique<SharedSources>(*R);
    Shared->Pass = 1;
    for (uint32_t Id = 1; Id <= NumProcesses; ++Id) {
      R->names().addProcess(ProcessRecord());
      R->stats().beginProcess(Id, 0);
      States.push_back(std::make_unique<ProcessState>(
          Id, getpid(), false,
          llvm::cantFail(SharedProcess::create(Id, ProcessSettings(), "test")),
          *Shared));
      ProcessState &I = *States.back();
      R->addProcess(I.log());
      for (uint32_t Ring = 0; Ring != NumRings; ++Ring) {
        I.ring(Ring);
        I.shared().ringHeader(Ring).Tid = 100 * Id + Ring;
        Of.push_back({&I, Ring, I.id()});
      }
    }
  }

  /// Takes the records as a session does: in parts, with the work of a pass
  /// after each, and the end of a process before the end.
  Taken take(llvm::ArrayRef<MergedRecord> Records, bool Many);
  std::vector<LiveStats::Crossing> crossings() {
    return R->stats().takeCrossings();
  }

private:
  size_t takeSome(llvm::ArrayRef<MergedRecord> Part, bool Many);
  void pass();
  void end(ProcessState &I);

  StringSink Out;
  std::unique_ptr<Recording> R;
  std::unique_ptr<SharedSources> Shared;
  std::vector<std::unique_ptr<ProcessState>> States;
  std::vector<RingOfProcess> Of;
};

} // namespace

/// One record, or a run. The records of a process that has ended are dropped.
size_t Turns::takeSome(llvm::ArrayRef<MergedRecord> Part, bool Many) {
  auto [I, Ring, Id] = Of[Part[0].Source];
  if (R->stats().isEnded(I->id()))
    return 1;
  if (size_t Count = Many ? I->takeFast(Part, Of.data()) : 0)
    return Count;
  I->process(Part[0].R, Ring);
  return 1;
}

Taken Turns::take(llvm::ArrayRef<MergedRecord> Records, bool Many) {
  Taken Sum;
  size_t EndAt = Records.size() / 10 * 9;
  while (!Records.empty()) {
    llvm::ArrayRef<MergedRecord> Part = Records.take_front(700);
    Records = Records.drop_front(Part.size());
    while (!Part.empty()) {
      size_t Count = takeSome(Part, Many);
      Part = Part.drop_front(Count);
      Sum.Records += Count;
      ++Sum.Runs;
    }
    pass();
    if (EndAt && Sum.Records > EndAt) {
      end(*States[2]);
      EndAt = 0;
    }
  }
  for (auto &I : States)
    if (!R->stats().isEnded(I->id()))
      end(*I);
  R->finish();
  return Sum;
}

void Turns::pass() {
  ++Shared->Pass;
  for (auto &I : States) {
    I->settleHeld();
    // A snapshot of each process in turn, over several passes.
    if (Shared->Pass % 7 == I->id() && !I->snapshots().active())
      I->snapshots().start();
    if (Shared->Pass % 3 == 0)
      I->snapshots().finish();
    if (Shared->Pass % 11 == I->id())
      R->cutInterval(I->id(), R->boundaryNs());
  }
  if (Shared->Pass % 40 == 0)
    R->flush();
}

void Turns::end(ProcessState &I) {
  I.settleHeld(true);
  I.snapshots().finish();
  uint64_t EndNs = R->boundaryNs();
  R->stats().expectLastCut(I.id());
  R->cutInterval(I.id(), EndNs);
  R->stats().endProcess(I.id(), EndNs, 0, 0);
  Mark M;
  M.Kind = MarkKind::ProcessEnd;
  M.Process = I.id();
  M.TimeNs = EndNs;
  M.Values = {0, 0};
  R->addMark(std::move(M));
}

namespace {

/// Records of all processes, most usual. Turns are of up to MaxTurn records.
std::vector<MergedRecord> someTurns(unsigned Seed, unsigned MaxTurn) {
  std::mt19937_64 Random(Seed);
  std::vector<MergedRecord> Out;
  std::map<std::pair<unsigned, uint64_t>, bool> Live;
  const RecordKind Unusual[] = {RecordKind::Allocate, RecordKind::Free,
                                RecordKind::ReallocBegin,
                                RecordKind::ReallocEnd};
  uint64_t Tsc = 1000;
  while (Out.size() < 100000) {
    unsigned Process = unsigned(Random() % NumProcesses);
    for (uint64_t Left = 1 + Random() % MaxTurn; Left; --Left) {
      uint64_t Address = (1 + Random() % 500) * 16;
      bool &Lives = Live[{Process, Address}];
      RecordKind Kind = Lives ? RecordKind::Free : RecordKind::Allocate;
      if (Random() % 1000 == 0)
        Kind = Unusual[Random() % std::size(Unusual)];
      else
        Lives = !Lives;
      // Several processes have events in one tick.
      Tsc += Random() % 60;
      MergedRecord M;
      M.R = rawRecord(Random() % 100 ? Tsc : Tsc - 50, Kind,
                      Random() % 900 ? Address : 0,
                      Random() % 50 ? Random() % 5000 : Random() % 100000,
                      uint8_t(wire::AllocFunction::Malloc));
      M.Source = uint32_t(Process * NumRings + Random() % NumRings);
      Out.push_back(M);
    }
  }
  return Out;
}

struct Contents {
  std::vector<Event> Rows;
  std::vector<HeapStats> Heaps;
  std::vector<StackStatsRows> Stacks;
  std::vector<ProcessStats> Processes;
  std::vector<TotalStats> Spaces;
  bool operator==(const Contents &) const = default;
};

Contents contentsOf(const std::string &Bytes) {
  auto T = llvm::cantFail(
      TraceReader::create(llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
  Contents Out;
  for (const SectionInfo &B : T->sections()) {
    if (B.Kind == SectionKind::Events) {
      Events E;
      llvm::cantFail(T->read(B, E));
      Out.Rows.insert(Out.Rows.end(), E.Rows.begin(), E.Rows.end());
    } else if (B.Kind == SectionKind::Summary) {
      Summary S;
      llvm::cantFail(T->read(B, S));
      Out.Heaps = S.Heaps;
      Out.Stacks = S.Stacks;
      Out.Processes = S.Processes;
      Out.Spaces = S.Spaces;
    }
  }
  CheckResult Checked = llvm::cantFail(checkTrace(*T));
  EXPECT_EQ(std::vector<std::string>(), Checked.Differences);
  EXPECT_GT(Checked.Snapshots, 0u);
  return Out;
}

TEST(ProcessTurns, RunsOverTurnsAreAsOneByOne) {
  std::vector<uint64_t> Bounds;
  for (uint64_t Bytes = 100000; Bytes < 10000000; Bytes += 70001)
    Bounds.push_back(Bytes);
  for (unsigned Seed = 1; Seed != 7; ++Seed) {
    std::vector<MergedRecord> Records =
        someTurns(Seed, Seed % 3 == 0 ? 80 : Seed % 3);
    std::string Bytes[2];
    std::vector<LiveStats::Crossing> Crossed[2];
    for (bool Many : {false, true}) {
      Turns T(Bytes[Many],
              llvm::ArrayRef(Bounds).take_front(Seed % 2 ? Bounds.size() : 0));
      Taken Is = T.take(Records, Many);
      Crossed[Many] = T.crossings();
      EXPECT_EQ(Many, Is.Records / Is.Runs > 10);
    }
    Contents A = contentsOf(Bytes[0]), B = contentsOf(Bytes[1]);
    EXPECT_TRUE(A.Rows == B.Rows) << Seed;
    EXPECT_TRUE(A.Heaps == B.Heaps) << Seed;
    EXPECT_TRUE(A.Stacks == B.Stacks) << Seed;
    EXPECT_TRUE(A.Processes == B.Processes) << Seed;
    EXPECT_TRUE(A.Spaces == B.Spaces) << Seed;
    EXPECT_EQ(Seed % 2 != 0, !Crossed[0].empty());
    ASSERT_EQ(Crossed[0].size(), Crossed[1].size());
    for (size_t At = 0; At != Crossed[0].size(); ++At) {
      EXPECT_EQ(Crossed[0][At].TimeNs, Crossed[1][At].TimeNs);
      EXPECT_EQ(Crossed[0][At].LiveBytes, Crossed[1][At].LiveBytes);
      EXPECT_EQ(Crossed[0][At].Process, Crossed[1][At].Process);
    }
  }
}

} // namespace

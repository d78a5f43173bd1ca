// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Consistency checks of traces.

#include "memkit/Model/Check.h"
#include "TraceMaker.h"
#include "gtest/gtest.h"

using namespace memkit;
using namespace memkit::test;

namespace {

CheckResult check(const MadeTrace &T, bool Complete = true) {
  std::unique_ptr<TraceReader> R = T.open(Complete);
  return llvm::cantFail(checkTrace(*R));
}

/// Whether a check reports Text.
testing::AssertionResult says(const MadeTrace &T, const std::string &Text) {
  CheckResult Result = check(T);
  std::string All;
  for (const std::string &D : Result.Differences) {
    if (D.find(Text) != std::string::npos)
      return testing::AssertionSuccess();
    All += D + "\n";
  }
  return testing::AssertionFailure() << "instead of `" << Text << "`:\n" << All;
}

MadeTrace large() { return completed(makeEvents(1, 200000, 1)); }

TEST(Check, CompletedTracesAgree) {
  for (unsigned Seed = 0; Seed < 8; ++Seed) {
    bool Places = Seed % 2;
    MadeTrace T = completed(makeEvents(Seed, 20000, 1 + Seed % 5, Places));
    CheckResult Result = check(T);
    EXPECT_EQ(Result.Differences, std::vector<std::string>());
    EXPECT_GT(Result.SummaryRows, 0u);
    EXPECT_GT(Result.Intervals, 0u);
    EXPECT_EQ(Result.Notes, std::vector<std::string>());
  }
  CheckResult Result = check(large());
  EXPECT_TRUE(Result.agrees());
  EXPECT_GT(Result.Snapshots, 0u);
}

/// Changes each field of a row of T in turn, and expects the check to report
/// the field.
void expectFieldsCompared(const MadeTrace &T) {
  struct {
    const char *Name;
    uint64_t StackStats::*Field;
  } Fields[] = {{"allocations", &StackStats::Allocations},
                {"allocated bytes", &StackStats::AllocatedBytes},
                {"splits", &StackStats::Splits},
                {"temporaries", &StackStats::Temporaries},
                {"live blocks", &StackStats::LiveBlocks},
                {"live bytes", &StackStats::LiveBytes},
                {"live exclusive bytes", &StackStats::LiveExclusive},
                {"peak bytes", &StackStats::PeakBytes},
                {"blocks at the heap's peak", &StackStats::HeapPeakBlocks},
                {"bytes at the heap's peak", &StackStats::HeapPeakBytes},
                {"blocks at the space's peak", &StackStats::SpacePeakBlocks},
                {"bytes at the space's peak", &StackStats::SpacePeakBytes}};
  for (auto &F : Fields)
    for (bool ScopePath : {false, true}) {
      MadeTrace Wrong = T;
      Summary *S = Wrong.all<Summary>().front();
      StackStats &Row =
          (ScopePath ? S->ScopePaths : S->Stacks).front().Rows.front();
      Row.*F.Field += 1;
      EXPECT_TRUE(
          says(Wrong, std::string(ScopePath ? "scope path " : "stack ") +
                          std::to_string(Row.Key) + ": " + F.Name + " " +
                          std::to_string(Row.*F.Field) + ", events give"));
    }
}

TEST(Check, EveryFieldOfARowIsCompared) {
  // Without places events are replayed many at once.
  for (bool Places : {false, true})
    expectFieldsCompared(completed(makeEvents(2, 5000, 1 + Places, Places)));
}

TEST(Check, TotalsAreCompared) {
  MadeTrace T = completed(makeEvents(3, 5000, 2));
  auto With = [&](auto Change) {
    MadeTrace Wrong = T;
    Change(*Wrong.all<Summary>().back());
    return Wrong;
  };
  EXPECT_TRUE(says(With([](Summary &S) { S.Heaps[0].PeakTimeNs += 100; }),
                   "summary, heap 1: peak time"));
  EXPECT_TRUE(says(With([](Summary &S) { S.Spaces[0].Temporaries += 1; }),
                   "summary, space 0: temporaries"));
  EXPECT_TRUE(says(With([](Summary &S) { S.Processes[0].PeakBytes += 1; }),
                   "summary, process 1: peak bytes"));
  EXPECT_TRUE(says(With([](Summary &S) { S.Steps[1].FreedBytes += 1; }),
                   ": freed bytes"));
  EXPECT_TRUE(says(With([](Summary &S) { S.Steps.pop_back(); }), ": begin 0"));
  EXPECT_TRUE(
      says(With([](Summary &S) { S.Marks += 1; }), " marks, there are"));
}

TEST(Check, MissingRowsAreFound) {
  MadeTrace T = completed(makeEvents(4, 5000, 1));
  MadeTrace Wrong = T;
  Wrong.all<Summary>().front()->Stacks.front().Rows.pop_back();
  EXPECT_TRUE(says(Wrong, "allocations 0, events give"));
}

TEST(Check, IntervalsAreCompared) {
  MadeTrace T = completed(makeEvents(5, 5000, 1));
  auto With = [&](auto Change) {
    MadeTrace Wrong = T;
    for (Interval &S : Wrong.all<Intervals>().front()->Rows)
      if (!S.Rows.empty() && S.Index > 0) {
        Change(S);
        break;
      }
    return Wrong;
  };
  EXPECT_TRUE(says(With([](Interval &S) { S.Rows[0].LiveBytes += 5; }),
                   " temporaries), events give "));
  EXPECT_TRUE(says(With([](Interval &S) { S.Rows[0].AllocatedBytes += 5; }),
                   " temporaries), events give "));
  EXPECT_TRUE(says(With([](Interval &S) { S.Rows.erase(S.Rows.begin()); }),
                   "changed by the events, not in the file"));
  EXPECT_TRUE(says(With([](Interval &S) { S.LastStep += 1; }), "last step"));
}

TEST(Check, IntervalsOfAnOlderVersionHaveNoSums) {
  MadeTrace T = completed(makeEvents(5, 5000, 1));
  std::map<std::pair<uint32_t, uint32_t>, IntervalRow> Before;
  for (Intervals *Block : T.all<Intervals>())
    for (Interval &S : Block->Rows) {
      S.Detail = IntervalDetail::None;
      erase_if(S.Rows, [&](IntervalRow &R) {
        R.Allocations = R.AllocatedBytes = R.Temporaries = 0;
        IntervalRow Was = std::exchange(Before[{R.Heap, R.Stack}], R);
        return R.LiveBlocks == Was.LiveBlocks && R.LiveBytes == Was.LiveBytes;
      });
    }
  for (const std::string &Line : check(T).Differences)
    EXPECT_EQ(Line, "") << "live values are compared as ever";
}

TEST(Check, SnapshotsAreCompared) {
  MadeTrace T = large();
  auto With = [&](auto Change) {
    MadeTrace Wrong = T;
    Change(*Wrong.all<Snapshot>().front());
    return Wrong;
  };
  ASSERT_FALSE(T.all<Snapshot>().front()->Blocks.empty());
  EXPECT_TRUE(
      says(With([](Snapshot &K) { K.Blocks[0].Size += 1; }), ": size "));
  EXPECT_TRUE(
      says(With([](Snapshot &K) { K.Blocks[0].Stack ^= 1; }), ": stack "));
  EXPECT_TRUE(says(With([](Snapshot &K) { K.Blocks[0].AllocatedNs += 100; }),
                   ": allocated "));
  EXPECT_TRUE(says(With([](Snapshot &K) { K.Blocks.pop_back(); }),
                   " blocks, events give "));
  EXPECT_TRUE(
      says(With([](Snapshot &K) { K.Events = 1u << 30; }), "there are "));
}

TEST(Check, SaysWhatItCouldNotCompare) {
  MadeTrace None = makeEvents(6, 1000, 1);
  CheckResult Result = check(None);
  EXPECT_TRUE(Result.agrees());
  EXPECT_EQ(Result.Notes,
            std::vector<std::string>{"there is no complete summary"});

  // A summary in the middle of a trace that was cut off.
  MadeTrace T = completed(makeEvents(7, 1000, 1));
  Summary Early = *T.all<Summary>().back();
  Early.Events -= 10;
  T.Blocks.pop_back();
  T.Blocks.push_back(Early);
  EXPECT_EQ(check(T, /*Complete=*/false).Notes.size(), 1u);
  EXPECT_FALSE(check(T, /*Complete=*/true).agrees());
}

} // namespace

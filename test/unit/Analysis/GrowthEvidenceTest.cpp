// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evidence that a program without steps repeats itself.

#include "Analysis/Growth/GrowthEvidence.h"
#include "gtest/gtest.h"
#include <vector>

using namespace memkit;

namespace {

/// A growth of 64 bins that keeps 100 bytes in each bin.
struct MadeCourse {
  std::vector<double> Kept = std::vector<double>(64, 100);
  std::vector<double> Allocated = std::vector<double>(64, 2000);
  std::vector<double> Others = std::vector<double>(64, 50000);
  double Blocks = 1000;

  EvidenceOf find() const {
    std::vector<double> Growing;
    double Sum = 0;
    for (double K : Kept)
      Growing.push_back(Sum += K);
    return findEvidence({Kept, Blocks, Allocated, Growing, Others, 0, 63});
  }
};

TEST(GrowthEvidence, RoundsThatComeBack) {
  EvidenceOf E = MadeCourse().find();
  EXPECT_EQ(E.Evidence, GrowthEvidence::Rounds);
  EXPECT_EQ(E.Count, 16u);
}

TEST(GrowthEvidence, ALoadKeepsMoreThanATenth) {
  MadeCourse C;
  C.Allocated.assign(64, 900);
  EXPECT_EQ(C.find().Evidence, GrowthEvidence::None);
}

TEST(GrowthEvidence, OtherMemoryThatRisesIsNotBack) {
  MadeCourse C;
  for (size_t I = 0; I != 64; ++I)
    C.Others[I] += double(I) * 90;
  EXPECT_EQ(C.find().Evidence, GrowthEvidence::None);
}

TEST(GrowthEvidence, WaveringMemoryIsBack) {
  MadeCourse C;
  for (size_t I = 0; I != 64; ++I)
    C.Others[I] += double(I % 7) * 3000;
  EXPECT_EQ(C.find().Evidence, GrowthEvidence::Rounds);
}

TEST(GrowthEvidence, FiveRoundsAreTooFew) {
  MadeCourse C;
  C.Kept.assign(64, 0);
  for (size_t I = 0; I != 20; ++I)
    C.Kept[I] = 100;
  EXPECT_EQ(C.find().Evidence, GrowthEvidence::None);
}

TEST(GrowthEvidence, FourBurstsAreEnough) {
  MadeCourse C;
  C.Kept.assign(64, 0);
  for (size_t Burst = 0; Burst != 4; ++Burst)
    C.Kept[Burst * 20] = 600;
  EvidenceOf E = C.find();
  EXPECT_EQ(E.Evidence, GrowthEvidence::Bursts);
  EXPECT_EQ(E.Count, 4u);
  C.Blocks = 4;
  EXPECT_EQ(C.find().Evidence, GrowthEvidence::None);
  C.Blocks = 1000;
  C.Kept[60] = 0;
  EXPECT_EQ(C.find().Evidence, GrowthEvidence::None);
}

} // namespace

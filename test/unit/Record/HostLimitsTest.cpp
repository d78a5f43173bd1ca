// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which limit of host memory a process has met.

#include "Shared/HostLimits.h"
#include <gtest/gtest.h>
#include <unistd.h>

using namespace memkit;

namespace {

constexpr uint64_t MiB = 1 << 20, GiB = 1 << 30;

/// A process of 1 GiB on a machine of 16 GiB.
HostUse usual() {
  HostUse U;
  U.AddressSpace = GiB;
  U.Data = GiB / 2;
  U.Total = 16 * GiB;
  U.Available = 12 * GiB;
  U.CommitLimit = 8 * GiB;
  U.Committed = 2 * GiB;
  return U;
}

TEST(HostLimits, AddressSpace) {
  HostUse U = usual();
  U.AddressSpaceLimit = GiB + 100 * MiB;
  MetLimit L = limitMet(U, 200 * MiB);
  EXPECT_EQ(LimitKind::AddressSpace, L.Kind);
  EXPECT_EQ(GiB + 100 * MiB, L.Bytes);
  EXPECT_EQ(100 * MiB, L.Free);
}

TEST(HostLimits, ASmallRequestGrowsTheHeap) {
  HostUse U = usual();
  U.AddressSpaceLimit = GiB + 64 * 1024;
  EXPECT_EQ(64u * 1024, limitMet(U, 24).Free);
}

TEST(HostLimits, Data) {
  HostUse U = usual();
  U.DataLimit = GiB / 2 + MiB;
  MetLimit L = limitMet(U, 2 * MiB);
  EXPECT_EQ(LimitKind::Data, L.Kind);
  EXPECT_EQ(MiB, L.Free);
}

TEST(HostLimits, StrictOvercommit) {
  HostUse U = usual();
  EXPECT_EQ(LimitKind::Unknown, limitMet(U, 7 * GiB).Kind);
  U.IsStrict = true;
  MetLimit L = limitMet(U, 7 * GiB);
  EXPECT_EQ(LimitKind::Machine, L.Kind);
  EXPECT_EQ(8 * GiB, L.Bytes);
  EXPECT_EQ(6 * GiB, L.Free);
}

TEST(HostLimits, MoreThanTheMachineHas) {
  HostUse U = usual();
  MetLimit L = limitMet(U, 20 * GiB);
  EXPECT_EQ(LimitKind::Machine, L.Kind);
  EXPECT_EQ(16 * GiB, L.Bytes);
  EXPECT_EQ(12 * GiB, L.Free);
  U.IsNever = true;
  EXPECT_EQ(LimitKind::Unknown, limitMet(U, 20 * GiB).Kind);
}

/// The process has freed memory since, or has ended: its limit is known, what
/// was left of the limit is not.
TEST(HostLimits, AProcessThatIsGone) {
  HostUse U = usual();
  U.AddressSpace = 0;
  U.AddressSpaceLimit = 2 * GiB;
  MetLimit L = limitMet(U, MiB);
  EXPECT_EQ(LimitKind::AddressSpace, L.Kind);
  EXPECT_EQ(2 * GiB, L.Bytes);
  EXPECT_FALSE(L.Free);
}

TEST(HostLimits, MemInfo) {
  HostUse U;
  readMemInfo("MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable: 600 kB\n"
              "SwapTotal: 100 kB\nSwapFree: 50 kB\nCommitLimit: 700 kB\n"
              "Committed_AS: 300 kB\nHugePages_Total: 5\nnonsense\n",
              U);
  EXPECT_EQ(1100u << 10, U.Total);
  EXPECT_EQ(650u << 10, U.Available);
  EXPECT_EQ(700u << 10, U.CommitLimit);
  EXPECT_EQ(300u << 10, U.Committed);
}

TEST(HostLimits, ThisProcess) {
  HostUse U = readHostUse(getpid(), {});
  EXPECT_GT(U.AddressSpace, U.Data);
  EXPECT_GT(U.Data, 0u);
  EXPECT_GT(U.Total, U.Available);
  EXPECT_GT(U.CommitLimit, 0u);
}

/// No process has this number: the limits stay as they were.
TEST(HostLimits, NoProcess) {
  HostUse Before;
  Before.AddressSpaceLimit = GiB;
  HostUse U = readHostUse(1 << 30, Before);
  EXPECT_EQ(GiB, U.AddressSpaceLimit);
  EXPECT_EQ(0u, U.AddressSpace);
}

} // namespace

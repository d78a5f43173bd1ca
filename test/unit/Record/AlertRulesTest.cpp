// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Session/AlertRules.h"
#include "gtest/gtest.h"

using namespace memkit;
using namespace llvm;

namespace {
AlertRule ruleOf(StringRef Text) { return cantFail(parseAlert(Text)); }

AlertTarget targetOf(double Bound) {
  AlertTarget T;
  T.Name = "host";
  T.Bound = Bound;
  return T;
}
} // namespace

// LiveStats tells of live bytes above the watched bound: none of them may lie
// below the rule's bound, and the first above the bound must be told.
TEST(AlertRules, WatchesTheLastValueBelowTheBound) {
  for (StringRef Text : {"live>90%", "live>=90%"})
    for (double Bound : {0.5, 1.0, 1.5, 2.0, 99.9, 1e12, 1e30}) {
      AlertRule R = ruleOf(Text);
      AlertTarget T = targetOf(Bound);
      uint64_t Watched = R.watchedBound(T);
      EXPECT_FALSE(R.isAbove(T, double(Watched))) << Text.str() << " " << Bound;
      if (Bound < 1e30) {
        EXPECT_TRUE(R.isAbove(T, double(Watched + 1)))
            << Text.str() << " " << Bound;
      }
    }
}

TEST(AlertRules, AmountsOfSharesAreMillionths) {
  EXPECT_EQ(alertAmount(ConditionMetric::Fragmentation, 0.25), 250'000u);
  EXPECT_EQ(alertAmount(ConditionMetric::Live, 12.9), 12u);
  EXPECT_EQ(alertAmount(ConditionMetric::Growth, -5), 0u);
  EXPECT_EQ(alertAmount(ConditionMetric::Live, 1e30), UINT64_MAX);
}

TEST(AlertRules, SaysOneAndMany) {
  EXPECT_EQ(alertText(ruleOf("oom"), targetOf(0), 1),
            "host: 1 time out of memory (oom)");
  EXPECT_EQ(alertText(ruleOf("lost"), targetOf(0), 2),
            "host: 2 events lost (lost)");
  EXPECT_EQ(alertText(ruleOf("fragmentation>20%"), targetOf(0.2), 0.25),
            "host: 25.0 % fragmentation, above 20.0 % (fragmentation>20%)");
}

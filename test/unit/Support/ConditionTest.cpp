// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of conditions.

#include "Support/Condition.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace memkit;

using Kind = Condition::ConditionKind;

static constexpr MetricForms Metrics[] = {
    {ConditionMetric::Leaks, CF_Any | CF_Value | CF_PerHeap},
    {ConditionMetric::Growth, CF_Any | CF_PerStep | CF_PerTime | CF_PerHeap},
    {ConditionMetric::Peak, CF_Value | CF_Change | CF_PerHeap},
    {ConditionMetric::Count, CF_Any | CF_Value | CF_Change},
    {ConditionMetric::Lost, CF_Any}};

static Condition parse(StringRef Text) {
  return cantFail(parseCondition(Text, Metrics));
}

static std::string problem(StringRef Text) {
  Expected<Condition> C = parseCondition(Text, Metrics);
  return C ? "" : toString(C.takeError());
}

TEST(Condition, AnyOfIt) {
  Condition C = parse("lost");
  EXPECT_EQ(C.What, Kind::Any);
  EXPECT_EQ(C.Metric, ConditionMetric::Lost);
  EXPECT_TRUE(C.isAbove(1));
  EXPECT_FALSE(C.isAbove(0));
}

TEST(Condition, Value) {
  Condition C = parse("leaks>10MiB");
  EXPECT_EQ(C.What, Kind::Value);
  EXPECT_EQ(C.Bound, 10u << 20);
  EXPECT_FALSE(C.isAbove(10 << 20));
  EXPECT_TRUE(C.isAbove((10 << 20) + 1));
  EXPECT_TRUE(parse("leaks>=10MiB").isAbove(10 << 20));
  // Blanks do not matter, as in sizes.
  EXPECT_EQ(parse(" leaks > 1.5 KiB ").Bound, 1536u);
}

TEST(Condition, OldForm) {
  Condition C = parse("leaks:50");
  EXPECT_EQ(C.What, Kind::Value);
  EXPECT_EQ(C.Heap, "");
  EXPECT_TRUE(C.isAbove(50));
  EXPECT_FALSE(C.isAbove(49));
}

TEST(Condition, Rate) {
  Condition C = parse("growth>1MiB/step");
  EXPECT_EQ(C.What, Kind::PerStep);
  EXPECT_EQ(C.Bound, 1u << 20);
  EXPECT_EQ(parse("growth>4K/s").What, Kind::PerTime);
  EXPECT_EQ(parse("growth>4K/s").Bound, 4096u);
}

TEST(Condition, Change) {
  // 5 % of 200 is 10: 211 is above 210, and 210 is not.
  Condition C = parse("peak>+5%");
  EXPECT_EQ(C.What, Kind::ChangeShare);
  EXPECT_TRUE(C.isChangeAbove(200, 211));
  EXPECT_FALSE(C.isChangeAbove(200, 210));
  EXPECT_TRUE(parse("peak>=+5%").isChangeAbove(200, 210));
  EXPECT_FALSE(C.isChangeAbove(200, 100));
  EXPECT_TRUE(C.isChangeAbove(0, 1));
  EXPECT_FALSE(C.isChangeAbove(0, 0));
  // A share above 100 %.
  EXPECT_FALSE(parse("peak>+150%").isChangeAbove(100, 250));
  EXPECT_TRUE(parse("peak>+150%").isChangeAbove(100, 251));

  Condition D = parse("peak>+10KiB");
  EXPECT_EQ(D.What, Kind::Change);
  EXPECT_FALSE(D.isChangeAbove(100, 100 + 10240));
  EXPECT_TRUE(D.isChangeAbove(100, 101 + 10240));
}

TEST(Condition, Heaps) {
  Condition C = parse("host.malloc:peak>+5%");
  EXPECT_EQ(C.Heap, "host.malloc");
  EXPECT_TRUE(C.isOfHeap("host.malloc"));
  EXPECT_FALSE(C.isOfHeap("host.mmap"));
  EXPECT_TRUE(parse("peak>1").isOfHeap("host.mmap"));
  EXPECT_TRUE(parse("host.*:leaks").isOfHeap("host.mmap"));
  // A heap's name may contain a colon, and the condition needs no bound.
  EXPECT_EQ(parse("torch.cuda:0:peak>1G").Heap, "torch.cuda:0");
  EXPECT_EQ(parse("torch.cuda:0:leaks").Heap, "torch.cuda:0");
  EXPECT_NE(problem("host.malloc:lost"), "");
  EXPECT_NE(problem(":peak>1"), "");
  EXPECT_NE(problem("host.[:peak>1"), "");
}

TEST(Condition, HeapsThatMayLack) {
  Condition C = parse("torch.cuda:1?:peak>1G");
  EXPECT_TRUE(C.MayLack);
  EXPECT_EQ(C.Heap, "torch.cuda:1");
  EXPECT_TRUE(C.isOfHeap("torch.cuda:1"));
  EXPECT_FALSE(C.isOfHeap("torch.cuda:12"));
  EXPECT_FALSE(parse("torch.cuda:1:peak>1G").MayLack);
  // Any device of one digit, by a glob.
  C = parse("torch.cuda:?:peak>1G");
  EXPECT_FALSE(C.MayLack);
  EXPECT_TRUE(C.isOfHeap("torch.cuda:7"));
  C = parse("cuda:??:peak>1G");
  EXPECT_TRUE(C.MayLack);
  EXPECT_EQ(C.Heap, "cuda:?");
  EXPECT_FALSE(parse("?:peak>1G").MayLack);
  EXPECT_FALSE(parse("peak>1G").MayLack);
}

TEST(Condition, Counts) {
  EXPECT_EQ(parse("count>12").Bound, 12u);
  EXPECT_NE(problem("count>12KiB"), "");
}

TEST(Condition, NoneShowsTheGrammar) {
  const char Grammar[] = " is not one of [HEAP:]leaks[>SIZE], "
                         "[HEAP:]growth[>SIZE/step|SIZE/s|SIZE/min], "
                         "[HEAP:]peak>SIZE|+SIZE|+N%, count[>N|+N|+N%], lost";
  for (StringRef Text :
       {"", "oops", "leaks>", "leaks>1%", "leaks>+5%", "leaks>big", "peak",
        "peak>+x%", "peak>+-5%", "peak>+inf%", "peak:", "lost>5", "lost:5",
        "growth>1MiB", "growth>1MiB/h", "growth:1MiB", ">5", "leaks>1>2",
        "leaks>99999999999999999999"})
    EXPECT_EQ(problem(Text), ("'" + Text + "'" + Grammar).str());
}

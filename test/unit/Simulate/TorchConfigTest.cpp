// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulate/TorchSettings.h"
#include "gtest/gtest.h"
#include <set>

using namespace llvm;
using namespace memkit;

static constexpr uint64_t MiB = 1 << 20;

static TorchConfig parsed(StringRef Text) {
  Expected<TorchConfig> C = TorchConfig::parse(Text);
  EXPECT_TRUE(bool(C)) << Text.str();
  if (!C) {
    consumeError(C.takeError());
    return {};
  }
  // What is printed reads back.
  Expected<TorchConfig> Again = TorchConfig::parse(C->text());
  EXPECT_TRUE(Again && *Again == *C) << C->text();
  if (!Again)
    consumeError(Again.takeError());
  return *C;
}

static std::string problem(StringRef Text) {
  Expected<TorchConfig> C = TorchConfig::parse(Text);
  return C ? "" : toString(C.takeError());
}

TEST(TorchConfigTest, Defaults) {
  EXPECT_EQ(parsed(""), TorchConfig());
  EXPECT_EQ(TorchConfig().text(), "");
  EXPECT_EQ(parsed("backend:native"), TorchConfig());
  EXPECT_EQ(parsed("pinned_use_background_threads:True"), TorchConfig());
}

TEST(TorchConfigTest, Values) {
  TorchConfig C = parsed(" max_split_size_mb : 128, expandable_segments:True,");
  EXPECT_EQ(C.MaxSplit, 128 * MiB);
  EXPECT_TRUE(C.Expandable);
  EXPECT_EQ(C.text(), "expandable_segments:True,max_split_size_mb:128");
  C = parsed(
      "garbage_collection_threshold:0.8,per_process_memory_fraction:0.9");
  EXPECT_EQ(C.GcThreshold, 0.8);
  EXPECT_EQ(C.MemoryFraction, 0.9);
  C = parsed("max_non_split_rounding_mb:30");
  EXPECT_EQ(C.MaxNonSplitRounding, 30 * MiB);
  // More MiB than addresses: no limit.
  EXPECT_EQ(parsed("max_split_size_mb:17592186044416").MaxSplit,
            TorchConfig::NoLimit);
}

TEST(TorchConfigTest, Divisions) {
  TorchConfig C = parsed("roundup_power2_divisions:4");
  EXPECT_EQ(C.Divisions.front(), 4u);
  EXPECT_EQ(C.Divisions.back(), 4u);
  C = parsed("roundup_power2_divisions:[256:1,512:2,1024:4,>:8]");
  // The first is also for what is smaller.
  EXPECT_EQ(C.Divisions[0], 1u);
  EXPECT_EQ(C.Divisions[8], 1u);
  EXPECT_EQ(C.Divisions[9], 2u);
  EXPECT_EQ(C.Divisions[10], 4u);
  EXPECT_EQ(C.Divisions[11], 8u);
  EXPECT_EQ(C.Divisions[15], 8u);
}

/// Other settings have the size of segments as their minimum, in any order.
TEST(TorchConfigTest, SegmentSizeFirst) {
  EXPECT_EQ(problem("max_split_size_mb:19"),
            "max_split_size_mb:19: at least 20 is needed");
  EXPECT_EQ(problem("max_split_size_mb:30,large_segment_size_mb:40"),
            "max_split_size_mb:30: at least 40 is needed");
  EXPECT_EQ(
      parsed("max_split_size_mb:12,large_segment_size_mb:11").LargeSegment,
      11 * MiB);
  EXPECT_EQ(problem("large_segment_size_mb:10"),
            "large_segment_size_mb:10: at least 11 is needed");
  EXPECT_EQ(problem("large_segment_size_mb:1048577"),
            "large_segment_size_mb:1048577: at most 1048576 is possible");
}

TEST(TorchConfigTest, Errors) {
  EXPECT_TRUE(StringRef(problem("max_split_mb:1"))
                  .starts_with("no setting 'max_split_mb'; settings are "
                               "expandable_segments, "));
  EXPECT_EQ(problem("expandable_segments:true"),
            "expandable_segments:true: neither True nor False");
  EXPECT_EQ(problem("max_split_size_mb"),
            "max_split_size_mb:: not a number of MiB");
  EXPECT_EQ(problem("max_split_size_mb:-1"),
            "max_split_size_mb:-1: not a number of MiB");
  EXPECT_EQ(problem("garbage_collection_threshold:1"),
            "garbage_collection_threshold:1: not a number between 0 and 1");
  EXPECT_EQ(problem("garbage_collection_threshold:nan"),
            "garbage_collection_threshold:nan: not a number between 0 and 1");
  EXPECT_EQ(problem("per_process_memory_fraction:1.5"),
            "per_process_memory_fraction:1.5: not a number from 0 to 1");
  EXPECT_EQ(problem("roundup_power2_divisions:3"),
            "roundup_power2_divisions:3: no power of two");
  EXPECT_EQ(problem("roundup_power2_divisions:[3:2]"),
            "roundup_power2_divisions:[3:2]: '3' is no power of two");
  EXPECT_EQ(problem("roundup_power2_divisions:[4:2"),
            "roundup_power2_divisions:[4:2: the list has no end");
  EXPECT_EQ(problem("backend:cudaMallocAsync"),
            "backend:cudaMallocAsync: only native can be simulated");
}

static RecordedTorchConfig recorded(std::vector<std::string> Facts) {
  Header H;
  H.Machine = std::move(Facts);
  return recordedTorchConfig(H);
}

TEST(TorchConfigTest, Recorded) {
  EXPECT_FALSE(recorded({"cpu=x"}).IsKnown);
  RecordedTorchConfig R = recorded({"variables=PATH,PYTORCH_CUDA_ALLOC_CONF"});
  EXPECT_FALSE(R.IsKnown);
  EXPECT_EQ(R.Variable, "PYTORCH_CUDA_ALLOC_CONF");
  R = recorded(
      {"variables=PYTORCH_CUDA_ALLOC_CONF",
       "torch-allocator.PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:64"});
  EXPECT_TRUE(R.IsKnown);
  EXPECT_EQ(R.Variable, "");
  EXPECT_EQ(R.Config.MaxSplit, 64 * MiB);
}

/// Of a snapshot; a text that cannot be read counts for nothing.
TEST(TorchConfigTest, RecordedInSnapshot) {
  RecordedTorchConfig R = recorded(
      {"torch-allocator.PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:1",
       "torch-allocator.expandable_segments=True",
       "torch-allocator.max_split_size=67108864",
       "torch-allocator.garbage_collection_threshold=0.5",
       "torch-allocator.roundup_power2_divisions={'1': 2, '2': 4, '3': 8}"});
  EXPECT_TRUE(R.IsKnown);
  EXPECT_TRUE(R.Config.Expandable);
  EXPECT_EQ(R.Config.MaxSplit, 64 * MiB);
  EXPECT_EQ(R.Config.GcThreshold, 0.5);
  EXPECT_EQ(R.Config.Divisions[0], 2u);
  EXPECT_EQ(R.Config.Divisions[1], 4u);
  R = recorded({"torch-allocator.max_split_size=-1"});
  EXPECT_EQ(R.Config, TorchConfig());
}

TEST(TorchConfigTest, ToTry) {
  for (bool KnowsDevice : {false, true}) {
    std::set<std::string> Texts;
    for (const TorchConfig &C : torchConfigsToTry(KnowsDevice))
      Texts.insert(parsed(C.text()).text());
    EXPECT_EQ(Texts.size(), 64u);
  }
}

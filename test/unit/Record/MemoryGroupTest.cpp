// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory limits and OOM kills of a control group.

#include "Shared/MemoryGroup.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace memkit;

namespace {

/// Replaces /sys/fs/cgroup and /proc/vmstat by files.
class MemoryGroupTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("memkit-group", Top));
    write("vmstat", "nr_free_pages 1\noom_kill 40\n");
  }
  void TearDown() override { sys::fs::remove_directories(Top); }

  std::string path(const Twine &File) { return (Top + "/" + File).str(); }
  void write(const Twine &File, StringRef Text) {
    ASSERT_FALSE(
        sys::fs::create_directories(sys::path::parent_path(path(File))));
    std::error_code E;
    raw_fd_ostream(path(File), E) << Text;
    ASSERT_FALSE(E);
  }
  MemoryGroup group(StringRef Membership) {
    return MemoryGroup(Membership, path("cgroup"), path("vmstat"));
  }

  SmallString<64> Top;
};

TEST_F(MemoryGroupTest, SecondVersion) {
  write("cgroup/a/b/memory.events", "low 0\noom 3\noom_kill 2\n");
  write("cgroup/a/b/memory.max", "max\n");
  write("cgroup/a/memory.max", "67108864\n");
  MemoryGroup G = group("0::/a/b\n");
  EXPECT_EQ(G.kills(), 2u);
  EXPECT_EQ(G.limit(), 64u << 20);
  EXPECT_FALSE(G.isMachine());
  EXPECT_EQ(G.left(), UINT64_MAX);
  write("cgroup/a/memory.current", "60000000\n");
  write("cgroup/a/memory.stat", "anon 5\ninactive_file 10000000\n");
  EXPECT_EQ(G.left(), (64u << 20) - 50000000);
}

TEST_F(MemoryGroupTest, SecondVersionInAContainer) {
  // The path is the host's; the mount is the container's own group.
  write("cgroup/memory.events", "oom_kill 5\n");
  write("cgroup/memory.max", "1048576\n");
  MemoryGroup G = group("0::/kubepods/pod1/c2\n");
  EXPECT_EQ(G.kills(), 5u);
  EXPECT_EQ(G.limit(), 1u << 20);
}

TEST_F(MemoryGroupTest, FirstVersion) {
  write("cgroup/memory/job/memory.oom_control",
        "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n");
  write("cgroup/memory/job/memory.stat",
        "cache 1\nhierarchical_memory_limit 134217728\n");
  // The unified hierarchy beside the first version is ignored.
  write("cgroup/unified/memory.events", "oom_kill 100\n");
  for (const char *Text : {"9:name=systemd:/\n4:cpu,memory:/job\n0::/\n",
                           "0::/\n4:memory:/job\n"}) {
    MemoryGroup G = group(Text);
    EXPECT_EQ(G.kills(), 7u);
    EXPECT_EQ(G.limit(), 128u << 20);
    EXPECT_FALSE(G.isMachine());
  }
}

TEST_F(MemoryGroupTest, NoLimit) {
  write("cgroup/memory/memory.oom_control", "oom_kill 1\n");
  write("cgroup/memory/memory.stat",
        "hierarchical_memory_limit 9223372036854771712\n");
  EXPECT_EQ(group("4:memory:/\n").limit(), 0u);
  write("cgroup/a/memory.events", "oom_kill 1\n");
  write("cgroup/a/memory.max", "max\n");
  EXPECT_EQ(group("0::/a\n").limit(), 0u);
}

TEST_F(MemoryGroupTest, Nothing) {
  // The root group has no counters, so the machine's count.
  for (const char *Text : {"0::/\n", "", "nonsense", "0:\n:::\n4:memory\n"}) {
    MemoryGroup G = group(Text);
    EXPECT_EQ(G.kills(), 40u) << Text;
    EXPECT_EQ(G.limit(), 0u) << Text;
    EXPECT_TRUE(G.isMachine()) << Text;
  }
  EXPECT_EQ(MemoryGroup("", "", path("none")).kills(), 0u);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and files of recorded traces.

#include "Record/Output/TraceOutput.h"
#include "memkit/Trace/TraceWriter.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace memkit;
using namespace llvm;

namespace {
struct FakeEnv {
  StringMap<std::string> Vars;
  std::optional<std::string> operator()(StringRef Name) const {
    auto It = Vars.find(Name);
    if (It == Vars.end())
      return std::nullopt;
    return It->second;
  }
};

struct InFolder : testing::Test {
  SmallString<128> Folder;
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("memkit-output", Folder));
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }
  std::string path(StringRef Name) { return (Folder + "/" + Name).str(); }
  void put(StringRef Name, StringRef Text) {
    std::error_code EC;
    raw_fd_ostream(path(Name), EC) << Text;
    ASSERT_FALSE(EC);
  }
  std::string get(StringRef Name) {
    auto Buffer = MemoryBuffer::getFile(path(Name));
    return Buffer ? (*Buffer)->getBuffer().str() : "(none)";
  }
};

std::string aTrace() {
  std::string Bytes;
  StringSink Sink(Bytes);
  auto Writer = TraceWriter::create(Sink, Header());
  EXPECT_TRUE(bool(Writer));
  cantFail((*Writer)->finish());
  return Bytes;
}
} // namespace

TEST(OutputName, Patterns) {
  FakeEnv Env;
  Env.Vars["JOB"] = "nightly";
  setenv("TZ", "UTC", 1);
  tzset();
  NameFields F{123, "node7", 4, 1700000000};
  EXPECT_EQ("t.123.node7.4.20231114-221320.nightly.%.fb",
            cantFail(expandName("t.%p.%h.%r.%t.%q{JOB}.%%.fb", F, Env)));
  EXPECT_EQ(
      "x: unknown pattern '%z' (%p, %h, %r, %t, %q{VAR} and %% are known)",
      "x: " + toString(expandName("%z", F, Env).takeError()).substr(4));
  EXPECT_FALSE(bool(errorToBool(expandName("%p", F, Env).takeError())));
  EXPECT_TRUE(errorToBool(expandName("%", F, Env).takeError()));
  EXPECT_TRUE(errorToBool(expandName("%q{NONE}", F, Env).takeError()));
  EXPECT_TRUE(errorToBool(expandName("%q{JOB", F, Env).takeError()));
  F.Rank = -1;
  EXPECT_TRUE(errorToBool(expandName("%r", F, Env).takeError()));
}

TEST(OutputName, Rank) {
  FakeEnv Env;
  EXPECT_EQ(-1, findRank(Env).Rank);
  Env.Vars["SLURM_PROCID"] = "3";
  Env.Vars["SLURM_NTASKS"] = "8";
  EXPECT_EQ(3, findRank(Env).Rank);
  EXPECT_EQ(8, findRank(Env).WorldSize);
  Env.Vars["RANK"] = "0";
  EXPECT_EQ(0, findRank(Env).Rank);
  Env.Vars["RANK"] = "nonsense";
  EXPECT_EQ(3, findRank(Env).Rank);
}

TEST_F(InFolder, CreatesAPrivateFile) {
  auto F = TraceOutput::open(path("a"), false);
  ASSERT_TRUE(bool(F));
  struct stat St;
  ASSERT_EQ(0, fstat(F->fd(), &St));
  EXPECT_EQ(0600u, St.st_mode & 0777);
  EXPECT_TRUE(F->isRegular());
  EXPECT_FALSE(errorToBool(F->close()));
}

TEST_F(InFolder, RefusesASecondRecorder) {
  auto First = TraceOutput::open(path("a"), false);
  ASSERT_TRUE(bool(First));
  auto Second = TraceOutput::open(path("a"), true);
  ASSERT_FALSE(bool(Second));
  EXPECT_EQ(path("a") + ": another recorder is writing to it",
            toString(Second.takeError()));
}

TEST_F(InFolder, KeepsOneOldTrace) {
  put("a", aTrace());
  put("a.old", "older");
  {
    auto F = TraceOutput::open(path("a"), false);
    ASSERT_TRUE(bool(F));
  }
  EXPECT_EQ("", get("a"));
  EXPECT_EQ(aTrace(), get("a.old"));
}

TEST_F(InFolder, RefusesWhatIsNoTrace) {
  put("a", "my thesis");
  auto F = TraceOutput::open(path("a"), false);
  ASSERT_FALSE(bool(F));
  EXPECT_EQ(path("a") + ": exists and is not a trace; overwrite with force",
            toString(F.takeError()));
  EXPECT_EQ("my thesis", get("a"));
  auto Forced = TraceOutput::open(path("a"), true);
  ASSERT_TRUE(bool(Forced));
  EXPECT_EQ("", get("a"));
  EXPECT_EQ("(none)", get("a.old"));
}

TEST_F(InFolder, WritesDevicesAsTheyAre) {
  auto F = TraceOutput::open("/dev/null", false);
  ASSERT_TRUE(bool(F));
  EXPECT_FALSE(F->isRegular());
  EXPECT_FALSE(bool(TraceOutput::open(path("no/such"), false)));
  EXPECT_TRUE(errorToBool(TraceOutput::open(path(""), false).takeError()));
}

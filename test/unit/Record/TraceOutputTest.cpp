// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and files of recorded traces.

#include "Record/Output/TraceOutput.h"
#include "memkit/Trace/TraceWriter.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <fcntl.h>
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

TEST(Launchers, Rank) {
  FakeEnv Env;
  EXPECT_EQ(-1, findPlace(Env).Place.Rank);
  Env.Vars["SLURM_PROCID"] = "3";
  Env.Vars["SLURM_NTASKS"] = "8";
  EXPECT_EQ(3, findPlace(Env).Place.Rank);
  EXPECT_EQ(8, findPlace(Env).Place.WorldSize);
  Env.Vars["RANK"] = "0";
  EXPECT_EQ(0, findPlace(Env).Place.Rank);
  EXPECT_EQ(-1, findPlace(Env).Place.LocalRank);
  Env.Vars["RANK"] = "nonsense";
  EXPECT_EQ(3, findPlace(Env).Place.Rank);
}

TEST(Launchers, PlaceOfTorchrunInSlurm) {
  FakeEnv Env;
  Env.Vars = {{"SLURM_PROCID", "1"},
              {"SLURM_NTASKS", "2"},
              {"SLURM_LOCALID", "0"},
              {"SLURM_NODEID", "1"},
              {"SLURM_JOB_ID", "77"},
              {"RANK", "13"},
              {"WORLD_SIZE", "16"},
              {"LOCAL_RANK", "5"},
              {"GROUP_RANK", "1"},
              {"TORCHELASTIC_RESTART_COUNT", "2"},
              {"TORCHELASTIC_RUN_ID", "none"}};
  LaunchedPlace P = findPlace(Env);
  EXPECT_EQ((JobPlace{13, 16, 5, 1, 2, 0, 0}), P.Place);
  EXPECT_EQ("77", P.Job);
  Env.Vars["TORCHELASTIC_RUN_ID"] = "pretrain-7b";
  EXPECT_EQ("pretrain-7b", findPlace(Env).Job);
}

TEST(Launchers, IndexOfKubernetesIsANode) {
  FakeEnv Env;
  Env.Vars["JOB_COMPLETION_INDEX"] = "3";
  EXPECT_EQ(-1, findPlace(Env).Place.Rank);
  EXPECT_EQ(3, findPlace(Env).Place.Node);
}

TEST_F(InFolder, CreatesAPrivateFile) {
  auto F = TraceOutput::open(path("a"));
  ASSERT_TRUE(bool(F));
  struct stat St;
  ASSERT_EQ(0, fstat(F->fd(), &St));
  EXPECT_EQ(0600u, St.st_mode & 0777);
  EXPECT_TRUE(F->isRegular());
  EXPECT_FALSE(errorToBool(F->close()));
}

/// Also in place of a file that others could read, and may have opened.
TEST_F(InFolder, CreatesAPrivateFileInPlaceOfAnother) {
  for (StringRef Text : {"", "my thesis"}) {
    put("a", Text);
    ASSERT_EQ(0, chmod(path("a").c_str(), 0644));
    int Reader = ::open(path("a").c_str(), O_RDONLY);
    auto F = TraceOutput::open(path("a"), {.Force = true});
    ASSERT_TRUE(bool(F)) << toString(F.takeError());
    ASSERT_EQ(5, write(F->fd(), "trace", 5));
    struct stat New, Old;
    ASSERT_EQ(0, fstat(F->fd(), &New));
    ASSERT_EQ(0, fstat(Reader, &Old));
    EXPECT_EQ(0600u, New.st_mode & 07777);
    EXPECT_EQ(off_t(Text.size()), Old.st_size);
    ::close(Reader);
  }
}

TEST_F(InFolder, RemovesOnlyItsOwnFile) {
  auto F = TraceOutput::open(path("a"));
  ASSERT_TRUE(bool(F));
  ASSERT_EQ(0, rename(path("a").c_str(), path("b").c_str()));
  put("a", "another");
  F->remove();
  EXPECT_EQ("another", get("a"));
  ASSERT_EQ(0, rename(path("b").c_str(), path("a").c_str()));
  F->remove();
  EXPECT_EQ("(none)", get("a"));
}

TEST_F(InFolder, RotatesBehindALink) {
  ASSERT_FALSE(sys::fs::create_directory(path("disk")));
  ASSERT_EQ(0, symlink("disk/t", path("a").c_str()));
  put("a", aTrace());
  auto F = TraceOutput::open(path("a"));
  ASSERT_TRUE(bool(F)) << toString(F.takeError());
  EXPECT_EQ("", get("disk/t"));
  EXPECT_EQ(aTrace(), get("disk/t.old"));
  EXPECT_TRUE(sys::fs::is_symlink_file(path("a")));
}

TEST_F(InFolder, RefusesASecondRecorder) {
  auto First = TraceOutput::open(path("a"));
  ASSERT_TRUE(bool(First));
  auto Second = TraceOutput::open(path("a"), {.Force = true});
  ASSERT_FALSE(bool(Second));
  EXPECT_EQ(path("a") + ": another recorder is writing to it",
            toString(Second.takeError()));
}

TEST_F(InFolder, KeepsOneOldTrace) {
  put("a", aTrace());
  put("a.old", "older");
  {
    auto F = TraceOutput::open(path("a"));
    ASSERT_TRUE(bool(F));
  }
  EXPECT_EQ("", get("a"));
  EXPECT_EQ(aTrace(), get("a.old"));
}

TEST_F(InFolder, RefusesWhatIsNoTrace) {
  put("a", "my thesis");
  auto F = TraceOutput::open(path("a"));
  ASSERT_FALSE(bool(F));
  EXPECT_EQ(path("a") + ": exists and is not a trace; overwrite with force",
            toString(F.takeError()));
  EXPECT_EQ("my thesis", get("a"));
  auto Forced = TraceOutput::open(path("a"), {.Force = true});
  ASSERT_TRUE(bool(Forced));
  EXPECT_EQ("", get("a"));
  EXPECT_EQ("(none)", get("a.old"));
}

TEST_F(InFolder, WritesDevicesAsTheyAre) {
  auto F = TraceOutput::open("/dev/null");
  ASSERT_TRUE(bool(F));
  EXPECT_FALSE(F->isRegular());
  EXPECT_FALSE(bool(TraceOutput::open(path("no/such"))));
  EXPECT_TRUE(errorToBool(TraceOutput::open(path("")).takeError()));
}

/// Writes a trace of Extra bytes more, then opens the same name again.
static void record(InFolder &In, size_t Extra, const OutputPolicy &Policy) {
  auto F = TraceOutput::open(In.path("a"), Policy);
  ASSERT_TRUE(bool(F)) << toString(F.takeError());
  cantFail(F->close());
  In.put("a", aTrace() + std::string(Extra, '\0'));
}

TEST_F(InFolder, KeepsSeveralOldTraces) {
  for (size_t Run = 1; Run <= 5; ++Run)
    record(*this, Run, {.Keep = 3});
  size_t Whole = aTrace().size();
  EXPECT_EQ(Whole + 5, get("a").size());
  EXPECT_EQ(Whole + 4, get("a.old").size());
  EXPECT_EQ(Whole + 3, get("a.old.2").size());
  EXPECT_EQ(Whole + 2, get("a.old.3").size());
  EXPECT_EQ("(none)", get("a.old.4"));
}

TEST_F(InFolder, KeepsNoOldTrace) {
  for (size_t Run = 1; Run <= 2; ++Run)
    record(*this, Run, {.Keep = 0});
  EXPECT_EQ("(none)", get("a.old"));
}

/// A missing number is filled, and no other trace is lost for it.
TEST_F(InFolder, FillsAGap) {
  put("a", aTrace());
  put("a.old", "newest");
  put("a.old.3", "oldest");
  record(*this, 0, {.Keep = 3});
  EXPECT_EQ(aTrace(), get("a.old"));
  EXPECT_EQ("newest", get("a.old.2"));
  EXPECT_EQ("oldest", get("a.old.3"));
}

TEST_F(InFolder, KeepsBytes) {
  size_t Whole = aTrace().size() + 100;
  for (size_t Run = 1; Run <= 9; ++Run)
    record(*this, 100,
           {.Keep = OutputPolicy::MaxKeep, .KeepBytes = 3 * Whole + 1});
  EXPECT_EQ(Whole, get("a.old.3").size());
  EXPECT_EQ("(none)", get("a.old.4"));
}

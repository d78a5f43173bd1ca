// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are whole or absent.

#include "Cli/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <sys/stat.h>
#include <unistd.h>

using namespace memkit;
using namespace llvm;

namespace {
class OutputFileTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("memkit-output", Folder));
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  std::string path(StringRef Name) const { return (Folder + "/" + Name).str(); }
  std::string contents(StringRef Name) const {
    auto Buffer = MemoryBuffer::getFile(path(Name));
    return Buffer ? (*Buffer)->getBuffer().str() : "<none>";
  }
  unsigned mode(StringRef Name) const {
    struct stat St;
    return stat(path(Name).c_str(), &St) == 0 ? St.st_mode & 0777 : 0;
  }
  size_t countFiles() const {
    size_t Count = 0;
    std::error_code EC;
    for (sys::fs::directory_iterator I(Folder, EC), E; I != E && !EC;
         I.increment(EC))
      ++Count;
    return Count;
  }
  void write(StringRef Name, StringRef Text,
             OutputFile::Content C = OutputFile::Content::Text) {
    auto Out = cantFail(OutputFile::open(path(Name), C));
    Out->os() << Text;
    cantFail(Out->keep());
  }
  SmallString<128> Folder;
};
} // namespace

TEST_F(OutputFileTest, AppearsWhenKept) {
  auto Out = cantFail(OutputFile::open(path("a")));
  Out->os() << "text";
  EXPECT_EQ(contents("a"), "<none>");
  cantFail(Out->keep());
  EXPECT_EQ(contents("a"), "text");
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(OutputFileTest, LeavesNothingAndNoHarmWhenDropped) {
  write("a", "old");
  {
    auto Out = cantFail(OutputFile::open(path("a")));
    Out->os() << "half";
  }
  EXPECT_EQ(contents("a"), "old");
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(OutputFileTest, KeepsModeAndLinks) {
  write("a", "old");
  ASSERT_EQ(chmod(path("a").c_str(), 0640), 0);
  ASSERT_EQ(symlink("a", path("link").c_str()), 0);
  write("link", "new");
  EXPECT_EQ(contents("a"), "new");
  EXPECT_EQ(mode("a"), 0640u);
  EXPECT_TRUE(sys::fs::is_symlink_file(path("link")));
}

TEST_F(OutputFileTest, TracesArePrivate) {
  write("trace", "x", OutputFile::Content::Trace);
  EXPECT_EQ(mode("trace"), 0600u);
}

TEST_F(OutputFileTest, TracesArePrivateFromTheirFirstByte) {
  auto Out = cantFail(OutputFile::open(path("a"), OutputFile::Content::Trace));
  struct stat St;
  ASSERT_EQ(fstat(Out->fd(), &St), 0);
  EXPECT_EQ(St.st_mode & 07777u, 0600u);
}

TEST_F(OutputFileTest, TracesArePrivateOverAFileThatIsNot) {
  write("trace", "old");
  ASSERT_EQ(chmod(path("trace").c_str(), 04644), 0);
  write("trace", "x", OutputFile::Content::Trace);
  EXPECT_EQ(mode("trace"), 0600u);
}

TEST_F(OutputFileTest, KeepsNoRightToBecomeTheOwner) {
  write("a", "old");
  ASSERT_EQ(chmod(path("a").c_str(), 06755), 0);
  write("a", "new");
  struct stat St;
  ASSERT_EQ(stat(path("a").c_str(), &St), 0);
  EXPECT_EQ(St.st_mode & 07777u, 0755u);
}

/// The output goes into the folder that the path named at first.
TEST_F(OutputFileTest, StaysInItsFolder) {
  ASSERT_FALSE(sys::fs::create_directory(path("one")));
  ASSERT_FALSE(sys::fs::create_directory(path("two")));
  auto Out = cantFail(OutputFile::open(path("one/a")));
  Out->os() << "text";
  ASSERT_EQ(rename(path("one").c_str(), path("moved").c_str()), 0);
  ASSERT_EQ(symlink("two", path("one").c_str()), 0);
  cantFail(Out->keep());
  EXPECT_EQ(contents("moved/a"), "text");
  EXPECT_EQ(contents("two/a"), "<none>");
}

/// A link that appears while the output is written is replaced, not followed.
TEST_F(OutputFileTest, FollowsNoLateLink) {
  write("precious", "old");
  auto Out = cantFail(OutputFile::open(path("a")));
  Out->os() << "text";
  ASSERT_EQ(symlink("precious", path("a").c_str()), 0);
  cantFail(Out->keep());
  EXPECT_EQ(contents("precious"), "old");
  EXPECT_EQ(contents("a"), "text");
}

TEST_F(OutputFileTest, LeavesNothingWhenTheNameIsTaken) {
  auto Out = cantFail(OutputFile::open(path("a")));
  ASSERT_FALSE(sys::fs::create_directory(path("a")));
  EXPECT_EQ(toString(Out->keep()), path("a") + ": Is a directory");
  Out.reset();
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(OutputFileTest, FullDeviceIsAnError) {
  auto Out = cantFail(OutputFile::open("/dev/full"));
  Out->os() << "text";
  EXPECT_EQ(toString(Out->keep()), "/dev/full: No space left on device");
}

TEST_F(OutputFileTest, FolderIsAnError) {
  EXPECT_TRUE(errorToBool(OutputFile::open(Folder).takeError()));
  EXPECT_TRUE(errorToBool(OutputFile::open(path("no/file")).takeError()));
}

TEST_F(OutputFileTest, BrokenPipeIsToldApart) {
  int Ends[2];
  ASSERT_EQ(pipe(Ends), 0);
  close(Ends[0]);
  signal(SIGPIPE, SIG_IGN);
  auto Out = cantFail(OutputFile::open("/dev/fd/" + std::to_string(Ends[1])));
  Out->os() << "text";
  EXPECT_TRUE(Out->keep().isA<BrokenPipe>());
  close(Ends[1]);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are whole or absent.

#include "Cli/OutputFile.h"
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

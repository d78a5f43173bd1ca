// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of source for a trace.

#include "Stacks/SourceFiles.h"
#include "gtest/gtest.h"
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace memkit;

namespace {

class SourceFilesTest : public testing::Test {
protected:
  SourceFilesTest() {
    std::string Name = "/tmp/memkit-sources-XXXXXX";
    Folder = mkdtemp(Name.data());
  }
  ~SourceFilesTest() override { std::filesystem::remove_all(Folder); }

  std::string write(const std::string &Name, const std::string &Text) {
    std::ofstream(Folder + "/" + Name) << Text;
    return Folder + "/" + Name;
  }
  static uint64_t nowNs() {
    timespec Now;
    clock_gettime(CLOCK_REALTIME, &Now);
    return uint64_t(Now.tv_sec) * 1000000000 + uint64_t(Now.tv_nsec);
  }
  /// Files as this process sees them, unchanged since a second from now.
  SourceFiles ours() {
    SourceFiles F;
    F.addProcess(1, SourceRoot(getpid(), nowNs() + 1000000000));
    return F;
  }

  std::string Folder;
};

/// The text of the line itself.
std::optional<std::string> textOf(SourceFiles &F, uint32_t Process,
                                  const std::string &Path, uint32_t Line) {
  std::vector<SourceFiles::KeptLine> Kept = F.take(Process, Path, Line);
  if (Kept.empty())
    return std::nullopt;
  EXPECT_EQ(Kept.size(), 1u);
  EXPECT_EQ(Kept[0].Line, Line);
  return Kept[0].Text;
}

/// The numbers of the lines that come with a line, the line first.
std::string linesWith(SourceFiles &F, const std::string &Path, uint32_t Line) {
  std::string Out;
  for (const SourceFiles::KeptLine &L : F.take(1, Path, Line))
    Out += (Out.empty() ? "" : " ") + std::to_string(L.Line);
  return Out;
}

TEST(SourceNames, WhichFiles) {
  for (const char *Path : {"/home/me/a.py", "/srv/x/b.cpp", "/root/a/c.rs"})
    EXPECT_TRUE(mayHaveSource(Path)) << Path;
  for (const char *Path :
       {"a.py", "<string>", "", "/usr/lib/x.py", "/proc/self/fd/0.py",
        "/dev/x.py", "/home/me/notes.txt", "/home/me/.ssh/id_rsa",
        "/v/lib/python3.11/json/a.py", "/v/site-packages/torch/x.py"})
    EXPECT_FALSE(mayHaveSource(Path)) << Path;
}

TEST(SourceNames, WhichLines) {
  EXPECT_EQ(keptSource("  x = make(3)\t"), "x = make(3)");
  EXPECT_EQ(keptSource(""), "");
  EXPECT_EQ(keptSource("a\x1b[31m"), "");
  EXPECT_EQ(keptSource("caf\xe9"), "");
  EXPECT_EQ(keptSource(std::string(300, 'x')), std::string(197, 'x') + "...");
  // The cut is between characters.
  std::string Long(196, 'x');
  EXPECT_EQ(keptSource(Long + "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"),
            Long + "...");
  for (const char *Secret :
       {"password = 'hunter2'", "connect(token=\"abcdef\")",
        "API_KEY: 'abcdefgh'", "x = 'AKIAIOSFODNN7EXAMPLEX1'",
        "url = 'postgres://me:pw@host/db'", "\"-----BEGIN PRIVATE KEY-----\""})
    EXPECT_EQ(keptSource(Secret), "") << Secret;
  for (const char *Plain :
       {"tokens = tokenizer(text)", "self.attention(x, key, value)",
        "x = load('weights/layer_12.bin')", "auth = login()"})
    EXPECT_EQ(keptSource(Plain), Plain);
}

TEST_F(SourceFilesTest, TakesEachLineOnce) {
  SourceFiles F = ours();
  std::string Path = write("a.py", "one\n\n  three\nfour");
  EXPECT_EQ(textOf(F, 1, Path, 3), "three");
  EXPECT_EQ(textOf(F, 1, Path, 3), std::nullopt);
  EXPECT_EQ(textOf(F, 1, Path, 4), "four");
  EXPECT_EQ(textOf(F, 1, Path, 2), std::nullopt);
  EXPECT_EQ(textOf(F, 1, Path, 5), std::nullopt);
  EXPECT_EQ(textOf(F, 1, Path, 0), std::nullopt);
  EXPECT_EQ(textOf(F, 2, write("b.py", "x"), 1), std::nullopt);
  EXPECT_EQ(textOf(F, 1, Folder + "/missing.py", 1), std::nullopt);
}

TEST_F(SourceFilesTest, ReadsOnlyRegularSmallUnchangedFiles) {
  SourceFiles F = ours();
  std::string Fifo = Folder + "/fifo.py";
  ASSERT_EQ(mkfifo(Fifo.c_str(), 0600), 0);
  EXPECT_EQ(textOf(F, 1, Fifo, 1), std::nullopt);
  ASSERT_EQ(mkdir((Folder + "/folder.py").c_str(), 0700), 0);
  EXPECT_EQ(textOf(F, 1, Folder + "/folder.py", 1), std::nullopt);
  std::string Large =
      write("large.py", "x\n" + std::string(SourceFiles::MaxFileBytes, 'y'));
  EXPECT_EQ(textOf(F, 1, Large, 1), std::nullopt);
  EXPECT_EQ(textOf(F, 1, write("empty.py", ""), 1), std::nullopt);
  SourceFiles Earlier;
  Earlier.addProcess(1, SourceRoot(getpid(), nowNs() - 60000000000));
  EXPECT_EQ(textOf(Earlier, 1, write("new.py", "x"), 1), std::nullopt);
}

TEST_F(SourceFilesTest, Limits) {
  SourceFiles F = ours();
  std::string Text;
  for (size_t I = 0; I != SourceFiles::MaxLines + 10; ++I)
    Text += "x\n";
  std::string Path = write("many.py", Text);
  size_t Taken = 0;
  for (uint32_t Line = 1; Line <= SourceFiles::MaxLines + 10; ++Line)
    Taken += textOf(F, 1, Path, Line).has_value();
  EXPECT_EQ(Taken, SourceFiles::MaxLines);
}

TEST_F(SourceFilesTest, Functions) {
  SourceFiles F = ours();
  F.keepFunctions();
  std::string Python = write("a.py", "import os\n"             // 1
                                     "\n"                      // 2
                                     "class Shop:\n"           // 3
                                     "    def answer(self):\n" // 4
                                     "        if True:\n"      // 5
                                     "            x = []\n"    // 6
                                     "\n"                      // 7
                                     "        return x\n"      // 8
                                     "\n"                      // 9
                                     "    def other(self):\n"  // 10
                                     "        return 1\n"      // 11
                                     "top = [1]\n");           // 12
  EXPECT_EQ(linesWith(F, Python, 6), "6 4 5 8");
  // Each line once.
  EXPECT_EQ(linesWith(F, Python, 8), "");
  EXPECT_EQ(linesWith(F, Python, 12), "12");
  EXPECT_EQ(linesWith(F, Python, 11), "11 10");
  std::string C = write("b.cpp", "int unused;\n"                 // 1
                                 "static void\n"                 // 2
                                 "fill(int N) {\n"               // 3
                                 "  for (;;) {\n"                // 4
                                 "    take(N);\n"                // 5
                                 "  }\n"                         // 6
                                 "}\n"                           // 7
                                 "int after() { return 1; }\n"); // 8
  EXPECT_EQ(linesWith(F, C, 5), "5 3 4 6 7");
  // What looks like a credential is left out, and blanks in front stay.
  std::string Secret = write("c.py", "def f():\n"
                                     "    password = 'letmein1'\n"
                                     "    y = [1]\n");
  std::vector<SourceFiles::KeptLine> Kept = F.take(1, Secret, 3);
  ASSERT_EQ(Kept.size(), 2u);
  EXPECT_EQ(Kept[0].Text, "    y = [1]");
  EXPECT_EQ(Kept[1].Line, 1u);
  // The lines around are bounded.
  std::string Long = "def f():\n";
  for (int I = 0; I != 500; ++I)
    Long += "    x\n";
  EXPECT_EQ(F.take(1, write("d.py", Long), 250).size(),
            2u * SourceFiles::MaxContext + 1);
}

} // namespace

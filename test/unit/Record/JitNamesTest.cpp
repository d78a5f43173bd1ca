// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of generated code from perf maps.

#include "Stacks/JitNames.h"
#include "gtest/gtest.h"
#include <ctime>
#include <fstream>
#include <map>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

namespace {

/// The perf map of a pid that no process has.
class JitNamesTest : public testing::Test {
protected:
  JitNamesTest()
      : Pid(0x40000000 + getpid()),
        Path("/tmp/perf-" + std::to_string(Pid) + ".map"),
        Names(JitPlace(getpid(), Pid, uint64_t(time(nullptr)) * 1000000000)) {
    unlink(Path.c_str());
  }
  ~JitNamesTest() override { unlink(Path.c_str()); }

  void write(const std::string &Text) {
    std::ofstream(Path, std::ios::app) << Text;
  }
  unsigned look() {
    unsigned Told = 0;
    Names.look([&](uint32_t Frame, const std::string &Name) {
      EXPECT_EQ(Found.count(Frame), 0u);
      Found[Frame] = Name;
      ++Told;
    });
    return Told;
  }

  pid_t Pid;
  std::string Path;
  JitNames Names;
  std::map<uint32_t, std::string> Found;
};

TEST_F(JitNamesTest, NamesThatComeLater) {
  EXPECT_EQ(Names.nextLook(), JitNames::Clock::time_point::max());
  Names.ask(1, 0x2008);
  Names.ask(2, 0x1008);
  EXPECT_LE(Names.nextLook(), JitNames::Clock::now());
  EXPECT_EQ(look(), 0u); // no map yet
  EXPECT_GT(Names.nextLook(), JitNames::Clock::now());
  write("1000 10 one\n");
  EXPECT_EQ(look(), 1u);
  EXPECT_EQ(look(), 0u);
  write("2000 10 two\n");
  EXPECT_EQ(look(), 1u);
  EXPECT_EQ(Found[1], "two");
  EXPECT_EQ(Found[2], "one");
  EXPECT_EQ(Names.nextLook(), JitNames::Clock::time_point::max());
  // Asks after the last change of the map.
  Names.ask(3, 0x1009);
  EXPECT_EQ(look(), 1u);
  EXPECT_EQ(Found[3], "one");
}

TEST_F(JitNamesTest, TwoFramesAtOneAddress) {
  Names.ask(1, 0x1008);
  Names.ask(2, 0x1008);
  write("1000 10 one\n");
  EXPECT_EQ(look(), 2u);
}

TEST_F(JitNamesTest, NoMoreWaitThanMay) {
  for (uint32_t I = 0; I != JitNames::MaxWaiting + 10; ++I)
    Names.ask(I + 1, 0x1000 + I);
  write("1000 1000000 all\n");
  EXPECT_EQ(look(), JitNames::MaxWaiting);
}

} // namespace

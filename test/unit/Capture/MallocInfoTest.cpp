// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Host/MallocInfo.h"
#include "gtest/gtest.h"
#include <cstring>
#include <string>

using namespace memkit;
using namespace memkit::capture;

namespace {

std::string Text; ///< that the next call writes

int write(int, FILE *To) {
  // In small pieces: a line may come in several.
  setvbuf(To, nullptr, _IONBF, 0);
  for (char C : Text)
    fputc(C, To);
  return Text == "refused" ? -1 : 0;
}

std::string arena(unsigned Number, unsigned Fast, unsigned Rest,
                  unsigned System) {
  return "<heap nr=\"" + std::to_string(Number) + "\">\n<sizes>\n" +
         "  <size from=\"17\" to=\"32\" total=\"999\" count=\"9\"/>\n" +
         "</sizes>\n<total type=\"fast\" count=\"1\" size=\"" +
         std::to_string(Fast) +
         "\"/>\n<total type=\"rest\" count=\"1\" size=\"" +
         std::to_string(Rest) + "\"/>\n<system type=\"current\" size=\"" +
         std::to_string(System) +
         "\"/>\n<system type=\"max\" size=\"7777\"/>\n" +
         "<aspace type=\"total\" size=\"7777\"/>\n</heap>\n";
}

std::string totals(unsigned Fast, unsigned Rest, unsigned Mapped,
                   unsigned System) {
  std::string All = arena(0, Fast, Rest, System);
  std::string Lines = All.substr(All.find("<total"));
  Lines.resize(Lines.find("</heap>"));
  return Lines + "<total type=\"mmap\" count=\"1\" size=\"" +
         std::to_string(Mapped) + "\"/>\n</malloc>\n";
}

struct MallocInfoTest : testing::Test {
  bool read() {
    // The control page begins with zeroes.
    memset(static_cast<void *>(&Is), 0, sizeof(Is));
    Is.All = wire::AllocatorFigures();
    return readMallocInfo(write, Is);
  }
  wire::AllocatorReport Is;
};

} // namespace

TEST_F(MallocInfoTest, ArenasAndTotals) {
  Text = "<malloc version=\"1\">\n" + arena(0, 10, 200, 1000) +
         arena(1, 0, 300, 2000) + totals(10, 500, 4096, 3000);
  ASSERT_TRUE(read());
  EXPECT_EQ(2u, Is.NumArenas);
  EXPECT_EQ(790u, Is.Arenas[0].InUse);
  EXPECT_EQ(210u, Is.Arenas[0].Free);
  EXPECT_EQ(1700u, Is.Arenas[1].InUse);
  EXPECT_EQ(2490u, Is.All.InUse);
  EXPECT_EQ(510u, Is.All.Free);
  EXPECT_EQ(4096u, Is.All.Apart);
  EXPECT_EQ(3000u, Is.All.Reserved);
}

TEST_F(MallocInfoTest, MoreArenasThanRoom) {
  Text = "";
  for (unsigned I = 0; I != 100; ++I)
    Text += arena(I, 0, 1, 3);
  Text += totals(0, 100, 0, 300);
  ASSERT_TRUE(read());
  EXPECT_EQ(100u, Is.NumArenas);
  EXPECT_EQ(2u, Is.Arenas[wire::MaxArenaFigures - 1].InUse);
  EXPECT_EQ(200u, Is.All.InUse);
}

TEST_F(MallocInfoTest, NotUnderstood) {
  for (const char *Bad : {"", "refused", "<malloc version=\"9\">\n</malloc>\n",
                          "<heap nr=\"0\">\n"}) {
    Text = Bad;
    EXPECT_FALSE(read()) << Bad;
  }
  // Totals that end within an arena, and a line that never ends.
  Text = arena(0, 0, 1, 3);
  Text.resize(Text.find("</heap>"));
  EXPECT_FALSE(read());
  Text = std::string(100000, '<') + "\n" + totals(0, 1, 0, 3);
  EXPECT_TRUE(read());
  EXPECT_EQ(2u, Is.All.InUse);
}

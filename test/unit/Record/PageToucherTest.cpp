// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages touched before use.

#include "Output/PageToucher.h"
#include "memkit/Stats/StatsRows.h"
#include "gtest/gtest.h"
#include <chrono>
#include <cstring>
#include <sys/mman.h>

using namespace memkit;

static constexpr size_t PageBytes = 4096, Pages = 512;

/// The number of resident pages.
static size_t resident(void *Begin) {
  unsigned char Of[Pages];
  EXPECT_EQ(mincore(Begin, Pages * PageBytes, Of), 0);
  size_t Count = 0;
  for (unsigned char P : Of)
    Count += P & 1;
  return Count;
}

TEST(PageToucher, PagesComeAndKeepWhatIsWritten) {
  void *Got = mmap(nullptr, Pages * PageBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(Got, MAP_FAILED);
  madvise(Got, Pages * PageBytes, MADV_NOHUGEPAGE);
  auto *Bytes = static_cast<volatile char *>(Got);
  {
    PageToucher T;
    T.touch(Got, Pages * PageBytes);
    // The test writes to pages that the toucher touches at the same time.
    for (size_t Page = 0; Page < Pages; Page += 2)
      Bytes[Page * PageBytes] = 7;
    auto Until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (resident(Got) != Pages && std::chrono::steady_clock::now() < Until)
      std::this_thread::yield();
  }
  EXPECT_EQ(resident(Got), Pages);
  for (size_t Page = 0; Page != Pages; ++Page)
    ASSERT_EQ(Bytes[Page * PageBytes], Page % 2 ? 0 : 7);
  munmap(Got, Pages * PageBytes);
}

TEST(PageToucher, RowsAreMadeInMemoryAhead) {
  StatsRows Rows;
  PageToucher T;
  std::vector<std::pair<char *, size_t>> Told;
  Rows.OnAhead = [&](void *Begin, size_t Size) {
    Told.push_back({static_cast<char *>(Begin), Size});
    T.touch(Begin, Size);
  };
  constexpr uint32_t Count = 3 * StatsRows::ChunkRows;
  auto WasReported = [&](const void *At) {
    for (auto &[Begin, Size] : Told)
      if (At >= Begin && At < Begin + Size)
        return true;
    return false;
  };
  for (uint32_t Key = 1; Key <= Count; ++Key) {
    bool New = false;
    uint32_t Row = Rows.findOrMake(0, Key, New);
    ASSERT_TRUE(New);
    Rows[Row].LiveBytes = Key;
    Rows.cold(Row).Temporaries = Key;
    bool First = Row < StatsRows::ChunkRows;
    ASSERT_EQ(WasReported(&Rows[Row]), !First);
    ASSERT_EQ(WasReported(&Rows.cold(Row)), !First);
  }
  for (uint32_t Key = 1; Key <= Count; ++Key) {
    uint32_t Row = Rows.find(0, Key);
    ASSERT_EQ(Rows[Row].LiveBytes, Key);
    ASSERT_EQ(Rows.cold(Row).Temporaries, Key);
  }
}

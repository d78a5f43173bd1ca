// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reported names of blocks.

#include "OneProcess.h"

using namespace memkit;

namespace {

/// The marks of kind HeldBy.
std::vector<Mark> heldMarks(llvm::StringRef Bytes) {
  auto T = llvm::cantFail(
      TraceReader::create(llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
  std::vector<Mark> Out;
  for (const SectionInfo &B : T->sections())
    if (B.Kind == SectionKind::Marks) {
      Marks M;
      llvm::cantFail(T->read(B, M));
      for (const Mark &One : M.Rows)
        if (One.Kind == MarkKind::HeldBy)
          Out.push_back(One);
    }
  return Out;
}

struct BlockHolders : OneProcess {
  void held(uint64_t Address, uint8_t Flags, uint32_t Text) {
    I->process(
        wire::encodeAt(Tsc += 1000,
                       wire::BlockHeldRecord{Address, 9, Flags, 5000, Text}),
        0);
  }
};

TEST_F(BlockHolders, BadRecordsAreCounted) {
  put(0, RecordKind::Allocate, 0x1000, 64);
  held(0x1000, 0, 0);          // no text
  held(0x1000, 0, 77);         // an unknown text
  held(0x1000, 0, UINT32_MAX); // likewise
  held(0x1000, 8, 0);          // unknown flags
  held(~uint64_t(0), 0, 0);    // no address
  held(0, 0xf0, 0);            // a search with unknown flags
  EXPECT_EQ(6u, lost(LossKind::BadRecord));
  R->finish();
  EXPECT_TRUE(heldMarks(Bytes).empty());
}

TEST_F(BlockHolders, ASearchIsAMarkWithoutAName) {
  put(0, RecordKind::Allocate, 0x1000, 64);
  held(0, wire::HF_Stopped, 0);
  EXPECT_EQ(0u, lost(LossKind::BadRecord));
  R->finish();
  std::vector<Mark> Found = heldMarks(Bytes);
  ASSERT_EQ(1u, Found.size());
  EXPECT_EQ(0u, Found[0].Name);
  EXPECT_EQ((std::vector<uint64_t>{9, HeldByStopped, 5000, 0}),
            Found[0].Values);
}

static_assert(uint8_t(wire::HF_Cycle) == uint8_t(HeldByCycle) &&
              uint8_t(wire::HF_NoName) == uint8_t(HeldByNoName) &&
              uint8_t(wire::HF_Stopped) == uint8_t(HeldByStopped));

} // namespace

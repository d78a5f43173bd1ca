// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Categories of single blocks, looked up in any order.

#include "memkit/Model/BlockCategories.h"
#include "TextTrace.h"
#include "memkit/Trace/TraceWriter.h"
#include <random>

using namespace memkit;
using namespace llvm;

using Wanted = std::map<std::pair<uint32_t, uint64_t>, TensorCategory>;

/// Sections of random categories, some of them of the same blocks.
static std::vector<BlockCategories> randomSections(Wanted &Truth) {
  std::mt19937 Random(7);
  std::vector<BlockCategories> Out;
  for (unsigned Section = 0; Section != 40; ++Section) {
    BlockCategories &C = Out.emplace_back();
    C.Process = 1 + Section % 3;
    uint64_t Id = Section * 40;
    for (unsigned Row = 0; Row != 100; ++Row) {
      Id += 1 + Random() % 7;
      auto K = TensorCategory(Random() % NumTensorCategories);
      C.Rows.push_back({Id, K});
      Truth[{C.Process, Id}] = K;
    }
  }
  return Out;
}

static std::unique_ptr<TraceReader>
readerOf(ArrayRef<BlockCategories> Sections) {
  std::string Bytes;
  StringSink Sink(Bytes);
  auto Writer = orDie(TraceWriter::create(Sink, Header()));
  for (const BlockCategories &C : Sections)
    cantFail(Writer->write(C));
  cantFail(Writer->finish());
  return orDie(
      TraceReader::create(MemoryBuffer::getMemBufferCopy(Bytes, "trace")));
}

TEST(BlockCategories, LastRowOfABlockCountsInAnyOrderOfQuestions) {
  Wanted Truth;
  auto Reader = readerOf(randomSections(Truth));
  EXPECT_TRUE(hasBlockCategories(*Reader));
  auto Table = orDie(BlockCategoryTable::read(*Reader));
  EXPECT_EQ(Table->size(), Truth.size());
  auto Check = [&](BlockCategoryCursor &C, uint32_t Process, uint64_t Id) {
    auto It = Truth.find({Process, Id});
    std::optional<TensorCategory> Want;
    if (It != Truth.end())
      Want = It->second;
    EXPECT_EQ(C.find(Process, Id), Want) << Process << " " << Id;
  };
  BlockCategoryCursor Rising(*Table), Falling(*Table), Mixed(*Table);
  for (uint64_t Id = 0; Id != 2500; ++Id)
    for (uint32_t Process = 0; Process != 5; ++Process)
      Check(Rising, Process, Id);
  for (uint64_t Id = 2500; Id-- != 0;)
    Check(Falling, 2, Id);
  std::mt19937 Random(8);
  for (unsigned I = 0; I != 5000; ++I)
    Check(Mixed, 1 + Random() % 3, Random() % 2500);
}

TEST(BlockCategories, DtypesAreCountedFromOne) {
  BlockCategories A{1,
                    {{1, TensorCategory::Input, 7},
                     {2, TensorCategory::Gradient, 9},
                     {3, TensorCategory::Input, 0},
                     {4, TensorCategory::Input, 0}}};
  BlockCategories B{
      1, {{1, TensorCategory::Temporary, 9}, {4, TensorCategory::Input, 7}}};
  auto Reader = readerOf({A, B});
  auto Table = orDie(BlockCategoryTable::read(*Reader));
  ArrayRef<uint32_t> Dtypes = Table->dtypes();
  ASSERT_EQ(2u, Dtypes.size());
  BlockCategoryCursor C(*Table);
  auto DtypeOf = [&](uint64_t Id) {
    uint32_t Place = C.findDtype(1, Id);
    return Place ? Dtypes[Place - 1] : 0;
  };
  EXPECT_EQ(9u, DtypeOf(1));
  EXPECT_EQ(9u, DtypeOf(2));
  EXPECT_EQ(0u, DtypeOf(3));
  EXPECT_EQ(7u, DtypeOf(4));
  EXPECT_EQ(0u, DtypeOf(5));
  EXPECT_EQ(TensorCategory::Temporary, C.find(1, 1));
}

TEST(BlockCategories, HighIdsAreOfNoBlock) {
  auto Reader = readerOf(
      {{1,
        {{1, TensorCategory::Input}, {~uint64_t(0), TensorCategory::Input}}}});
  auto Table = orDie(BlockCategoryTable::read(*Reader));
  EXPECT_EQ(Table->size(), 1u);
  EXPECT_EQ(BlockCategoryCursor(*Table).find(1, ~uint64_t(0)), std::nullopt);
}

TEST(BlockCategories, MoreRowsThanARecordingHasAreAnError) {
  BlockCategories C;
  C.Process = 1;
  for (uint64_t Id = 0; Id != MaxSectionRows; ++Id)
    C.Rows.push_back({Id, TensorCategory::Input});
  auto Reader = readerOf(std::vector<BlockCategories>(250, C));
  auto Table = BlockCategoryTable::read(*Reader);
  EXPECT_NE(toString(Table.takeError()).find("more categories of blocks"),
            std::string::npos);
}

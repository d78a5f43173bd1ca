// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Shared/ResidentPages.h"
#include "Sources/ResidentWalk.h"
#include "gtest/gtest.h"
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static ResidentRange::RangeKind kindAt(const std::vector<ResidentRange> &Ranges,
                                       uint64_t Address) {
  for (const ResidentRange &R : Ranges)
    if (R.Begin <= Address && Address < R.End)
      return R.Kind;
  ADD_FAILURE() << "no range at " << Address;
  return ResidentRange::Anonymous;
}

TEST(ResidentPagesTest, KindsOfMappings) {
  std::vector<std::string> Files;
  std::vector<ResidentRange> R = readMaps(
      "00400000-00401000 r-xp 00000000 08:01 11 /usr/bin/my program\n"
      "00401000-00402000 rw-p 00001000 08:01 11 /usr/bin/my program\n"
      "00402000-00404000 rw-p 00000000 00:00 0 \n"
      "01000000-01100000 rw-p 00000000 00:00 0 [heap]\n"
      "10000000-10100000 rw-s 00000000 00:01 12 /memfd:memkit.7 (deleted)\n"
      "10100000-12100000 rw-p 00000000 00:00 0 \n"
      "20000000-20001000 rw-s 00000000 00:01 13 /memfd:theirs (deleted)\n"
      "20001000-20002000 ---p 00000000 00:00 0 \n"
      "20002000-20003000 r--p 00000000 08:01 14 /data/table\n"
      "20003000-20004000 rw-s 00000000 00:05 15 /dev/nvidia0\n"
      "20004000-20005000 r-xp 00000000 08:01 16 /opt/lib/libmemrec.so\n"
      "7ffc0000-7ffd0000 rw-p 00000000 00:00 0 [stack]\n"
      "7ffe0000-7ffe1000 r-xp 00000000 00:00 0 [vdso]\n"
      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n"
      "not a line\n",
      "memkit.7", Files);
  ASSERT_EQ(R.size(), 13u);
  EXPECT_EQ(kindAt(R, 0x400000), ResidentRange::Module);
  EXPECT_EQ(kindAt(R, 0x402000), ResidentRange::Module); // zeroed data
  EXPECT_EQ(kindAt(R, 0x1000000), ResidentRange::Break);
  EXPECT_EQ(kindAt(R, 0x10000000), ResidentRange::Recorder);
  // Behind shared memory are no zeroed data of a binary.
  EXPECT_EQ(kindAt(R, 0x10100000), ResidentRange::Anonymous);
  EXPECT_EQ(kindAt(R, 0x20000000), ResidentRange::SharedMemory);
  EXPECT_TRUE(R[7].IsReserved);
  EXPECT_EQ(kindAt(R, 0x20002000), ResidentRange::File);
  EXPECT_EQ(kindAt(R, 0x20003000), ResidentRange::Driver);
  EXPECT_EQ(kindAt(R, 0x20004000), ResidentRange::Recorder);
  EXPECT_EQ(kindAt(R, 0x7ffc0000), ResidentRange::MainStack);
  EXPECT_EQ(kindAt(R, 0x7ffe0000), ResidentRange::Module);
  EXPECT_EQ(Files.size(), 7u);
  EXPECT_EQ(Files[R[0].OfFile], "/usr/bin/my program");
  EXPECT_EQ(R[2].OfFile, R[0].OfFile); // zeroed data
  EXPECT_EQ(Files[R[3].OfFile], "");   // [heap]
  EXPECT_EQ(Files[R[8].OfFile], "/data/table");
}

TEST(ResidentPagesTest, AMappingThatGrowsIsOnce) {
  std::vector<std::string> Files;
  std::vector<ResidentRange> R =
      readMaps("01000000-01100000 rw-p 00000000 00:00 0 [heap]\n"
               "10000000-10100000 rw-p 00000000 00:00 0 \n"
               "10000000-10180000 rw-p 00000000 00:00 0 \n"
               "10080000-10100000 ---p 00000000 00:00 0 \n"
               "10180000-14000000 ---p 00000000 00:00 0 \n",
               "", Files);
  ASSERT_EQ(R.size(), 4u);
  uint64_t End = 0;
  for (const ResidentRange &Of : R) {
    EXPECT_GE(Of.Begin, End);
    EXPECT_GT(Of.End, Of.Begin);
    End = Of.End;
  }
  EXPECT_EQ(R[2].Begin, 0x10100000u);
  EXPECT_EQ(R[2].End, 0x10180000u);
}

/// The kernel shows pieces where a part of the heap has MADV_HUGEPAGE.
TEST(ResidentPagesTest, AHeapInPiecesIsOne) {
  std::vector<std::string> Files;
  std::vector<ResidentRange> R =
      readMaps("01000000-01100000 rw-p 00000000 00:00 0 [heap]\n"
               "01100000-01500000 rw-p 00000000 00:00 0 [heap]\n"
               "01500000-01600000 rw-p 00000000 00:00 0 [heap]\n"
               "01700000-01800000 rw-p 00000000 00:00 0 [heap]\n",
               "", Files);
  ASSERT_EQ(R.size(), 2u);
  EXPECT_EQ(R[0].Begin, 0x1000000u);
  EXPECT_EQ(R[0].End, 0x1600000u);
  EXPECT_EQ(R[1].Begin, 0x1700000u);
}

TEST(ResidentPagesTest, PagesOfThisProcess) {
  uint64_t Page = uint64_t(sysconf(_SC_PAGESIZE));
  char *At =
      static_cast<char *>(mmap(nullptr, 64 * Page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(At, MAP_FAILED);
  madvise(At, 64 * Page, MADV_NOHUGEPAGE);
  std::memset(At + 3 * Page, 1, 2 * Page);
  // Reading maps the kernel's page of zeros, which takes no memory.
  volatile char Zero = At[10 * Page];
  (void)Zero;
  std::optional<ResidentPages> P = ResidentPages::read(getpid(), "", false);
  ASSERT_TRUE(P);
  const ResidentRange *R = P->find(uint64_t(At));
  ASSERT_TRUE(R);
  for (unsigned I = 0; I != 64; ++I)
    EXPECT_EQ(P->Pages[P->pageOf(*R, uint64_t(At) + I * Page)],
              I == 3 || I == 4 ? PB_Resident : 0)
        << I;
  EXPECT_EQ(P->find(0), nullptr);
  munmap(At, 64 * Page);
  EXPECT_FALSE(ResidentPages::read(0x7fffffff, "", false));
}

//===----------------------------------------------------------------------===//
// ResidentWalk
//===----------------------------------------------------------------------===//

namespace {

constexpr uint64_t PageBytes = 4096, Mebibyte = 1 << 20;

/// Pages from text, one letter each: r resident, s shared, w swapped, others
/// not.
class MadePages {
public:
  MadePages &add(uint64_t Begin, ResidentRange::RangeKind Kind,
                 StringRef Pages) {
    ResidentRange R;
    R.Begin = Begin;
    R.End = Begin + Pages.size() * PageBytes;
    R.Kind = Kind;
    R.FirstPage = P.Pages.size();
    P.Ranges.push_back(R);
    for (char C : Pages)
      P.Pages.push_back(C == 'r'   ? PB_Resident
                        : C == 's' ? PB_Resident | PB_Shared
                        : C == 'w' ? PB_Swapped
                                   : 0);
    return *this;
  }
  ResidentPages P;
};

LiveEntry residentBlock(uint64_t Id, uint64_t Size, uint32_t Row) {
  LiveEntry E;
  E.AllocationId = Id;
  E.Size = Size;
  E.Row = Row;
  return E;
}

uint64_t partOf(const ResidentWalk &W, ResidentPart P) {
  return W.parts()[size_t(P)];
}

uint64_t sumOfParts(const ResidentWalk &W) {
  uint64_t Sum = 0;
  for (uint64_t B : W.parts())
    Sum += B;
  return Sum;
}

} // namespace

TEST(ResidentWalkTest, BlocksDivideThePagesOfAnArena) {
  MadePages Made;
  Made.add(0x10000, ResidentRange::Break, "rrrr.rw");
  ResidentWalk W(std::move(Made.P), false);
  W.setLive(100 + 4096 + 50, false);
  W.addBlock(0x10010, residentBlock(0, 100, 1));
  W.addBlock(0x10f00, residentBlock(1, 4096, 2)); // of the first two pages
  W.addBlock(0x14010, residentBlock(2, 50, 3));   // not resident
  W.finish();
  EXPECT_EQ(partOf(W, ResidentPart::Malloc), 4196u);
  EXPECT_EQ(partOf(W, ResidentPart::MallocFree), 5 * PageBytes - 4196);
  EXPECT_EQ(sumOfParts(W), 5 * PageBytes);
  EXPECT_EQ(W.swapped(), PageBytes);
  ASSERT_EQ(W.arenas().size(), 1u);
  const ResidentWalk::ArenaPart &A = W.arenas().front();
  EXPECT_EQ(A.Resident, 5 * PageBytes);
  EXPECT_EQ(A.Live, 4196u);
  EXPECT_EQ(A.PagesFree, 3 * PageBytes);
  EXPECT_EQ(A.Top.Row, 3u);
}

TEST(ResidentWalkTest, PiecesOfAnArena) {
  uint64_t First = 64 * Mebibyte, Second = 256 * Mebibyte;
  MadePages Made;
  Made.add(First, ResidentRange::Anonymous, "rr")
      .add(Second, ResidentRange::Anonymous, "rrr");
  Made.P.Arenas = {{First, First, 0}, {Second, First, First}};
  ResidentWalk W(std::move(Made.P), false);
  W.setLive(20, false);
  W.addBlock(Second + 16, residentBlock(0, 10, 7));
  W.addBlock(First + 64, residentBlock(1, 10, 8));
  W.finish();
  ASSERT_EQ(W.arenas().size(), 1u);
  EXPECT_EQ(W.arenas()[0].Pieces, 2u);
  // The newest piece must be empty before an older one goes.
  EXPECT_EQ(W.arenas()[0].Top.Row, 7u);
  EXPECT_EQ(W.arenas()[0].Resident, 5 * PageBytes);
  EXPECT_EQ(partOf(W, ResidentPart::MallocFree), 5 * PageBytes - 20);
}

TEST(ResidentWalkTest, LoopOfPieces) {
  uint64_t A = 64 * Mebibyte, B = 128 * Mebibyte;
  MadePages Made;
  Made.add(A, ResidentRange::Anonymous, "r")
      .add(B, ResidentRange::Anonymous, "r");
  Made.P.Arenas = {{A, A, B}, {B, A, A}};
  ResidentWalk W(std::move(Made.P), false);
  W.finish();
  EXPECT_EQ(sumOfParts(W), 2 * PageBytes);
}

TEST(ResidentWalkTest, PagesOfReservedMappings) {
  // The first is of an allocator whose blocks are recorded; of the second a
  // pool has reported two pages of four; the third is not resident.
  MadePages Made;
  Made.add(0x100000, ResidentRange::Anonymous, "rr")
      .add(0x200000, ResidentRange::Anonymous, "rrrr.")
      .add(0x300000, ResidentRange::Anonymous, "..");
  ResidentWalk W(std::move(Made.P), false);
  W.addBlock(0x100000, residentBlock(0, 64, 1));
  W.addReported(0x201800, 4096);
  W.addReported(0x2ff000, ~uint64_t(0) >> 9); // without pages
  W.addMapping(0x100000, 0x102000, wire::MapClass::Reserved,
               residentBlock(1, 0x2000, 5));
  W.addMapping(0x200000, 0x205000, wire::MapClass::Reserved,
               residentBlock(2, 0x5000, 6));
  W.addMapping(0x300000, 0x302000, wire::MapClass::Reserved,
               residentBlock(3, 0x2000, 7));
  W.finish();
  ASSERT_EQ(W.reserved().size(), 3u);
  EXPECT_EQ(W.reserved()[0].Bytes, 0u);
  EXPECT_EQ(W.reserved()[1].Begin, 0x200000u);
  EXPECT_EQ(W.reserved()[1].Id, 2u);
  EXPECT_EQ(W.reserved()[1].Bytes, 2 * PageBytes);
  EXPECT_EQ(W.reserved()[2].Bytes, 0u);
  EXPECT_EQ(partOf(W, ResidentPart::Reserved), 4 * PageBytes);
}

TEST(ResidentWalkTest, MappingsOfAnAllocator) {
  // Two mappings of one stack: the second is free memory of the allocator. The
  // third mapping is of the program.
  MadePages Made;
  Made.add(0x100000, ResidentRange::Anonymous, "rr")
      .add(0x200000, ResidentRange::Anonymous, "rr")
      .add(0x300000, ResidentRange::Anonymous, "r.");
  ResidentWalk W(std::move(Made.P), false);
  W.setLive(4096, false);
  W.addBlock(0x100000, residentBlock(0, 4096, 1));
  W.addMapping(0x100000, 0x102000, wire::MapClass::Reserved,
               residentBlock(0, 0, 5));
  W.addMapping(0x200000, 0x202000, wire::MapClass::Reserved,
               residentBlock(0, 0, 5));
  W.addMapping(0x300000, 0x302000, wire::MapClass::Used,
               residentBlock(0, 0, 6));
  W.finish();
  EXPECT_EQ(partOf(W, ResidentPart::Malloc), PageBytes);
  EXPECT_EQ(partOf(W, ResidentPart::MallocFree), 3 * PageBytes);
  EXPECT_EQ(partOf(W, ResidentPart::Mapping), PageBytes);
  EXPECT_EQ(partOf(W, ResidentPart::Reserved), 0u);
  ASSERT_EQ(W.mappings().size(), 2u);
  EXPECT_EQ(W.mappings()[0].Blocks, 2u);
  EXPECT_EQ(W.mappings()[1].Size, 2 * PageBytes);
}

TEST(ResidentWalkTest, ObjectsAndOwnMemoryAndTheRest) {
  MadePages Made;
  Made.add(0x100000, ResidentRange::Anonymous, "rrr")
      .add(0x200000, ResidentRange::Anonymous, "rr")
      .add(0x300000, ResidentRange::Anonymous, "r")
      .add(0x400000, ResidentRange::MainStack, "r")
      .add(0x500000, ResidentRange::Module, "rr");
  ResidentWalk W(std::move(Made.P), false);
  W.addObject(0x100010, residentBlock(0, 48, 1));
  W.addMapping(0x100000, 0x103000, wire::MapClass::Used,
               residentBlock(0, 0, 2));
  W.addOwn(0x200000, 0x202000);
  W.finish();
  EXPECT_EQ(partOf(W, ResidentPart::Object), 48u);
  EXPECT_EQ(partOf(W, ResidentPart::ObjectFree), 3 * PageBytes - 48);
  EXPECT_EQ(partOf(W, ResidentPart::Recorder), 2 * PageBytes);
  EXPECT_EQ(partOf(W, ResidentPart::Other), PageBytes);
  EXPECT_EQ(partOf(W, ResidentPart::Stack), PageBytes);
  EXPECT_EQ(partOf(W, ResidentPart::Module), 2 * PageBytes);
}

TEST(ResidentWalkTest, AForkedChildInherits) {
  MadePages Made;
  Made.add(0x100000, ResidentRange::Break, "ssr");
  ResidentWalk W(std::move(Made.P), true);
  W.setLive(8, false);
  W.addBlock(0x102000, residentBlock(0, 8, 1));
  W.finish();
  EXPECT_EQ(partOf(W, ResidentPart::Inherited), 2 * PageBytes);
  EXPECT_EQ(partOf(W, ResidentPart::Malloc), 8u);
  EXPECT_EQ(partOf(W, ResidentPart::MallocFree), PageBytes - 8);
}

TEST(ResidentWalkTest, ABlockInSeveralRanges) {
  MadePages Made;
  Made.add(0x100000, ResidentRange::Anonymous, "r")
      .add(0x101000, ResidentRange::Anonymous, "r.r")
      .add(0x104000, ResidentRange::Anonymous, "r");
  ResidentWalk W(std::move(Made.P), false);
  W.setLive(256 << 10, false);
  W.addBlock(0x100010, residentBlock(0, 256 << 10, 1));
  W.finish();
  EXPECT_EQ(partOf(W, ResidentPart::Malloc), 4 * PageBytes - 16);
  EXPECT_EQ(partOf(W, ResidentPart::MallocFree), 16u);
  EXPECT_EQ(sumOfParts(W), 4 * PageBytes);
}

TEST(ResidentWalkTest, BlocksOutsideOfThePages) {
  MadePages Made;
  Made.add(0x100000, ResidentRange::Anonymous, "r");
  ResidentWalk W(std::move(Made.P), false);
  W.setLive(1 << 30, false);
  W.addBlock(0x10, residentBlock(0, 64, 1));
  W.addBlock(0x100ff0, residentBlock(1, 1 << 30, 1)); // longer than its range
  W.addBlock(~uint64_t(0) - 4096, residentBlock(2, 64, 1));
  W.addMapping(0, ~uint64_t(0) & ~4095ull, wire::MapClass::Used,
               residentBlock(0, 0, 1));
  W.finish();
  EXPECT_EQ(sumOfParts(W), PageBytes);
}

TEST(ResidentWalkTest, PinnedPagesAreOfNoOtherPart) {
  MadePages Made;
  Made.add(0x100000, ResidentRange::Break, "rrr")
      .add(0x200000, ResidentRange::SharedMemory, "rr")
      .add(0x300000, ResidentRange::Anonymous, "r.r");
  ResidentWalk W(std::move(Made.P), false);
  W.setLive(100 + 4096 + 16, false);
  W.addPinned(0x101000, 0x102000, 9); // a registered block of malloc
  W.addPinned(0x200000, 0x201000, 8);
  W.addPinned(0x300000, 0x303000, 8);
  W.addPinned(0x300000, 0x301000, 7);         // registered again
  W.addPinned(0x900000, ~uint64_t(0) - 1, 6); // nothing is there
  W.addBlock(0x100000, residentBlock(0, 100, 1));
  W.addBlock(0x101000, residentBlock(1, 4096, 2));
  W.addBlock(0x102000, residentBlock(2, 16, 3));
  W.addMapping(0x300000, 0x303000, wire::MapClass::Used,
               residentBlock(0, 0, 5));
  W.finish();
  EXPECT_EQ(partOf(W, ResidentPart::Pinned), 4 * PageBytes);
  EXPECT_EQ(partOf(W, ResidentPart::Malloc), 116u);
  EXPECT_EQ(partOf(W, ResidentPart::MallocFree), 2 * PageBytes - 116);
  EXPECT_EQ(partOf(W, ResidentPart::Shared), PageBytes);
  EXPECT_EQ(partOf(W, ResidentPart::Mapping), 0u);
  EXPECT_EQ(sumOfParts(W), 7 * PageBytes);
  // A touched block is no untouched memory, pinned or not.
  EXPECT_EQ(W.untouched(), PageBytes); // the mapping's second page
  ASSERT_EQ(W.mappings().size(), 2u);
  EXPECT_EQ(W.mappings()[0].Part, ResidentPart::Pinned);
  EXPECT_EQ(W.mappings()[0].Row, 8u);
  EXPECT_EQ(W.mappings()[0].Resident, 3 * PageBytes);
  EXPECT_EQ(W.mappings()[1].Row, 9u);
}

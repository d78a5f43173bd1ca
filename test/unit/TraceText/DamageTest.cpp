// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged traces through every printer.
//
// Cut and changed traces go through all printers: the output is text or an
// error, without crashes or endless loops, and memory stays bounded.

#include "Export/TableText.h"
#include "Report/RunPrinters.h"
#include "SampleTrace.h"
#include "Tables/Columns.h"
#include "TraceText/Printers.h"
#include "memkit/Trace/TraceError.h"
#include "gtest/gtest.h"
#include <sys/resource.h>
#include <zstd.h>

using namespace memkit;
using namespace llvm;

namespace {

/// Counts written bytes and discards them.
class CountingStream : public raw_ostream {
public:
  CountingStream() { SetBuffered(); }
  ~CountingStream() override { flush(); }

private:
  void write_impl(const char *, size_t Size) override { Count += Size; }
  uint64_t current_pos() const override { return Count; }
  uint64_t Count = 0;
};

} // namespace

/// Passes every section of R to all printers. Returns the errors.
static std::string printAll(TraceReader &R) {
  CountingStream OS;
  std::unique_ptr<SectionVisitor> Printers[] = {
      createAsmPrinter(OS), createJsonPrinter(OS), createCsvPrinter(OS),
      createListing(OS)};
  for (const SectionInfo &B : R.sections()) {
    Expected<AnySection> Block = R.readAny(B);
    if (!Block)
      return toString(Block.takeError());
    for (auto &Printer : Printers)
      std::visit(
          [&](const auto &X) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(X)>,
                                          std::monostate>)
              cantFail(Printer->visit(B, X));
          },
          *Block);
  }
  return R.damage().str();
}

/// Prints all answers about File.
static std::string answerAll(StringRef File) {
  auto R = TraceReader::create(MemoryBuffer::getMemBuffer(File, "t.fb", false));
  if (!R)
    return toString(R.takeError());
  auto T = Trace::create(std::move(*R), TP_Totals);
  if (!T)
    return toString(T.takeError());
  RunReport Run = queryRun(**T);
  std::vector<CategorySum> Categories = queryCategories(**T);
  CountingStream OS;
  printRun(OS, Run, **T, Categories, 80, "");
  std::vector<LayerStats> Layers = queryLayers(**T);
  RowListRef Rows = scopeColumns(**T, Layers).rows(Layers);
  tableOf(*Rows).print(OS, 80);
  json::OStream J(OS);
  J.object([&] {
    writeRunJson(J, Run, **T, Categories);
    writeRowsJson(J, "layers", *Rows);
  });
  return "";
}

/// All output about File.
static std::string readAll(StringRef File) {
  auto R = TraceReader::create(MemoryBuffer::getMemBuffer(File, "t.fb", false));
  if (!R)
    return toString(R.takeError());
  std::string Summary = answerAll(File);
  std::string Stored = printAll(**R);
  return Stored.empty() ? Summary : Stored;
}

static uint64_t peakBytes() {
  rusage Usage;
  getrusage(RUSAGE_SELF, &Usage);
  return uint64_t(Usage.ru_maxrss) << 10;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static constexpr bool IsSanitized = true; // the sanitizer's memory counts too
#else
static constexpr bool IsSanitized = false;
#endif

static void expectBoundedMemory() {
  if (!IsSanitized) {
    EXPECT_LT(peakBytes(), uint64_t(256) << 20);
  }
}

TEST(PrintDamage, TheSampleIsWhole) {
  EXPECT_EQ(readAll(writeTrace(sampleHeader(), sampleBlocks())), "");
}

TEST(PrintDamage, CutAtEveryByte) {
  std::string File = writeTrace(sampleHeader(), sampleBlocks());
  for (size_t Cut = 0; Cut != File.size(); ++Cut)
    EXPECT_NE(readAll(StringRef(File).take_front(Cut)), "") << Cut;
  expectBoundedMemory();
}

TEST(PrintDamage, EveryByteFlipped) {
  std::string File = writeTrace(sampleHeader(), sampleBlocks());
  for (size_t I = 0; I != File.size(); ++I) {
    std::string Bad = File;
    Bad[I] = char(~Bad[I]);
    readAll(Bad);
  }
  expectBoundedMemory();
}

/// The frames of File, decompressed.
static std::vector<std::string> framesOf(StringRef File) {
  std::vector<std::string> Out;
  while (!File.empty()) {
    size_t Size = ZSTD_findFrameCompressedSize(File.data(), File.size());
    std::string Raw(ZSTD_getFrameContentSize(File.data(), File.size()), '\0');
    ZSTD_decompress(Raw.data(), Raw.size(), File.data(), Size);
    Out.push_back(std::move(Raw));
    File = File.drop_front(Size);
  }
  return Out;
}

static std::string compressed(StringRef Raw) {
  std::string Out(ZSTD_compressBound(Raw.size()), '\0');
  Out.resize(ZSTD_compress(Out.data(), Out.size(), Raw.data(), Raw.size(), 1));
  return Out;
}

// A forger makes the checksums fit. The test changes each byte of each section
// and compresses the section again.
TEST(PrintDamage, EveryByteBelowTheChecksum) {
  std::vector<std::string> Raw =
      framesOf(writeTrace(sampleHeader(), sampleBlocks(), /*Complete=*/false));
  std::vector<std::string> Frames;
  for (const std::string &Block : Raw)
    Frames.push_back(compressed(Block));
  size_t Whole = 0, Refused = 0;
  for (size_t Bad = 0; Bad != Raw.size(); ++Bad) {
    std::string Before, After;
    for (size_t I = 0; I != Frames.size(); ++I)
      (I < Bad ? Before : After) += I == Bad ? "" : Frames[I];
    // Large sections are repetitive: about 150 places of each are enough.
    size_t Step = std::max<size_t>(1, Raw[Bad].size() / 150);
    for (size_t I = 0; I < Raw[Bad].size(); I += Step)
      for (unsigned char Flip : {0x01, 0x80, 0xff}) {
        std::string Block = Raw[Bad];
        Block[I] = char(Block[I] ^ Flip);
        bool Ok = readAll(Before + compressed(Block) + After).find("corrupt") ==
                  std::string::npos;
        ++(Ok ? Whole : Refused);
      }
  }
  // Most bytes are values, which may be anything; a change of other bytes is
  // noticed.
  EXPECT_GT(Whole, 0u);
  EXPECT_GT(Refused, 0u);
  expectBoundedMemory();
}

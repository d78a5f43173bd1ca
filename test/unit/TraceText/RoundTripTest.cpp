// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces become text and the same traces again.

#include "SampleTrace.h"
#include "TraceText/Assembler.h"
#include "TraceText/Printers.h"
#include "gtest/gtest.h"

using namespace memkit;
using namespace llvm;

static std::string print(StringRef File) {
  std::string Text;
  raw_string_ostream OS(Text);
  std::unique_ptr<SectionVisitor> Printer = createAsmPrinter(OS);
  auto R = cantFail(
      TraceReader::create(MemoryBuffer::getMemBuffer(File, "t.fb", false)));
  for (const SectionInfo &B : R->sections())
    std::visit(
        [&](const auto &X) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(X)>,
                                        std::monostate>)
            cantFail(Printer->visit(B, X));
        },
        cantFail(R->readAny(B)));
  if (R->complete())
    cantFail(Printer->visit(SectionInfo(), Index()));
  return Text;
}

/// The trace of Text, or the error message.
static std::string assembled(StringRef Text, bool Unchecked = false) {
  std::string File;
  StringSink Sink(File);
  AssembleOptions Options;
  Options.Unchecked = Unchecked;
  auto Done = assemble(MemoryBufferRef(Text, "t.mas"), Sink, Options);
  return Done ? File : toString(Done.takeError());
}

TEST(TextRoundTrip, EverySectionAndField) {
  std::string File = writeTrace(sampleHeader(), sampleBlocks());
  EXPECT_EQ(assembled(print(File), /*Unchecked=*/true), File);
}

TEST(TextRoundTrip, WithoutIndex) {
  std::string File = writeTrace(sampleHeader(), sampleBlocks(), false);
  EXPECT_EQ(assembled(print(File), /*Unchecked=*/true), File);
}

TEST(TextRoundTrip, RandomEvents) {
  for (uint64_t Seed = 1; Seed != 8; ++Seed) {
    std::vector<AnySection> Blocks = {sampleBlocks()[0]};
    uint64_t Next = 0, TimeNs = 0;
    for (unsigned Epoch = 1; Epoch != 4; ++Epoch) {
      Events E = randomEvents(Seed * 100 + Epoch, 500, 1 + Seed % 3, Next,
                              TimeNs, Seed % 2);
      E.Epoch = Epoch;
      Blocks.push_back(std::move(E));
    }
    std::string File = writeTrace(sampleHeader(), Blocks);
    EXPECT_EQ(assembled(print(File)), File) << "seed " << Seed;
  }
}

TEST(TextRoundTrip, EmptyBlocks) {
  Dictionary D;
  D.Processes.resize(1);
  Events E;
  E.Process = 1;
  Intervals S;
  S.Process = 1;
  Snapshot K;
  K.Process = 1;
  std::string File =
      writeTrace(Header(), {D, Dictionary(), E, Marks(), S, K, Summary()});
  EXPECT_EQ(assembled(print(File)), File);
}

// Any text gives an answer and never a crash. The texts are those of the sample
// with each character left out, doubled, or changed.
TEST(TextRoundTrip, DamagedText) {
  std::string Text = print(writeTrace(sampleHeader(), sampleBlocks()));
  size_t Step = std::max<size_t>(1, Text.size() / 1000);
  for (size_t I = 0; I < Text.size(); I += Step) {
    std::string Without = Text, Twice = Text, Other = Text;
    Without.erase(I, 1);
    Twice.insert(I, 1, Text[I]);
    for (const std::string &Bad : {Without, Twice})
      EXPECT_FALSE(assembled(Bad, true).empty());
    for (char C : {'\0', '"', '[', '=', '9', '\n', ' '}) {
      Other[I] = C;
      EXPECT_FALSE(assembled(Other, true).empty());
    }
  }
}

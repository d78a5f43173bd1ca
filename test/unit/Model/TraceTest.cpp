// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces read part by part, each part once, from files and streams.

#include "Export/TableText.h"
#include "Model/Stacks/FrameText.h"
#include "Report/RunPrinters.h"
#include "RunText.h"
#include "Tables/Columns.h"
#include "TextTrace.h"
#include "memkit/Model/Query.h"

using namespace memkit;
using namespace llvm;

static uint64_t decoded(const Trace &T, SectionKind Kind) {
  return T.reader().numDecoded(Kind);
}

/// All of the run's answers, as JSON.
static std::string runJson(const Trace &T) {
  std::string Text;
  raw_string_ostream OS(Text);
  json::OStream J(OS);
  J.object([&] {
    writeRunJson(J, queryRun(T), T, queryCategories(T));
    std::vector<LayerStats> Layers = queryLayers(T);
    writeRowsJson(J, "layers", *scopeColumns(T, Layers).rows(Layers));
    std::vector<StepReport> Steps = querySteps(T);
    writeRowsJson(J, "steps", *stepColumns(T).rows(stepsBySpace(Steps)));
  });
  return Text;
}

TEST(TraceParts, TotalsHaveTheirNamesAlone) {
  std::unique_ptr<Trace> T = textTrace(SmallRun, TP_Totals);
  EXPECT_TRUE(T->has(TP_Totals));
  EXPECT_FALSE(T->has(TP_Names));
  EXPECT_EQ(T->heapName(2), "torch.cuda:0");
  EXPECT_EQ(T->processName(1), "train");
  EXPECT_EQ(T->processName(2), "encoder"); // from a role that was set late
  EXPECT_EQ(T->string(queryLayers(*T)[0].Name), "encoder");
  EXPECT_EQ(T->limits().Stacks, 2u);
  EXPECT_EQ(T->numStacks(), 0u);
  EXPECT_TRUE(T->stackRows().empty());
  EXPECT_EQ(T->heapStats(2).PeakBytes, 256u);
  EXPECT_EQ(T->scopePathText(2), ""); // not read
}

TEST(TraceParts, NamesComeWithoutStacks) {
  std::unique_ptr<Trace> T = textTrace(SmallRun, TP_Names);
  EXPECT_TRUE(T->has(TP_Names));
  EXPECT_FALSE(T->hasSummary());
  EXPECT_EQ(T->scopePathText(2), "forward/encoder");
  EXPECT_EQ(T->tid(2), 8u);
  EXPECT_EQ(T->numStacks(), 0u);
  EXPECT_EQ(T->limits().Stacks, 2u);
  EXPECT_EQ(T->heapStats(2).PeakBytes, 0u);
  EXPECT_EQ(decoded(*T, SectionKind::Summary), 0u);
}

TEST(TraceParts, MoreIsReadWhenItIsAskedFor) {
  std::unique_ptr<Trace> T = textTrace(SmallRun, TP_Totals);
  std::string Before = runJson(*T);
  cantFail(T->read(TP_Stacks));
  ASSERT_EQ(T->numStacks(), 2u);
  EXPECT_EQ(T->shownStack(1)[0].Function, "load");
  EXPECT_EQ(T->processName(2), "encoder");
  EXPECT_TRUE(T->stackRows().empty());
  cantFail(T->read(TP_Rows));
  ASSERT_EQ(T->stackRows().size(), 1u);
  EXPECT_EQ(T->stackRows()[0].size(), 2u);
  EXPECT_EQ(runJson(*T), Before);
}

TEST(TraceParts, NothingIsReadTwice) {
  std::unique_ptr<Trace> T = textTrace(SmallRun);
  runJson(*T);
  cantFail(T->read(TP_All));
  EXPECT_EQ(decoded(*T, SectionKind::Summary), 2u); // the summary has two parts
  EXPECT_EQ(decoded(*T, SectionKind::Dictionary), 1u);
  EXPECT_EQ(decoded(*T, SectionKind::Events), 0u);
  EXPECT_EQ(decoded(*T, SectionKind::Marks), 0u);
}

TEST(TraceParts, EventsAreReadOnlyWhenAskedFor) {
  std::string Cut = SmallRun;
  Cut.resize(Cut.find("summary number=1 end=10000 events=3"));
  std::unique_ptr<Trace> Later = textTrace(Cut, TP_Totals);
  EXPECT_FALSE(Later->hasSummary());
  cantFail(Later->read(TP_All));
  EXPECT_TRUE(Later->isReplayed());
  std::unique_ptr<Trace> T = textTrace(Cut, TP_Totals | TP_Replay);
  EXPECT_TRUE(T->isReplayed());
  EXPECT_EQ(T->heapStats(2).PeakBytes, 256u);
  EXPECT_EQ(T->warnings().size(), 2u); // cut off; no summary
}

//===----------------------------------------------------------------------===//
// Growing
//===----------------------------------------------------------------------===//

/// The sections of a text in the order of a stream, with the index last.
static std::unique_ptr<Trace> streamOf(StringRef Text) {
  auto Reader = orDie(TraceReader::create(
      MemoryBuffer::getMemBufferCopy(textBytes(Text), "t")));
  std::unique_ptr<Trace> T = Trace::createGrowing("stream");
  for (const SectionInfo &B : Reader->sections())
    if (Error E = T->add(B, orDie(Reader->readAny(B))))
      orDie(Expected<int>(std::move(E)));
  cantFail(T->add(SectionInfo(), AnySection(Index())));
  return T;
}

TEST(GrowingTrace, SaysWhatTheFileSays) {
  std::unique_ptr<Trace> File = textTrace(SmallRun);
  std::unique_ptr<Trace> Stream = streamOf(SmallRun);
  EXPECT_TRUE(Stream->isComplete());
  EXPECT_EQ(runJson(*Stream), runJson(*File));
  ASSERT_EQ(Stream->numNodes(), File->numNodes());
  for (uint32_t N = 1; N <= File->numNodes(); ++N)
    EXPECT_EQ(Stream->parent(N), File->parent(N));
  ASSERT_EQ(Stream->stackRows().size(), File->stackRows().size());
  EXPECT_EQ(Stream->stackRows()[0].unpack(), File->stackRows()[0].unpack());
  EXPECT_EQ(Stream->scopeRows().size(), File->scopeRows().size());
}

TEST(GrowingTrace, NoStatsUntilTheirSummaryIsComplete) {
  std::string Part = SmallRun;
  Part.resize(Part.find("summary number=1 end=10000 events=3"));
  EXPECT_FALSE(streamOf(Part)->hasSummary());
  EXPECT_TRUE(streamOf(SmallRun)->hasSummary());
}

TEST(GrowingTrace, EventsEndWhatASummarySays) {
  std::unique_ptr<Trace> T = streamOf(SmallRun);
  cantFail(T->add(SectionInfo(), AnySection(Events())));
  EXPECT_FALSE(T->hasSummary());
  EXPECT_EQ(T->heapStats(2).PeakBytes, 0u);
  EXPECT_EQ(T->heapName(2), "torch.cuda:0");
}

/// A dictionary with one native stack of a binary, without symbols.
static Dictionary oneStack() {
  Dictionary D;
  D.Strings = {"/bin/prog", "main", "main.c"};
  D.Binaries = {{1, {}}};
  D.Functions = {{2, 3, 0}};
  D.Frames = {{FrameKind::Native, 1, 0x10}};
  D.Stacks = {{0, 1}};
  D.NodeFrames = {1};
  return D;
}

TEST(GrowingTrace, SymbolsMayComeLate) {
  std::unique_ptr<Trace> T = Trace::createGrowing("stream");
  cantFail(T->add(SectionInfo(), oneStack()));
  EXPECT_EQ(frameText(T->shownStack(1)[0], FP_Binary), "prog+0x10");
  Dictionary Late;
  Late.Symbols = {{1, {{1, 5}}}};
  cantFail(T->add(SectionInfo(), Late));
  EXPECT_EQ(frameText(T->shownStack(1)[0], FP_Binary), "main (main.c:5)");
}

TEST(GrowingTrace, UnknownIdsHaveNoNames) {
  std::unique_ptr<Trace> T = Trace::createGrowing("stream");
  EXPECT_EQ(T->string(7), "");
  EXPECT_EQ(T->heapName(7), "");
  EXPECT_EQ(T->spaceName(7), "");
  EXPECT_EQ(T->processName(7), "");
  EXPECT_EQ(T->scopePathText(7), "");
  EXPECT_EQ(T->tid(7), 0u);
  EXPECT_TRUE(T->shownStack(7).empty());
}

TEST(GrowingTrace, ADictionaryThatCannotBeIsNotTaken) {
  std::unique_ptr<Trace> T = Trace::createGrowing("stream");
  SectionInfo At;
  At.Offset = 77;
  Dictionary D = oneStack();
  D.NodeFrames = {9};
  std::string What = toString(T->add(At, D));
  EXPECT_NE(What.find("stream: offset 77: "), std::string::npos) << What;
  EXPECT_EQ(T->numStacks(), 0u);
  EXPECT_EQ(T->string(1), "");
  cantFail(T->add(At, oneStack()));
  EXPECT_EQ(T->numStacks(), 1u);
  Summary S;
  S.Heaps.emplace_back().Id = 3;
  EXPECT_NE(toString(T->add(At, S)).find("offset 77"), std::string::npos);
}

/// A set of Partial sections about the one process of SmallRun.
static Partial partialAt(uint64_t EndNs, uint64_t Rss) {
  Partial P;
  P.Number = uint32_t(EndNs / 1000);
  P.EndNs = EndNs;
  ProcessStats &Of = P.Processes.emplace_back();
  Of.Process = 1;
  Of.RssPeakBytes = Rss;
  OomRecord &Oom = P.Ooms.emplace_back();
  Oom.Number = 1;
  Oom.Heap = 2;
  Oom.Process = 1;
  return P;
}

TEST(GrowingTrace, PartialSectionsCountUntilASummaryComes) {
  std::string Run = SmallRun;
  Run.resize(Run.find("summary number=1 end=10000 events=3"));
  std::unique_ptr<Trace> T = streamOf(Run);
  EXPECT_EQ(T->processStats(1), nullptr);
  EXPECT_EQ(toString(T->add(SectionInfo(), AnySection(partialAt(4000, 77)))),
            "");
  ASSERT_NE(T->processStats(1), nullptr);
  EXPECT_EQ(T->processStats(1)->RssPeakBytes, 77u);
  EXPECT_EQ(T->summary().Ooms.size(), 1u);
  EXPECT_EQ(T->partialNs(), 4000u);
  EXPECT_FALSE(T->hasSummary());
  Partial Unknown = partialAt(5000, 88);
  Unknown.Processes[0].Process = 9;
  EXPECT_NE(toString(T->add(SectionInfo(), Unknown)).find("offset 0"),
            std::string::npos);
  EXPECT_EQ(T->processStats(1)->RssPeakBytes, 77u);
  Summary S;
  S.EndNs = 9000;
  S.Complete = true;
  cantFail(T->add(SectionInfo(), S));
  EXPECT_TRUE(T->hasSummary());
  EXPECT_EQ(T->partialNs(), std::nullopt);
  EXPECT_EQ(T->processStats(1), nullptr);
  cantFail(T->add(SectionInfo(), AnySection(Events())));
  EXPECT_EQ(T->processStats(1)->RssPeakBytes, 77u);
  EXPECT_EQ(T->endNs(), 4000u);
}

TEST(GrowingTrace, QuestionsOfEventsNeedAFile) {
  std::unique_ptr<Trace> T = streamOf(SmallRun);
  SelectionSpec Spec;
  Spec.MinSize = 1;
  auto Sel = orDie(Selection::create(*T, Spec));
  auto S = SelectedStats::create(*T, std::move(Sel));
  ASSERT_FALSE(S);
  EXPECT_NE(toString(S.takeError())
                .find("a file, because a stream can be read only once"),
            std::string::npos);
}

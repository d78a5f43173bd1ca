// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences as a trace.

#include "memkit/Analysis/DiffTrace.h"
#include "Support/Failure.h"
#include "memkit/Trace/TraceWriter.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace memkit {

namespace {

/// Builds the dictionary of a new trace and writes its sections as they fill.
class DictionaryWriter {
public:
  DictionaryWriter(TraceWriter &Out, const DiffRuns &Runs)
      : Out(Out), Runs(Runs), Sides(Runs.size()) {}

  uint32_t string(StringRef Text);
  uint32_t heap(Heap H);
  void process(ProcessRecord I) { Block.Processes.push_back(std::move(I)); }
  /// The id of a stack of one of the runs.
  Expected<uint32_t> stack(DiffStack From);
  /// Writes the remaining definitions.
  Error flush();

private:
  /// New ids for the ids of one of the runs; 0: not copied yet.
  struct Taken {
    DenseMap<uint32_t, uint32_t> Binaries, Functions, Frames, Nodes, Stacks;
  };
  uint32_t function(const Trace &T, Taken &From, uint32_t Id);
  uint32_t frame(const Trace &T, Taken &From, uint32_t Id);
  bool isNearlyFull() const;

  TraceWriter &Out;
  const DiffRuns &Runs;
  Dictionary Block;
  std::vector<Taken> Sides;
  StringMap<uint32_t> Strings;
  uint32_t Functions = 0, Binaries = 0, Frames = 0, Nodes = 0, Stacks = 0,
           Heaps = 0;
};

} // namespace

uint32_t DictionaryWriter::string(StringRef Text) {
  if (Text.empty())
    return 0;
  auto [At, New] = Strings.try_emplace(Text, Strings.size() + 1);
  if (New)
    Block.Strings.push_back(Text.str());
  return At->second;
}

uint32_t DictionaryWriter::heap(Heap H) {
  Block.Heaps.push_back(H);
  return ++Heaps;
}

uint32_t DictionaryWriter::function(const Trace &T, Taken &From, uint32_t Id) {
  uint32_t &Known = From.Functions[Id];
  if (Known)
    return Known;
  const Function &F = T.function(Id);
  Block.Functions.push_back(
      {string(T.string(F.Name)), string(T.string(F.File)), F.Line});
  return Known = ++Functions;
}

uint32_t DictionaryWriter::frame(const Trace &T, Taken &From, uint32_t Id) {
  uint32_t &Known = From.Frames[Id];
  if (Known)
    return Known;
  Known = ++Frames;
  Frame F = T.frame(Id);
  if (F.Kind == FrameKind::Native) {
    uint32_t &Binary = From.Binaries[F.Container];
    if (!Binary) {
      const memkit::Binary &M = T.binaries()[F.Container - 1];
      Block.Binaries.push_back({string(T.string(M.Path)), M.BuildId});
      Binary = ++Binaries;
    }
    F.Container = Binary;
  } else if (F.Kind != FrameKind::Unknown) {
    F.Container = function(T, From, F.Container);
  }
  Block.Frames.push_back(F);
  FrameSymbols S;
  S.Frame = Known;
  for (Location L : T.locations(Id))
    S.Locations.push_back({function(T, From, L.Function), L.Line});
  if (!S.Locations.empty())
    Block.Symbols.push_back(std::move(S));
  return Known;
}

Expected<uint32_t> DictionaryWriter::stack(DiffStack Of) {
  const Trace &T = Runs.trace(Of.Run);
  Taken &From = Sides[Of.Run];
  uint32_t Id = Of.Stack;
  if (uint32_t Known = From.Stacks.lookup(Id))
    return Known;
  if (isNearlyFull())
    if (Error E = flush())
      return E;
  // The new nodes, innermost first.
  SmallVector<uint32_t, 64> New;
  uint32_t Node = T.leaf(Id);
  for (; Node && !From.Nodes.contains(Node); Node = T.parent(Node))
    New.push_back(Node);
  if (New.size() > MaxSectionRows / 4)
    return makeError(T.name() + ": a stack of " + Twine(New.size()) +
                     " frames is too deep for a trace of differences");
  NewStack S;
  S.Parent = Node ? From.Nodes[Node] : 0;
  S.Length = New.size();
  for (uint32_t N : reverse(New)) {
    Block.NodeFrames.push_back(frame(T, From, T.frameOf(N)));
    From.Nodes[N] = ++Nodes;
  }
  Block.Stacks.push_back(S);
  return From.Stacks[Id] = ++Stacks;
}

/// Whether the largest possible stack might not fit.
bool DictionaryWriter::isNearlyFull() const {
  const size_t Full = MaxSectionRows / 4;
  size_t Bytes = 0;
  for (const std::string &S : Block.Strings)
    Bytes += S.size();
  return Block.Stacks.size() > Full || Block.NodeFrames.size() > Full ||
         Block.Frames.size() > Full || Block.Functions.size() > Full ||
         Block.Strings.size() > Full || Bytes > MaxSectionBytes / 8;
}

Error DictionaryWriter::flush() {
  Error E = Out.write(Block);
  Block = Dictionary();
  return E;
}

static uint64_t grown(uint64_t From, uint64_t To) {
  return To > From ? To - From : 0;
}

/// The amounts by which To exceeds From.
static StackStats growthRow(uint32_t Stack, uint32_t Heap,
                            const StackMetrics &From, const StackMetrics &To) {
  StackStats R;
  R.Key = Stack;
  R.Heap = Heap;
  R.Allocations = grown(From.Allocations, To.Allocations);
  R.AllocatedBytes = grown(From.AllocatedBytes, To.AllocatedBytes);
  R.Temporaries = grown(From.Temporaries, To.Temporaries);
  R.LiveBlocks = grown(From.LiveBlocks, To.LiveBlocks);
  R.LiveBytes = R.LiveExclusive = grown(From.LiveBytes, To.LiveBytes);
  R.PeakBytes = grown(From.PeakBytes, To.PeakBytes);
  R.HeapPeakBytes = R.SpacePeakBytes = grown(From.AtPeakBytes, To.AtPeakBytes);
  return R;
}

static bool isNothing(const StackStats &R) {
  return !R.Allocations && !R.AllocatedBytes && !R.LiveBlocks && !R.LiveBytes &&
         !R.PeakBytes && !R.HeapPeakBytes;
}

static void addRow(TotalStats &Sum, const StackStats &R) {
  Sum.Allocations += R.Allocations;
  Sum.AllocatedBytes += R.AllocatedBytes;
  Sum.Temporaries += R.Temporaries;
  Sum.LiveBlocks += R.LiveBlocks;
  Sum.LiveBytes += R.LiveBytes;
  Sum.PeakBytes += R.HeapPeakBytes;
}

/// Sets frees from allocations and live blocks.
static void fillFreed(TotalStats &Sum) {
  Sum.Frees = grown(Sum.LiveBlocks, Sum.Allocations);
  Sum.FreedBytes = grown(Sum.LiveBytes, Sum.AllocatedBytes);
}

static Header diffHeader(const Trace &After, ArrayRef<std::string> Command) {
  Header H;
  H.Tool = "memdiff " MEMKIT_VERSION;
  H.Command = Command.vec();
  H.Host = After.header().Host;
  H.Os = After.header().Os;
  return H;
}

namespace {

/// Writes the stats of the new trace in sections as they fill.
class StatsWriter {
public:
  explicit StatsWriter(TraceWriter &Out) : Out(Out) {
    S.Number = 1;
    S.Complete = false;
    S.Stacks.emplace_back().Process = 1;
  }

  Error add(const StackStats &R);
  /// Ends the summary. Heaps are in the order of their ids; heaps with an odd
  /// id count in the totals.
  Error finish();

private:
  TraceWriter &Out;
  Summary S;
  MapVector<uint32_t, HeapStats> Heaps;
  TotalStats Host;
};

} // namespace

static constexpr uint32_t moreHeap(uint32_t Number) { return 2 * Number + 1; }
static constexpr uint32_t lessHeap(uint32_t Number) { return 2 * Number + 2; }

Error StatsWriter::add(const StackStats &R) {
  if (isNothing(R))
    return Error::success();
  HeapStats &H = Heaps[R.Heap];
  H.Id = R.Heap;
  addRow(H, R);
  if (R.Heap % 2 == 1)
    addRow(Host, R);
  std::vector<StackStats> &Rows = S.Stacks.front().Rows;
  Rows.push_back(R);
  if (Rows.size() < MaxSectionRows)
    return Error::success();
  Error E = Out.write(S);
  Rows.clear();
  return E;
}

Error StatsWriter::finish() {
  S.Complete = true;
  for (auto &[Id, H] : Heaps) {
    fillFreed(H);
    S.Heaps.push_back(H);
  }
  fillFreed(Host);
  S.Spaces.push_back(Host);
  S.Events = Host.Allocations + Host.Frees;
  ProcessStats &I = S.Processes.emplace_back();
  I.Process = 1;
  I.Ended = true;
  I.Allocations = Host.Allocations;
  I.Frees = Host.Frees;
  I.LiveBytes = Host.LiveBytes;
  I.PeakBytes = Host.PeakBytes;
  // Marks events as left out on request, since the trace has only stats.
  S.Losses.push_back({1, LossKind::Events, S.Events});
  return Out.write(S);
}

/// Adds the heaps `H.more` and `H.less` for each heap of the differences.
static MapVector<uint32_t, uint32_t>
addHeaps(DictionaryWriter &Words, const DiffRuns &Runs,
         ArrayRef<Difference> Differences) {
  MapVector<uint32_t, uint32_t> Numbers;
  for (const Difference &D : Differences) {
    if (!Numbers.insert({D.Heap, Numbers.size()}).second)
      continue;
    StringRef Name = Runs.heaps()[D.Heap].Name;
    Words.heap({.Name = Words.string((Name + ".more").str())});
    Words.heap({.Name = Words.string((Name + ".less").str()),
                .Flags = HF_OutsideTotals});
  }
  return Numbers;
}

Error writeDiffTrace(Sink &Out, const DiffRuns &Runs,
                     ArrayRef<Difference> Differences,
                     ArrayRef<std::string> Command) {
  const Trace &Last = Runs.trace(Runs.size() - 1);
  Expected<std::unique_ptr<TraceWriter>> Writer =
      TraceWriter::create(Out, diffHeader(Last, Command));
  if (!Writer)
    return Writer.takeError();
  DictionaryWriter Words(**Writer, Runs);
  ProcessRecord I;
  for (const std::string &Word : Command)
    I.Command.push_back(Words.string(Word));
  Words.process(std::move(I));
  MapVector<uint32_t, uint32_t> HeapNumbers =
      addHeaps(Words, Runs, Differences);

  // The whole dictionary comes before the first row of stats.
  std::vector<uint32_t> Stacks;
  for (const Difference &D : Differences) {
    Expected<uint32_t> Stack = Words.stack(D.shown());
    if (!Stack)
      return Stack.takeError();
    Stacks.push_back(*Stack);
  }
  if (Error E = Words.flush())
    return E;
  StatsWriter Stats(**Writer);
  for (size_t N = 0; N != Differences.size(); ++N) {
    const Difference &D = Differences[N];
    uint32_t Heap = HeapNumbers[D.Heap];
    if (Error E =
            Stats.add(growthRow(Stacks[N], moreHeap(Heap), D.Before, D.After)))
      return E;
    if (Error E =
            Stats.add(growthRow(Stacks[N], lessHeap(Heap), D.After, D.Before)))
      return E;
  }
  if (Error E = Stats.finish())
    return E;
  return (*Writer)->finish();
}

} // namespace memkit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One dictionary for many traces.

#include "NameMerger.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

void NameMerger::start(const Trace &New, uint64_t Shift) {
  T = &New;
  ShiftNs = Shift;
  const IdLimits &L = New.limits();
  auto Reset = [](std::vector<uint32_t> &Ids, size_t Count) {
    Ids.assign(Count + 1, 0);
  };
  Reset(StringOf, L.Strings);
  Reset(DeviceOf, L.Devices);
  Reset(HeapOf, L.Heaps);
  Reset(BinaryOf, L.Binaries);
  Reset(FunctionOf, L.Functions);
  Reset(FrameOf, L.Frames);
  Reset(NodeOf, L.Nodes);
  Reset(StackOf, L.Stacks);
  Reset(ScopeOf, L.Scopes);
  Reset(ScopePathOf, L.ScopePaths);
  Reset(ThreadOf, L.Threads);
}

void NameMerger::finish() { Processes += T->processes().size(); }

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

uint32_t NameMerger::text(StringRef Text) {
  if (Text.empty())
    return 0;
  auto [At, IsNew] = Strings.try_emplace(Text, Strings.size() + 1);
  if (IsNew) {
    Block.Strings.push_back(Text.str());
    BlockBytes += Text.size();
  }
  return At->second;
}

uint32_t NameMerger::string(uint32_t Id) {
  if (!Id)
    return 0;
  uint32_t &Known = StringOf[Id];
  if (!Known)
    Known = text(T->string(Id));
  return Known;
}

/// The id of a definition by Key; a definition with a new key is added to the
/// block's list.
template <class Map, class Row>
static uint32_t define(Map &Ids, typename Map::key_type Key,
                       std::vector<Row> &List, Row Definition) {
  auto [At, IsNew] =
      Ids.try_emplace(std::move(Key), static_cast<uint32_t>(Ids.size() + 1));
  if (IsNew)
    List.push_back(std::move(Definition));
  return At->second;
}

uint32_t NameMerger::binary(uint32_t Id) {
  uint32_t &Known = BinaryOf[Id];
  if (Known)
    return Known;
  Binary B = T->binaries()[Id - 1];
  B.Path = string(B.Path);
  return Known = define(BinaryIds, {B.Path, B.BuildId}, Block.Binaries, B);
}

uint32_t NameMerger::newFunction(const Function &F) {
  return define(FunctionIds, {F.Name, F.File, F.Line}, Block.Functions, F);
}

uint32_t NameMerger::function(uint32_t Id) {
  uint32_t &Known = FunctionOf[Id];
  if (Known)
    return Known;
  const Function &F = T->function(Id);
  return Known = newFunction({string(F.Name), string(F.File), F.Line});
}

uint32_t NameMerger::newFrame(const Frame &F) {
  return define(FrameIds, {F.Kind, F.Container, F.Address}, Block.Frames, F);
}

uint32_t NameMerger::frame(uint32_t Id) {
  uint32_t &Known = FrameOf[Id];
  if (Known)
    return Known;
  Frame F = T->frame(Id);
  if (F.Kind == FrameKind::Native)
    F.Container = binary(F.Container);
  else if (F.Kind != FrameKind::Unknown)
    F.Container = function(F.Container);
  size_t Before = FrameIds.size();
  Known = newFrame(F);
  if (FrameIds.size() == Before)
    return Known;
  FrameSymbols S;
  S.Frame = Known;
  for (Location L : T->locations(Id))
    S.Locations.push_back({function(L.Function), L.Line});
  if (!S.Locations.empty())
    Block.Symbols.push_back(std::move(S));
  // The line's text, which is the reader's quickest answer.
  auto AddLine = [&](const Function &Of, uint32_t Line) {
    if (StringRef Text = T->sourceLine(Of.File, Line); !Text.empty())
      Block.SourceLines.push_back({string(Of.File), Line, text(Text)});
  };
  if (F.Kind == FrameKind::Python)
    AddLine(T->function(T->frame(Id).Container),
            static_cast<uint32_t>(F.Address));
  for (Location L : T->locations(Id))
    AddLine(T->function(L.Function), L.Line);
  return Known;
}

//===----------------------------------------------------------------------===//
// Stacks and scopes
//===----------------------------------------------------------------------===//

Expected<uint32_t> NameMerger::stack(uint32_t Id) {
  if (!Id)
    return 0;
  if (StackOf[Id])
    return StackOf[Id];
  if (Error E = flushIfFull())
    return std::move(E);
  // The nodes whose new ids are not known yet, innermost first.
  SmallVector<uint32_t, 64> Way;
  uint32_t Node = T->leaf(Id);
  for (; Node && !NodeOf[Node]; Node = T->parent(Node))
    Way.push_back(Node);
  if (Way.size() > MaxSectionRows / 4)
    return makeError(T->name() + ": a stack of " + Twine(Way.size()) +
                     " frames is too deep to merge");
  NewStack S;
  S.Parent = Node ? NodeOf[Node] : 0;
  for (uint32_t N : reverse(Way)) {
    uint32_t Frame = frame(T->frameOf(N));
    auto [At, IsNew] = NodeIds.try_emplace({S.Parent, Frame}, Nodes + 1);
    NodeOf[N] = At->second;
    if (!IsNew) {
      S.Parent = At->second;
      continue;
    }
    // From here on all nodes are new.
    ++Nodes;
    ++S.Length;
    Block.NodeFrames.push_back(Frame);
    for (uint32_t Inner : reverse(ArrayRef(Way).take_front(
             static_cast<size_t>(find(Way, N) - Way.begin())))) {
      Frame = frame(T->frameOf(Inner));
      NodeIds[{Nodes, Frame}] = Nodes + 1;
      NodeOf[Inner] = ++Nodes;
      ++S.Length;
      Block.NodeFrames.push_back(Frame);
    }
    break;
  }
  uint32_t Leaf = S.Length ? Nodes : S.Parent;
  auto [At, IsNew] = StackIds.try_emplace(Leaf, Stacks + 1);
  if (IsNew) {
    ++Stacks;
    Block.Stacks.push_back(S);
  }
  return StackOf[Id] = At->second;
}

Expected<uint32_t> NameMerger::namedStack(StringRef Name) {
  if (Error E = flushIfFull())
    return std::move(E);
  uint32_t Frame =
      newFrame({FrameKind::Named, newFunction({text(Name), 0, 0}), 0});
  NewStack S;
  auto [At, IsNewNode] = NodeIds.try_emplace({0, Frame}, Nodes + 1);
  if (IsNewNode) {
    ++Nodes;
    S.Length = 1;
    Block.NodeFrames.push_back(Frame);
  } else {
    S.Parent = At->second;
  }
  auto [Of, IsNew] = StackIds.try_emplace(At->second, Stacks + 1);
  if (IsNew) {
    ++Stacks;
    Block.Stacks.push_back(S);
  }
  return Of->second;
}

uint32_t NameMerger::scope(uint32_t Id) {
  uint32_t &Known = ScopeOf[Id];
  if (Known)
    return Known;
  ScopeRecord S = T->scopes()[Id - 1];
  S.Name = string(S.Name);
  return Known = define(ScopeIds, {S.Kind, S.Name, S.Color}, Block.Scopes, S);
}

uint32_t NameMerger::scopePath(uint32_t Id) {
  // Parents first, without recursion: a path may be as deep as it likes.
  SmallVector<uint32_t, 16> Way;
  for (; Id && !ScopePathOf[Id]; Id = T->scopePaths()[Id - 1].Parent)
    Way.push_back(Id);
  uint32_t Parent = Id ? ScopePathOf[Id] : 0;
  for (uint32_t Of : reverse(Way)) {
    ScopePath P = T->scopePaths()[Of - 1];
    P.Parent = Parent;
    P.Scope = P.Scope ? scope(P.Scope) : 0;
    Parent = ScopePathOf[Of] =
        define(ScopePathIds, {P.Parent, P.Scope, P.Depth}, Block.ScopePaths, P);
  }
  return Parent;
}

//===----------------------------------------------------------------------===//
// Machines, heaps, processes
//===----------------------------------------------------------------------===//

/// Two machines have a `cuda:0` each: the name gets the machine's. A name of a
/// merged trace has one already.
std::string NameMerger::hostOf(StringRef Name) const {
  const std::string &Host = T->header().Host;
  return Host.empty() || Name.contains('/') ? Name.str()
                                            : Host + "/" + Name.str();
}

/// Devices with equal names on one machine: each process may count from 0.
std::string NameMerger::freeName(std::string Name) const {
  std::string Free = Name;
  for (unsigned N = 2; is_contained(DeviceNames, Free); ++N)
    Free = Name + "~" + std::to_string(N);
  return Free;
}

uint32_t NameMerger::device(uint32_t Id) {
  if (!Id)
    return 0;
  uint32_t &Known = DeviceOf[Id];
  if (Known)
    return Known;
  Device D = T->devices()[Id - 1];
  D.Space = hostOf(D.Space);
  std::string Unique =
      D.Uuid.empty() ? D.Pci + " " + D.Space : toHex(ArrayRef<uint8_t>(D.Uuid));
  StringRef Host = StringRef(D.Space).split('/').first;
  auto [At, IsNew] = DeviceIds.try_emplace(
      {Host.str(), Unique}, static_cast<uint32_t>(DeviceIds.size() + 1));
  if (IsNew) {
    D.Space = freeName(D.Space);
    DeviceNames.push_back(D.Space);
    Block.Devices.push_back(std::move(D));
  }
  return Known = At->second;
}

/// Parents first, without recursion: heaps may be nested as deep as they like.
/// A trace may say that a heap is its own parent.
uint32_t NameMerger::heap(uint32_t Id) {
  SmallVector<uint32_t, 8> Way;
  for (uint32_t Of = Id; Of && !HeapOf[Of];) {
    Way.push_back(Of);
    uint32_t Parent = T->heap(Of).Parent;
    Of = Parent < Of ? Parent : 0;
  }
  for (uint32_t Of : reverse(Way))
    HeapOf[Of] = newHeap(Of);
  return Id ? HeapOf[Id] : 0;
}

uint32_t NameMerger::newHeap(uint32_t Id) {
  Heap H = T->heap(Id);
  H.Parent = H.Parent < Id ? HeapOf[H.Parent] : 0;
  H.Space = device(H.Space);
  StringRef Name = T->heapName(Id);
  H.Name = H.Space ? text(hostOf(Name)) : text(Name);
  return define(HeapIds, {H.Name, H.Space, H.Parent, H.Flags, H.SampleBytes},
                Block.Heaps, H);
}

Error NameMerger::addProcesses() {
  for (ProcessRecord I : T->processes()) {
    if (Error E = flushIfFull())
      return E;
    I.Parent = process(I.Parent);
    I.Exe = string(I.Exe);
    for (uint32_t &Word : I.Command)
      Word = string(Word);
    I.Role = string(I.Role);
    I.StartNs += ShiftNs;
    I.WhyNot = string(I.WhyNot);
    // An older trace has the rank in its header alone.
    if (I.Place.Rank < 0 && !I.Parent) {
      I.Place.Rank = T->header().Rank;
      I.Place.WorldSize = std::max(I.Place.WorldSize, T->header().WorldSize);
    }
    I.Place.Job = string(I.Place.Job);
    I.Place.Host = I.Place.Host ? string(I.Place.Host) : text(T->header().Host);
    Block.Processes.push_back(std::move(I));
  }
  return Error::success();
}

Error NameMerger::addLoads() {
  for (Load L : T->loads()) {
    if (Error E = flushIfFull())
      return E;
    L.Process = process(L.Process);
    L.Binary = binary(L.Binary);
    L.TimeNs += ShiftNs;
    L.EndNs += L.EndNs ? ShiftNs : 0;
    Block.Loads.push_back(L);
  }
  return Error::success();
}

uint32_t NameMerger::thread(uint32_t Id) {
  if (!Id)
    return 0;
  uint32_t &Known = ThreadOf[Id];
  if (Known)
    return Known;
  Thread Th = T->threads()[Id - 1];
  Th.Process = process(Th.Process);
  Th.Name = string(Th.Name);
  Th.StartNs += ShiftNs;
  Block.Threads.push_back(Th);
  return Known = ++Threads;
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

/// Writes the block while the largest possible stack still fits.
Error NameMerger::flushIfFull() {
  const size_t Full = MaxSectionRows / 4;
  bool IsFull = any_of(
      std::initializer_list<size_t>{
          Block.Stacks.size(), Block.NodeFrames.size(), Block.Frames.size(),
          Block.Functions.size(), Block.Strings.size(), Block.Scopes.size(),
          Block.ScopePaths.size(), Block.Processes.size(),
          Block.SourceLines.size(), Block.Threads.size(), Block.Loads.size()},
      [&](size_t Count) { return Count > Full; });
  return IsFull || BlockBytes > MaxSectionBytes / 8 ? flush()
                                                    : Error::success();
}

/// The number of Rows, from First on, that fit in a section.
template <class Row>
static size_t rowsOfSection(const std::vector<Row> &Rows, size_t First) {
  size_t End = std::min(Rows.size(), First + MaxSectionRows);
  if constexpr (std::is_same_v<Row, std::string>) {
    size_t Bytes = 0;
    for (size_t I = First; I != End; ++I)
      if (Bytes += Rows[I].size(); Bytes > MaxSectionBytes / 4 && I != First)
        return I - First;
  }
  return End - First;
}

/// Writes a list that may be too long for a section. Only the last section of a
/// list is left, in Block.
template <class Row>
Error NameMerger::writeLong(std::vector<Row> Dictionary::*List) {
  std::vector<Row> &Rows = Block.*List;
  size_t First = 0;
  for (;;) {
    size_t Count = rowsOfSection(Rows, First);
    if (First + Count == Rows.size())
      break;
    Dictionary Part;
    auto Begin = Rows.begin() + static_cast<std::ptrdiff_t>(First);
    (Part.*List).assign(Begin, Begin + static_cast<std::ptrdiff_t>(Count));
    if (Error E = Out.write(Part))
      return E;
    First += Count;
  }
  Rows.erase(Rows.begin(), Rows.begin() + static_cast<std::ptrdiff_t>(First));
  return Error::success();
}

/// Lists are in an order in which each refers to earlier lists alone. Those of
/// stacks are short: stack() writes them in time.
Error NameMerger::flush() {
  if (Block == Dictionary())
    return Error::success();
  Error E = Error::success();
  auto Write = [&](auto Dictionary::*List) {
    if (!E)
      E = writeLong(List);
  };
  Write(&Dictionary::Strings);
  Write(&Dictionary::Devices);
  Write(&Dictionary::Scopes);
  Write(&Dictionary::ScopePaths);
  Write(&Dictionary::Processes);
  Write(&Dictionary::Threads);
  Write(&Dictionary::Heaps);
  if (!E)
    E = Out.write(Block);
  Block = Dictionary();
  BlockBytes = 0;
  return E;
}

} // namespace memkit

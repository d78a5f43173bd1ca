// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rebuilds the records behind a trace.

#include "Stream.h"
#include "Model/Names/ScopeOccurrences.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

using namespace llvm;
using namespace memkit;

namespace {

/// Addresses as from an allocator with a free list for each size.
class Addresses {
public:
  explicit Addresses(uint64_t Begin) : Next(Begin) {}
  uint64_t end() const { return Next; } ///< of all addresses so far
  uint64_t take(uint64_t Size) {
    uint64_t Class = alignTo(Size + 8);
    std::vector<uint64_t> &Free = Lists[Class];
    if (Free.empty()) {
      uint64_t At = Next;
      Next += Class;
      return At;
    }
    uint64_t At = Free.back();
    Free.pop_back();
    return At;
  }
  void give(uint64_t Address, uint64_t Size) {
    Lists[alignTo(Size + 8)].push_back(Address);
  }

private:
  static uint64_t alignTo(uint64_t Size) { return (Size + 15) / 16 * 16; }
  std::map<uint64_t, std::vector<uint64_t>> Lists;
  uint64_t Next;
};

class Maker {
public:
  explicit Maker(uint32_t Process) : Process(Process) {
    Out.Nodes.emplace_back();
  }

  void add(const Dictionary &D) {
    for (const std::string &Text : D.Strings)
      Strings.push_back(Text);
    Scopes.insert(Scopes.end(), D.Scopes.begin(), D.Scopes.end());
    ScopePaths.insert(ScopePaths.end(), D.ScopePaths.begin(),
                      D.ScopePaths.end());
    for (const Heap &H : D.Heaps)
      OfObjects.push_back(H.Name && Strings[H.Name - 1] == "python.object");
    size_t Frame = 0;
    for (const NewStack &S : D.Stacks) {
      uint32_t At = S.Parent;
      for (uint32_t I = 0; I != S.Length; ++I) {
        uint32_t Code = D.NodeFrames[Frame++];
        Out.Nodes.emplace_back(At, Code);
        Out.NumCodes = std::max(Out.NumCodes, Code);
        At = uint32_t(Out.Nodes.size() - 1);
      }
      Leaves.push_back(At);
    }
  }

  Error add(const Events &E) {
    if (E.Process != Process)
      return Error::success();
    for (const Event &Row : E.Rows) {
      if (Row.Kind == EventKind::Allocate)
        allocate(Row);
      else if (Row.Kind == EventKind::Free)
        free(Row);
    }
    return Error::success();
  }

  void add(const ScopeTimes &S) {
    if (S.Process != Process)
      return;
    std::vector<ScopeChange> More = changesOf(S);
    Changes.insert(Changes.end(), More.begin(), More.end());
  }
  /// Adds the records of scopes among those of events.
  void addScopes();

  Stream Out;

private:
  struct Block {
    uint64_t Address, Size;
    bool IsObject;
  };

  uint32_t ringOf(uint32_t Thread) {
    auto [It, New] = Rings.try_emplace(Thread, Out.NumRings);
    Out.NumRings += New;
    return It->second;
  }
  template <class R> void put(const Event &E, const R &What) {
    // Events of equal time keep their order.
    LastNs = std::max(E.TimeNs, LastNs + 1);
    Out.Items.push_back({wire::encodeAt(LastNs, What), ringOf(E.Thread)});
  }
  uint32_t textOf(uint32_t Scope);
  void allocate(const Event &E) {
    bool IsObject = OfObjects[E.Heap - 1];
    uint32_t Node = E.Stack ? Leaves[E.Stack - 1] : 0;
    Block B{(IsObject ? Objects : Space).take(E.Size), E.Size, IsObject};
    Live[E.Block] = B;
    if (!IsObject)
      return put(E, wire::AllocateRecord{B.Address, E.Size,
                                         wire::AllocFunction::None, Node});
    for (; ArenasEnd < Objects.end(); ArenasEnd += ArenaBytes)
      put(E, wire::MapRecord{ArenasEnd, wire::MapClass::Used, ArenaBytes,
                             wire::AllocFunction::Mmap, 0});
    put(E, wire::ObjectAllocateRecord{B.Address, E.Size,
                                      wire::AllocFunction::PyObjectMalloc, Node,
                                      false});
  }
  void free(const Event &E) {
    auto It = Live.find(E.Block);
    if (It == Live.end())
      return;
    Block B = It->second;
    Live.erase(It);
    if (B.IsObject) {
      Objects.give(B.Address, B.Size);
      return put(E, wire::ObjectFreeRecord{B.Address});
    }
    Space.give(B.Address, B.Size);
    put(E, wire::FreeRecord{B.Address});
  }

  uint32_t Process;
  std::vector<uint32_t> Leaves; ///< node of each stack
  DenseMap<uint64_t, Block> Live;
  DenseMap<uint32_t, uint32_t> Rings;
  std::vector<std::string> Strings;
  std::vector<bool> OfObjects; ///< by heap
  Addresses Space{0x555555560000};
  /// Python maps arenas for objects.
  static constexpr uint64_t ArenaBytes = 1 << 20;
  static constexpr uint64_t FirstArena = 0x7f0000000000;
  uint64_t ArenasEnd = FirstArena;
  Addresses Objects{FirstArena};
  uint64_t LastNs = 0;
  std::vector<ScopeRecord> Scopes;
  std::vector<ScopePath> ScopePaths;
  std::vector<ScopeChange> Changes;
  DenseMap<uint32_t, uint32_t> TextOf; ///< by scope
  uint64_t TextBytes = 0;
};

} // namespace

/// The number of the text of a scope's name, laid out as in shared memory.
uint32_t Maker::textOf(uint32_t Scope) {
  auto [It, New] = TextOf.try_emplace(Scope, 0);
  if (!New)
    return It->second;
  const ScopeRecord &Of = Scopes[Scope - 1];
  std::string Text = Of.Name ? Strings[Of.Name - 1] : "";
  uint64_t Size = (sizeof(uint32_t) + Text.size() + wire::TextAlign - 1) /
                  wire::TextAlign * wire::TextAlign;
  uint64_t Left = wire::PieceBytes - TextBytes % wire::PieceBytes;
  TextBytes += Left < Size ? Left : 0;
  It->second = uint32_t(TextBytes / wire::TextAlign + 1);
  TextBytes += Size;
  Out.Texts.emplace_back(It->second, std::move(Text));
  return It->second;
}

void Maker::addScopes() {
  using Occurrence = ScopeOccurrences::ScopeOccurrence;
  std::vector<Stream::Item> Items;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> Open; // thread and depth
  uint64_t Number = 0, NowNs = 0;
  auto Put = [&](const Occurrence &Is, bool Begins) {
    uint32_t Scope = ScopePaths[Is.ScopePath - 1].Scope;
    uint64_t Kind = 0;
    switch (Scopes[Scope - 1].Kind) {
    case ScopeKind::Layer:
      Kind = wire::SF_Layer;
      break;
    case ScopeKind::Operator:
      Kind = wire::SF_Operator;
      break;
    case ScopeKind::Range:
      Kind = wire::SF_Range;
      break;
    default:
      return; // the recorder enters phases and lines itself
    }
    uint64_t &Of = Open[{Is.Thread, Is.Depth}];
    if (Begins)
      Of = ++Number;
    wire::Record R =
        Begins ? wire::encodeAt(
                     NowNs, wire::ScopeBeginRecord{textOf(Scope), Kind, Of, 0})
               : wire::encodeAt(NowNs, wire::ScopeEndRecord{Of});
    Items.push_back({R, ringOf(Is.Thread)});
  };
  ScopeOccurrences All(ScopePaths);
  for (const ScopeChange &C : Changes) {
    NowNs = std::max(NowNs, C.TimeNs);
    All.change(C.Thread, C.ScopePath, NowNs, Put);
  }
  Out.NumScopes = Number;
  std::vector<Stream::Item> Merged;
  std::merge(Out.Items.begin(), Out.Items.end(), Items.begin(), Items.end(),
             std::back_inserter(Merged),
             [](const Stream::Item &A, const Stream::Item &B) {
               return A.R.Tsc < B.R.Tsc;
             });
  Out.Items = std::move(Merged);
}

/// Calls F with each section in file order.
template <class F> static Error forEachSection(StringRef Path, F Do) {
  auto Blocks = SectionStream::open(Path);
  if (!Blocks)
    return Blocks.takeError();
  for (;;) {
    auto Next = (*Blocks)->next();
    if (!Next)
      return Next.takeError();
    if (!*Next)
      return Error::success();
    if (Error E = Do(**Next))
      return E;
  }
}

Expected<Stream> memkit::makeStream(StringRef Path, bool WithScopes) {
  std::map<uint32_t, uint64_t> Counts;
  if (Error E = forEachSection(Path, [&](const AnySection &B) -> Error {
        if (auto *Ev = std::get_if<Events>(&B))
          Counts[Ev->Process] += Ev->Rows.size();
        return Error::success();
      }))
    return E;
  if (Counts.empty())
    return createStringError("the trace has no events");
  uint32_t Max = Counts.begin()->first;
  for (auto &[Process, Count] : Counts)
    if (Count > Counts[Max])
      Max = Process;
  Maker M(Max);
  M.Out.Items.reserve(Counts[Max]);
  if (Error E = forEachSection(Path, [&](const AnySection &B) -> Error {
        if (auto *D = std::get_if<Dictionary>(&B))
          M.add(*D);
        else if (auto *Ev = std::get_if<Events>(&B))
          return M.add(*Ev);
        else if (auto *S = std::get_if<ScopeTimes>(&B))
          M.add(*S);
        return Error::success();
      }))
    return E;
  if (WithScopes)
    M.addScopes();
  return std::move(M.Out);
}

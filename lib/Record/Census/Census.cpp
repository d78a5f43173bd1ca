// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lives in a program that runs, read from its memory alone.

#include "Census/Census.h"
#include "Census/Arrays.h"
#include "Census/GlobalNames.h"
#include "Census/JemallocBlocks.h"
#include "Census/PythonNames.h"
#include "Census/PythonPools.h"
#include "Census/TouchedPages.h"
#include "Shared/HostLimits.h"
#include "Shared/MemoryGroup.h"
#include "Shared/ProcFs.h"
#include "Support/Failure.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/CensusNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <chrono>

using namespace llvm;
using namespace memkit;

static uint64_t nowNs() {
  return uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// Names the blocks without a way to them by what they are.
static void nameLost(Census &C, const BlockKinds &Kinds,
                     ArrayRef<BlockGraph::GraphBlock> Blocks) {
  uint32_t Root = 0;
  DenseMap<uint32_t, uint32_t> Below; // by name of the kind
  for (size_t I = 0; I != Blocks.size(); ++I) {
    if (Blocks[I].Node)
      continue;
    C.LostBytes += Blocks[I].Bytes;
    ++C.LostBlocks;
    if (!Root) {
      Root = uint32_t(C.Names.size());
      C.Names.push_back({0, NoPointerLeads, ""});
    }
    uint32_t &Node = Below[Blocks[I].Is.Name];
    if (!Node && Blocks[I].Is) {
      Node = uint32_t(C.Names.size());
      C.Names.push_back({Root, Kinds.name(Blocks[I].Is.Name), ""});
    }
    C.Blocks[I].Name = Node ? Node : Root;
  }
}

/// The bytes that blocks of these kinds are or hold.
static uint64_t bytesBelow(const DenseSet<uint32_t> &Kinds,
                           const BlockGraph &Graph) {
  // A node's parent has a lower number.
  std::vector<bool> IsBelow(Graph.tree().size());
  for (uint32_t N = 1; N != IsBelow.size(); ++N)
    IsBelow[N] =
        IsBelow[Graph.tree()[N].Parent] || Kinds.contains(Graph.kindOf(N));
  uint64_t Bytes = 0;
  for (const BlockGraph::GraphBlock &B : Graph.blocks())
    Bytes += IsBelow[B.Node] ? B.Bytes : 0;
  return Bytes;
}

/// Joins names of little memory with the names above them: a program has a
/// hundred thousand.
static void joinSmall(Census &C) {
  constexpr uint64_t Share = 20'000, Least = 1024;
  std::vector<uint64_t> Bytes(C.Names.size());
  uint64_t All = 0;
  for (const Census::CountedBlock &B : C.Blocks) {
    Bytes[B.Name] += B.Bytes;
    All += B.Bytes;
  }
  // A name's parent has a lower number.
  for (size_t N = C.Names.size(); N-- > 1;)
    Bytes[C.Names[N].Parent] += Bytes[N];
  std::vector<uint32_t> New(C.Names.size());
  std::vector<BlockGraph::HolderName> Kept{{}};
  for (size_t N = 1; N != C.Names.size(); ++N) {
    uint32_t Parent = New[C.Names[N].Parent];
    if (Bytes[N] < std::max(Least, All / Share) && C.Names[N].Parent) {
      New[N] = Parent;
      continue;
    }
    New[N] = uint32_t(Kept.size());
    Kept.push_back(std::move(C.Names[N]));
    Kept.back().Parent = Parent;
  }
  for (Census::CountedBlock &B : C.Blocks)
    B.Name = New[B.Name];
  C.Names = std::move(Kept);
}

namespace {

/// All live blocks, and where their allocators keep them.
struct AllBlocks {
  std::vector<FoundBlock> Live;
  std::vector<std::pair<uint64_t, uint64_t>> Taken, Unread;
  bool HasPython = false, HasJemalloc = false;
};

} // namespace

static void addMalloc(const TargetMemory &Memory, ArrayRef<TargetMap> Maps,
                      AllBlocks &All, Census &C) {
  for (const FoundMalloc &Malloc : findMalloc(Memory, Maps)) {
    ArenaWalk Walk(Memory, Maps, Malloc);
    Walk.walk();
    append_range(All.Live, Walk.live());
    append_range(All.Taken, Walk.ranges());
    append_range(All.Unread, Walk.unread());
    // The other arenas lie in their own memory.
    for (const FoundArena &A : Malloc.Arenas)
      if (A.IsMain)
        All.Taken.push_back({A.At, A.End});
    C.FreeBytes += Walk.sums().FreeBytes;
    C.CachedBytes += Walk.sums().CachedBytes;
    C.TopBytes += Walk.sums().TopBytes;
    C.UnreadBytes += Walk.sums().UnreadBytes;
  }
}

static AllBlocks findBlocks(const TargetMemory &Memory,
                            ArrayRef<TargetMap> Maps, Census &C) {
  AllBlocks All;
  addMalloc(Memory, Maps, All, C);
  JemallocBlocks Je(Memory, Maps);
  Je.find(All.Taken);
  for (const std::string &Name : Je.privateNames())
    C.Private.push_back({Name});
  C.FreeBytes += Je.freeBytes();
  C.CachedBytes += Je.cachedBytes();
  All.HasJemalloc = !Je.live().empty();
  append_range(All.Live, Je.live());
  append_range(All.Taken, Je.ranges());
  joinRanges(All.Taken);
  PythonPools Pools(Memory, Maps);
  Pools.walk(All.Taken);
  C.PythonFreeBytes = Pools.freeBytes();
  append_range(All.Live, Pools.live());
  All.HasPython = Pools.numPools();
  return All;
}

/// The file of an allocator that stands in for glibc's, and is not known.
static std::string otherMalloc(ArrayRef<TargetMap> Maps, bool HasJemalloc) {
  static constexpr StringLiteral Known[] = {"libjemalloc", "libtcmalloc",
                                            "libmimalloc"};
  for (const TargetMap &M : Maps) {
    StringRef Name = sys::path::filename(M.Path);
    if (any_of(Known, [&](StringRef K) { return Name.starts_with(K); }) &&
        !(HasJemalloc && Name.starts_with(Known[0])))
      return Name.str();
  }
  return "";
}

/// A language that keeps its objects in a heap of its own, which is not read.
static std::string collectedHeap(ArrayRef<TargetMap> Maps) {
  static constexpr std::pair<StringLiteral, StringLiteral> Known[] = {
      {"libjvm.so", "Java"}, {"node", "JavaScript"}};
  for (const TargetMap &M : Maps) {
    StringRef Name = sys::path::filename(M.Path);
    for (const auto &[File, Language] : Known)
      if (M.IsExecutable && Name == File)
        return Language.str();
  }
  return "";
}

/// The census must not be what makes the kernel kill the program: in a
/// container both share a limit.
static Error checkRoom(size_t NumBlocks) {
  // Of the graph, the census and the recorder's table.
  constexpr uint64_t BytesOfBlock = 120;
  HostUse Machine;
  readMemInfo(procfs::readFile("/proc/meminfo"), Machine);
  uint64_t Left = std::min(MemoryGroup::own().left(), Machine.RamAvailable),
           Need = NumBlocks * BytesOfBlock;
  if (!Machine.Ram || Need <= Left / 2)
    return Error::success();
  return makeError("has " + formatCount(NumBlocks) +
                   " blocks, for which memrec would take " + formatSize(Need) +
                   ", and only " + formatSize(Left) + " are left here");
}

/// Looks again: notes how much has changed meanwhile. What was a block at one
/// look alone has been freed by now, or was none: a list of free blocks changed
/// while it was read.
static void compare(const TargetMemory &Memory, ArrayRef<TargetMap> Maps,
                    BlockGraph &Graph, Census &C) {
  Census Unused;
  DenseMap<uint64_t, uint64_t> Now; // bytes by address
  for (const FoundBlock &B : findBlocks(Memory, Maps, Unused).Live)
    Now[B.Address] = B.Bytes;
  uint64_t Same = 0;
  for (const BlockGraph::GraphBlock &B : Graph.blocks())
    Same += Now.lookup(B.Address) == B.Bytes;
  C.ChangedBlocks = Graph.blocks().size() - Same + (Now.size() - Same);
  Graph.dropIf([&](const BlockGraph::GraphBlock &B) {
    return Now.lookup(B.Address) != B.Bytes;
  });
}

/// Whether the memory is still that of the program.
static Error checkThere(const TargetMemory &Memory, ArrayRef<TargetMap> Maps) {
  // The first page may be unreadable, but not all first pages.
  uint8_t Byte;
  for (const TargetMap &M : Maps.take_front(8))
    if (M.IsReadable && Memory.read(M.Start, Byte))
      return Error::success();
  return makeError("has ended, or runs another program by now");
}

/// What such an allocator has at most.
static std::string anonymousText(pid_t Pid) {
  uint64_t Bytes = procfs::anonymousBytes(Pid);
  return Bytes ? "; " + formatSize(Bytes) +
                     " of the process are memory of no file"
               : "";
}

/// The bytes and blocks of an owner.
static std::pair<uint64_t &, uint64_t &> sumsOf(Census &C, uint8_t Owner) {
  if (Owner >= FirstPrivateOwner) {
    Census::PrivateSum &P = C.Private[Owner - FirstPrivateOwner];
    return {P.Bytes, P.Blocks};
  }
  if (Owner == PythonOwner)
    return {C.PythonBytes, C.PythonBlocks};
  return {C.MallocBytes, C.MallocBlocks};
}

Expected<Census>
memkit::takeCensus(const TargetMemory &Memory,
                   std::optional<std::vector<uint64_t>> Registers) {
  uint64_t Begin = nowNs();
  std::vector<TargetMap> Maps = Memory.maps();
  if (Maps.empty())
    return makeError("has ended");
  Census C;
  AllBlocks All = findBlocks(Memory, Maps, C);
  if (Error E = checkThere(Memory, Maps))
    return std::move(E);
  if (Error E = checkRoom(All.Live.size()))
    return std::move(E);
  C.OtherMalloc = otherMalloc(Maps, All.HasJemalloc);
  C.Collected = collectedHeap(Maps);
  if (All.Live.empty())
    return makeError("has no blocks that memrec can find: its allocator is " +
                     (C.OtherMalloc.empty()
                          ? "neither glibc's malloc nor jemalloc"
                          : C.OtherMalloc) +
                     anonymousText(Memory.pid()));
  BlockKinds Kinds(Memory, Maps);
  BlockGraph Graph(Memory, Kinds, All.HasPython);
  Graph.setBlocks(std::move(All.Live));
  DenseSet<uint32_t> Arrays = nameArrays(Memory, Kinds, Graph);
  addPythonNames(Memory, Kinds, Graph);
  Graph.follow();
  followGlobals(Memory, Maps, All.Taken, All.Unread, Graph);
  for (uint64_t Word :
       Registers ? *Registers : procfs::callArguments(Memory.pid()))
    Graph.addRoot(Word, "[registers of threads]", "");
  Graph.followAll();
  if (!Registers)
    compare(Memory, Maps, Graph, C);
  if (Error E = checkThere(Memory, Maps))
    return std::move(E);

  C.Names = Graph.tree();
  C.Blocks.reserve(Graph.blocks().size());
  for (const BlockGraph::GraphBlock &B : Graph.blocks()) {
    C.Blocks.push_back({B.Address, B.Bytes, B.Node, B.Owner});
    auto [Bytes, Blocks] = sumsOf(C, B.Owner);
    Bytes += B.Bytes;
    ++Blocks;
  }
  C.ArrayBytes = bytesBelow(Arrays, Graph);
  nameLost(C, Kinds, Graph.blocks());
  joinSmall(C);
  C.TookNs = nowNs() - Begin;
  return C;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recordings of memray, header versions 7 to 13: plain or in an LZ4 frame, with
// or without native stacks, and aggregated.
//
// A recording is a stream of small records that share state: the current
// thread, a stack for each thread, and the last value of several fields, from
// which the next one differs. Records have no time; one record each 10 ms has
// the time and the resident bytes. A recording that was killed ends somewhere,
// and a plain file then ends with zeros.

#include "Import/Build/BlockTable.h"
#include "Import/Build/Formats.h"
#include "Import/Build/MappingTable.h"
#include "MemrayStacks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace memkit;

bool memkit::isMemray(StringRef First) {
  return First.starts_with(MemrayMagic);
}

namespace {

/// What a number for an allocator means.
struct MemrayAllocator {
  enum AllocatorKind : uint8_t { None, Allocate, Free, Map, Unmap };
  AllocatorKind Kind = None;
  bool IsObject = false; ///< of Python's own allocators
  StringRef Name = "";
};

/// By number, from version 12 on.
constexpr MemrayAllocator NewAllocators[16] = {
    {},
    {MemrayAllocator::Free, true, "pymalloc_free"},
    {MemrayAllocator::Allocate, true, "pymalloc_malloc"},
    {MemrayAllocator::Allocate, true, "pymalloc_calloc"},
    {MemrayAllocator::Allocate, true, "pymalloc_realloc"},
    {MemrayAllocator::Free, false, "free"},
    {MemrayAllocator::Allocate, false, "malloc"},
    {MemrayAllocator::Allocate, false, "realloc"},
    {MemrayAllocator::Allocate, false, "calloc"},
    {MemrayAllocator::Allocate, false, "posix_memalign"},
    {MemrayAllocator::Allocate, false, "aligned_alloc"},
    {MemrayAllocator::Allocate, false, "memalign"},
    {MemrayAllocator::Allocate, false, "valloc"},
    {MemrayAllocator::Allocate, false, "pvalloc"},
    {MemrayAllocator::Map, false, "mmap"},
    {MemrayAllocator::Unmap, false, "munmap"},
};
/// Up to version 11, by number: the number from version 12 on.
constexpr uint8_t OldAllocators[16] = {0,  6,  5,  8,  7, 9, 10, 11,
                                       12, 13, 14, 15, 2, 3, 4,  1};

class MemrayReader {
public:
  MemrayReader(ByteReader &In, TraceBuilder &To, const MemrayHeader &H,
               uint64_t End)
      : In(In), To(To), H(H), End(End), Process(addProcess()),
        Stacks(H, To, Process), Mappings(To, Process) {
    Malloc = To.heap("host.malloc", 0, 0, flags());
    Mmap = To.heap("host.mmap", 0, 0, flags());
    if (H.HasPythonAllocators)
      Object = To.heap("python.object", 0, 0, flags());
  }

  Error read() {
    while (!IsDone && !In.atEnd() && In.offset() < End) {
      uint64_t At = In.offset();
      const char *Why = record(In.u8());
      if (In.failed())
        break;
      if (Why)
        return In.fail(Why, At);
    }
    return finish();
  }

private:
  static constexpr size_t MaxName = 1 << 16;

  uint32_t flags() const { return H.IsAggregated ? HF_Sums : HF_None; }

  uint32_t addProcess() {
    ProcessRecord P;
    P.Pid = H.Pid;
    To.Head.Command = memrayCommand(H.Command);
    for (const std::string &Word : To.Head.Command)
      P.Command.push_back(To.string(Word));
    if (!P.Command.empty())
      P.Exe = P.Command.front();
    // A Python process is named after its script or module.
    ArrayRef<std::string> Words = To.Head.Command;
    if (Words.size() > 2 && Words[1] == "-m")
      P.Role = To.string(Words[2]);
    else if (Words.size() > 1 && Words[1][0] != '-')
      P.Role = To.string(sys::path::filename(Words[1]));
    To.Head.Pid = H.Pid;
    To.Head.Start.RealtimeNs = H.StartMs * 1000000;
    return To.addProcess(P);
  }

  //===--------------------------------------------------------------------===//
  // Numbers
  //===--------------------------------------------------------------------===//

  int64_t signedVarint() {
    uint64_t Value = In.varint();
    return int64_t(Value >> 1) ^ -int64_t(Value & 1);
  }
  /// A value by its difference to the last value of the field.
  uint64_t delta(uint64_t &Last) { return Last += uint64_t(signedVarint()); }

  uint64_t pointer(uint32_t CacheIndex) {
    constexpr uint32_t NotCached = 15;
    if (CacheIndex != NotCached)
      return Recent[CacheIndex];
    uint64_t Address = delta(LastPointer) << 3;
    std::copy_backward(std::begin(Recent), std::end(Recent) - 1,
                       std::end(Recent));
    return Recent[0] = Address;
  }

  //===--------------------------------------------------------------------===//
  // Records. The result is null, or what is wrong.
  //===--------------------------------------------------------------------===//

  const char *record(uint8_t Byte) {
    if (H.IsAggregated)
      return aggregatedRecord(Byte);
    if (!H.hasCodeObjects())
      return oldRecord(Byte & 15, Byte >> 4);
    if (Byte & 128)
      return allocation(NewAllocators, Byte);
    if (Byte & 64)
      return pushCode(Byte & 1);
    if (Byte & 32)
      return object(Byte & 31);
    if (Byte & 16)
      return pop(1 + (Byte & 15));
    switch (Byte) {
    case 0: // of a file that was not written to its end
      In.skipRest();
      return nullptr;
    case 1:
      IsDone = true;
      return nullptr;
    case 2:
      return resident();
    case 14:
      return codeObject();
    default:
      return commonRecord(Byte);
    }
  }

  const char *oldRecord(uint8_t Type, uint8_t Flags) {
    switch (Type) {
    case 0:
      IsDone = Flags == 1;
      if (!Flags)
        In.skipRest();
      return Flags > 1 ? "a record of an unknown kind" : nullptr;
    case 1:
    case 2:
      return oldAllocation(Flags, Type == 2);
    case 3:
      return oldFrame(Flags);
    case 4:
      return pushOld();
    case 9:
      return pop(1 + size_t(Flags));
    case 11:
      return resident();
    default:
      return commonRecord(Type);
    }
  }

  /// What all versions and aggregated files have under the same number.
  const char *commonRecord(uint8_t Type) {
    switch (Type) {
    case 5: {
      uint64_t Ip = delta(LastIp);
      Stacks.addNative(Ip, delta(LastNative));
      return nullptr;
    }
    case 6:
      Stacks.newModules();
      return nullptr;
    case 7:
      return segments();
    case 10: {
      std::string Name = In.zeroTerminated(MaxName).str();
      // The name comes when the thread is there already.
      if (Current && Current->Thread == 0)
        Current->Name = Name;
      return nullptr;
    }
    case 12:
      return contextSwitch(In.u64());
    default:
      return "a record of an unknown kind";
    }
  }

  const char *segments() {
    std::string Path = In.zeroTerminated(MaxName).str();
    uint64_t Count = In.varint(), Bias = In.u64();
    for (uint64_t I = 0; I != Count && !In.failed(); ++I) {
      constexpr uint8_t Segment = 8;
      if ((In.u8() & (H.hasCodeObjects() ? 255 : 15)) != Segment)
        return In.failed() ? nullptr : "a binary lacks a segment";
      uint64_t Begin = In.u64();
      Stacks.modules().add(Path, Bias, Bias + Begin, In.varint());
    }
    return nullptr;
  }

  struct MemrayThread {
    uint64_t Tid = 0;
    uint32_t Thread = 0; ///< of the trace; 0: no event yet
    std::string Name;
    std::vector<MemrayFrame> Python; ///< without memray's own frames
    std::vector<uint32_t> Nodes;     ///< by depth in Python
    size_t Hidden = 0;               ///< memray's own frames, outermost
  };

  const char *contextSwitch(uint64_t Tid) {
    auto [It, New] = Threads.try_emplace(Tid);
    Current = &It->second;
    Current->Tid = Tid;
    return nullptr;
  }

  uint32_t thread() {
    if (!Current->Thread)
      Current->Thread =
          To.addThread(Process, uint32_t(Current->Tid), Current->Name);
    return Current->Thread;
  }

  const char *push(MemrayFrame F) {
    if (!Current)
      return "a frame of no thread";
    constexpr size_t MaxDepth = size_t(1) << 20;
    if (Current->Nodes.size() >= MaxDepth)
      return "a stack of more than a million frames";
    if (H.SkippedFrames > Current->Hidden && Current->Python.empty() &&
        Current->Tid == H.MainThread) {
      ++Current->Hidden;
      return nullptr;
    }
    uint32_t Parent = Current->Nodes.empty() ? 0 : Current->Nodes.back();
    Current->Python.push_back(F);
    Current->Nodes.push_back(To.path(Parent, F.Frame).Node);
    return nullptr;
  }

  const char *pushCode(bool IsEntry) {
    uint64_t Code = In.varint();
    int64_t Instruction = signedVarint();
    return In.failed() ? nullptr
                       : push(Stacks.frameAt(Code, Instruction, IsEntry));
  }

  const char *pushOld() {
    const MemrayFrame *F = Stacks.frame(delta(LastFrame));
    if (!F)
      return In.failed() ? nullptr : "a frame that is not defined";
    return push(*F);
  }

  const char *pop(size_t Count) {
    if (!Current)
      return "a frame of no thread";
    for (; Count; --Count) {
      if (!Current->Python.empty()) {
        Current->Python.pop_back();
        Current->Nodes.pop_back();
      } else if (Current->Hidden) {
        --Current->Hidden;
      } else {
        return "more frames end than have begun";
      }
    }
    return nullptr;
  }

  const char *oldFrame(uint8_t Flags) {
    uint64_t Id = delta(LastFrame);
    std::string Function = In.zeroTerminated(MaxName).str();
    std::string File = In.zeroTerminated(MaxName).str();
    uint64_t Line = delta(LastLine);
    if (In.failed())
      return nullptr;
    return Stacks.addFrame(Id, Function, File, int64_t(Line), !(Flags & 1))
               ? nullptr
               : "two frames have one number";
  }

  const char *codeObject() {
    uint64_t Id = In.varint();
    std::string Function = In.zeroTerminated(MaxName).str();
    std::string File = In.zeroTerminated(MaxName).str();
    auto FirstLine = int32_t(delta(LastLine));
    StringRef Lines = In.take(In.varint());
    Stacks.addCode(Id, Function, File, FirstLine, Lines);
    return nullptr;
  }

  const char *resident() {
    uint64_t Rss = In.varint(), Ms = In.varint();
    // The clock is the system's, and may be set.
    if (Ms <= MaxMs)
      NowNs = std::max(NowNs, Ms * 1000000);
    markResident(Rss);
    return nullptr;
  }

  void markResident(uint64_t Rss) {
    Mark M;
    M.Kind = MarkKind::Rss;
    M.Process = Process;
    M.TimeNs = NowNs;
    M.Values = {Rss};
    To.mark(std::move(M));
  }

  /// An object of Python has no size, so the record is no block.
  void addObject() {
    ++Objects;
    To.loss(Process, LossKind::NotImported);
  }

  const char *object(uint8_t Flags) {
    pointer(Flags >> 1 & 15);
    if (H.HasNative && Flags & 1)
      delta(LastNative);
    addObject();
    return nullptr;
  }

  //===--------------------------------------------------------------------===//
  // Allocations
  //===--------------------------------------------------------------------===//

  const char *allocation(ArrayRef<MemrayAllocator> Allocators, uint8_t Byte) {
    uint64_t Address = pointer(Byte >> 3 & 15);
    uint8_t Number = Byte & 7 ? Byte & 7 : In.u8();
    if (Number > 15 || !Allocators[Number].Kind)
      return In.failed() ? nullptr : "an allocator that is not known";
    const MemrayAllocator &A = Allocators[Number];
    bool IsFree = A.Kind == MemrayAllocator::Free;
    uint64_t NativeId = H.HasNative && !IsFree ? delta(LastNative) : 0;
    return event(A, Address, IsFree ? 0 : In.varint(), NativeId);
  }

  const char *oldAllocation(uint8_t Number, bool IsNative) {
    const MemrayAllocator &A = NewAllocators[OldAllocators[Number]];
    if (!A.Kind)
      return "an allocator that is not known";
    uint64_t Address = delta(LastPointer);
    bool HasSize = IsNative || A.Kind != MemrayAllocator::Free;
    uint64_t Size = HasSize ? In.varint() : 0;
    return event(A, Address, Size, IsNative ? delta(LastNative) : 0);
  }

  const char *event(const MemrayAllocator &A, uint64_t Address, uint64_t Size,
                    uint64_t NativeId) {
    if (In.failed())
      return nullptr;
    if (!Current)
      return "an allocation of no thread";
    if (!BlockTable::takes(Address))
      return "a block at an address that no process has";
    // A killed recording has a part of a record, and then zeros.
    if (In.offset() > End)
      return nullptr;
    switch (A.Kind) {
    case MemrayAllocator::Unmap:
      Mappings.unmap(thread(), NowNs, Address, Size);
      return nullptr;
    case MemrayAllocator::Free:
      if (std::optional<BlockTable::Entry> B = Live.take(Address))
        To.free(Process, thread(), NowNs, B->Block);
      // Else the block is from before the recording.
      return nullptr;
    default:
      break;
    }
    ImportedBlock B;
    B.Address = Address;
    B.Size = Size;
    uint32_t Node = Current->Nodes.empty() ? 0 : Current->Nodes.back();
    B.Stack = Stacks.stack(Current->Python, Node, NativeId, A.Name);
    if (A.Kind == MemrayAllocator::Map) {
      B.Heap = Mmap;
      Mappings.map(thread(), NowNs, B);
      return nullptr;
    }
    B.Heap = A.IsObject && Object ? Object : Malloc;
    if (std::optional<BlockTable::Entry> Old = Live.take(Address)) {
      To.loss(Process, LossKind::DoubleAllocate);
      To.free(Process, thread(), NowNs, Old->Block);
    }
    Live.add(Address, {To.allocate(Process, thread(), NowNs, B), Size});
    if (Live.size() <= In.bounds().blocks())
      return nullptr;
    Problem = In.bounds().tooManyBlocks();
    return Problem.c_str();
  }

  //===--------------------------------------------------------------------===//
  // Aggregated files
  //===--------------------------------------------------------------------===//

  const char *aggregatedRecord(uint8_t Byte) {
    switch (Byte) {
    case 0:
      In.skipRest();
      return nullptr;
    case 1:
      return memorySnapshot();
    case 2:
      return sum();
    case 3:
      return traceNode();
    case 4:
      return aggregatedFrame();
    case 13: // an object without a size
      addObject();
      In.varint();
      if (H.HasNative)
        In.varint();
      return nullptr;
    case 14:
      return codeObject();
    case 15:
      IsDone = true;
      return nullptr;
    default:
      return commonRecord(Byte);
    }
  }

  const char *memorySnapshot() {
    uint64_t Ms = In.u64(), Rss = In.u64();
    In.u64(); // bytes of the heap
    if (In.failed())
      return nullptr;
    if (Ms >= H.StartMs && Ms - H.StartMs <= MaxMs)
      Samples.push_back({(Ms - H.StartMs) * 1000000, Rss});
    return nullptr;
  }

  const char *aggregatedFrame() {
    uint64_t Id = H.hasCodeObjects() ? In.varint() : In.u64();
    if (H.hasCodeObjects()) {
      uint64_t Code = In.varint();
      int64_t Instruction = signedVarint();
      bool IsEntry = In.u8() != 0;
      if (!In.failed())
        AggregatedFrames[Id] = Stacks.frameAt(Code, Instruction, IsEntry);
      return nullptr;
    }
    std::string Function = In.zeroTerminated(MaxName).str();
    std::string File = In.zeroTerminated(MaxName).str();
    auto Line = int32_t(In.u32());
    bool IsEntry = In.u8() != 0;
    if (!In.failed() && Stacks.addFrame(Id, Function, File, Line, IsEntry))
      AggregatedFrames[Id] = *Stacks.frame(Id);
    return nullptr;
  }

  const char *traceNode() {
    uint64_t Id = H.hasCodeObjects() ? In.varint() : In.u64();
    uint64_t Parent = H.hasCodeObjects() ? In.varint() : In.u32();
    if (In.failed())
      return nullptr;
    auto It = AggregatedFrames.find(Id);
    if (It == AggregatedFrames.end() || Parent > Tree.size())
      return "a stack of frames that are not there";
    Tree.push_back(
        {It->second, Parent, Parent ? Tree[Parent - 1].Depth + 1 : 1});
    return nullptr;
  }

  /// The Python frames of a node, outermost first, without memray's own.
  std::vector<MemrayFrame> framesOf(uint64_t Node, uint64_t Tid) const {
    std::vector<MemrayFrame> Frames;
    for (uint64_t At = Node; At; At = Tree[At - 1].Parent)
      Frames.push_back(Tree[At - 1].Frame);
    size_t Skip = Tid == H.MainThread
                      ? std::min<size_t>(H.SkippedFrames, Frames.size())
                      : 0;
    Frames.resize(Frames.size() - Skip);
    std::reverse(Frames.begin(), Frames.end());
    return Frames;
  }

  const char *sum() {
    uint64_t Tid = In.u64();
    uint8_t Number = In.u8();
    In.skip(7); // up to the next field of 8 bytes
    uint64_t NativeId = In.u64(), Node = In.u64();
    In.u64(); // the generation of the list of binaries
    uint64_t PeakCount = In.u64();
    In.u64(); // blocks that were left at the end
    uint64_t PeakBytes = In.u64();
    In.u64(); // bytes that were left at the end
    if (In.failed())
      return nullptr;
    if (!H.hasCodeObjects() && Number < 16)
      Number = OldAllocators[Number];
    if (Number > 15 || !NewAllocators[Number].Kind || Node > Tree.size() ||
        PeakBytes > MaxSum || PeakCount > MaxSum)
      return "a sum of no stack or allocator";
    const MemrayAllocator &A = NewAllocators[Number];
    contextSwitch(Tid);
    std::vector<MemrayFrame> Python = framesOf(Node, Tid);
    uint32_t PythonNode = 0;
    for (MemrayFrame F : Python)
      PythonNode = To.path(PythonNode, F.Frame).Node;
    ImportedBlock B;
    B.Stack = Stacks.stack(Python, PythonNode, NativeId, A.Name);
    B.Heap = A.Kind == MemrayAllocator::Map ? Mmap
             : A.IsObject && Object         ? Object
                                            : Malloc;
    To.allocateSum(Process, thread(), 0, B, PeakCount, PeakBytes);
    return nullptr;
  }

  //===--------------------------------------------------------------------===//
  // The end
  //===--------------------------------------------------------------------===//

  Error finish() {
    // A killed recording may end in the middle of a record: what is there
    // counts.
    if (In.failed() && !In.endsEarly())
      return In.takeError();
    // Version 7 has no record at the end; its header is written last.
    IsDone |= H.Version < 8 && H.Allocations;
    if (!IsDone)
      To.warn("the recording ends early: memray or its program was killed");
    for (auto [TimeNs, Rss] : Samples) {
      NowNs = TimeNs;
      markResident(Rss);
    }
    if (IsDone && H.EndMs >= H.StartMs && H.EndMs - H.StartMs <= MaxMs)
      NowNs = std::max(NowNs, (H.EndMs - H.StartMs) * 1000000);
    if (!H.IsAggregated)
      To.endProcess(Process, NowNs);
    if (Objects)
      To.warn(Twine(Objects) +
              " records of Python objects have no size, and are left out");
    if (H.IsAggregated) {
      To.lacks(Lack::Frees);
      To.lacks(Lack::Addresses);
    } else {
      To.lacks(Lack::ExactTimes);
      To.lacks(Lack::Allocations);
    }
    Stacks.modules().report(To);
    return Error::success();
  }

  struct TreeNode {
    MemrayFrame Frame;
    uint64_t Parent;
    uint64_t Depth;
  };
  static constexpr uint64_t MaxMs = uint64_t(1) << 43;
  static constexpr uint64_t MaxSum = uint64_t(1) << 56;

  ByteReader &In;
  TraceBuilder &To;
  const MemrayHeader &H;
  uint64_t End; ///< of the recording in the data; zeros follow
  uint32_t Process;
  MemrayStacks Stacks;
  MappingTable Mappings;
  BlockTable Live;
  std::string Problem; ///< the text of an error
  uint32_t Malloc = 0, Mmap = 0, Object = 0;
  std::map<uint64_t, MemrayThread> Threads; ///< by tid
  MemrayThread *Current = nullptr;
  uint64_t NowNs = 0, Objects = 0;
  uint64_t LastIp = 0, LastNative = 0, LastPointer = 0, LastFrame = 0,
           LastLine = 0;
  uint64_t Recent[15] = {}; ///< addresses, the newest first
  bool IsDone = false;
  // Of aggregated files.
  std::unordered_map<uint64_t, MemrayFrame> AggregatedFrames;
  std::vector<TreeNode> Tree;
  std::vector<std::pair<uint64_t, uint64_t>> Samples; ///< time, resident bytes
};

/// The end of the data of an uncompressed file, which may end with zeros.
Expected<uint64_t> endOfData(const ImportFile &File) {
  auto Packed = File.compression();
  if (!Packed)
    return Packed.takeError();
  if (!Packed->empty())
    return UINT64_MAX;
  std::vector<uint8_t> Scratch;
  constexpr uint64_t Chunk = 1 << 16;
  for (uint64_t End = File.size(); End;) {
    uint64_t Begin = End > Chunk ? End - Chunk : 0;
    auto Bytes = File.bytes()->read(Begin, size_t(End - Begin), Scratch);
    if (!Bytes)
      return Bytes.takeError();
    StringRef Part = toStringRef(*Bytes).rtrim('\0');
    if (!Part.empty())
      return Begin + Part.size();
    End = Begin;
  }
  return 0;
}

} // namespace

Error memkit::readMemray(const ImportFile &File, TraceBuilder &To,
                         const ProgressCallback &OnProgress) {
  Expected<ByteReader> In = ByteReader::open(File, OnProgress);
  if (!In)
    return In.takeError();
  Expected<MemrayHeader> H = readMemrayHeader(*In);
  if (!H)
    return H.takeError();
  Expected<uint64_t> End = endOfData(File);
  if (!End)
    return End.takeError();
  To.Origin.Version = std::to_string(H->Version);
  return MemrayReader(*In, To, *H, *End).read();
}

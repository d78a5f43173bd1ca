// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a trace of what a reader finds in another tool's recording.

#include "TraceBuilder.h"
#include "memkit/Model/Complete.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace memkit;

TraceBuilder::TraceBuilder(StringRef Format, StringRef File) {
  Origin.Format = Format.str();
  Origin.File = File.str();
  // The header's place; finish() writes the header that the trace gets.
  Expected<std::unique_ptr<TraceWriter>> W =
      TraceWriter::create(InMemory, Header());
  if (W)
    Writer = std::move(*W);
  else
    write(W.takeError());
}

TraceBuilder::~TraceBuilder() = default;

void TraceBuilder::lacks(Lack L) {
  if (!Origin.lacks(L))
    Origin.Lacks.insert(llvm::upper_bound(Origin.Lacks, L), L);
}

void TraceBuilder::warn(const Twine &What) {
  std::string Text = What.str();
  if (Warned.insert(Text).second)
    Warnings.push_back(std::move(Text));
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string TraceBuilder::filePath(StringRef Path) {
  bool HasDrive =
      Path.size() > 2 && isAlpha(Path[0]) && Path[1] == ':' && Path[2] == '\\';
  std::string Out = Path.str();
  if (HasDrive || Path.starts_with("\\\\"))
    std::replace(Out.begin(), Out.end(), '\\', '/');
  return Out;
}

uint32_t TraceBuilder::pythonFrame(StringRef FunctionName, StringRef FileName,
                                   uint32_t Line, uint32_t FirstLine) {
  Function F;
  F.Name = string(FunctionName.empty() ? "?" : FunctionName);
  F.File = string(filePath(FileName));
  F.Line = FirstLine;
  return Names.frame({FrameKind::Python, Names.Names.function(F), Line});
}

uint32_t TraceBuilder::namedFrame(StringRef FunctionName, StringRef FileName,
                                  uint32_t Line) {
  Function F;
  F.Name = string(FunctionName.empty() ? "?" : FunctionName);
  F.File = string(filePath(FileName));
  F.Line = Line;
  return Names.frame({FrameKind::Named, Names.Names.function(F), 0});
}

uint32_t TraceBuilder::nativeFrame(StringRef Path, ArrayRef<uint8_t> BuildId,
                                   uint64_t Address,
                                   ArrayRef<SourceLocation> Locations) {
  uint32_t Before = Names.numFrames();
  uint32_t Id =
      Names.frame({FrameKind::Native, Names.binary(Path, BuildId), Address});
  if (Id > Before && !Locations.empty())
    Names.Names.addSymbols(Id, Locations);
  return Id;
}

uint32_t TraceBuilder::unknownFrame(uint32_t Process, uint64_t Address,
                                    ArrayRef<SourceLocation> Locations) {
  uint32_t Before = Names.numFrames();
  uint32_t Id = Names.unownedFrame(Process, Address);
  if (Id > Before && !Locations.empty())
    Names.Names.addSymbols(Id, Locations);
  return Id;
}

Catalog::FramePath TraceBuilder::path(uint32_t Parent,
                                      ArrayRef<uint32_t> Frames) {
  return Names.stack(Parent, Frames, [](size_t, uint32_t) {});
}

uint32_t TraceBuilder::stack(ArrayRef<uint32_t> Frames) {
  return Frames.empty() ? 0 : path(0, Frames).Stack;
}

uint32_t TraceBuilder::addProcess(const ProcessRecord &P) {
  uint32_t Id = Names.addProcess(P);
  ProcessEvents &Own = Processes.emplace_back();
  Own.Log.Process = Id;
  Own.Log.start(0);
  return Id;
}

uint32_t TraceBuilder::addThread(uint32_t Process, uint32_t Tid,
                                 StringRef Name) {
  Thread T;
  T.Process = Process;
  T.Tid = Tid;
  T.Name = string(Name);
  return Names.addThread(T);
}

uint32_t TraceBuilder::space(StringRef Name, const Device &Info) {
  auto [It, New] = SpaceOf.try_emplace(Name.str(), 0);
  if (New) {
    Device D = Info;
    D.Space = Name.str();
    It->second = Names.addDevice(D);
  }
  return It->second;
}

uint32_t TraceBuilder::heap(StringRef Name, uint32_t Space, uint32_t Parent,
                            uint32_t Flags, uint64_t SampleBytes) {
  if (auto It = HeapOf.find(Name.str()); It != HeapOf.end())
    return It->second;
  if (Heaps.size() == MaxHeaps) {
    warn("more than " + Twine(MaxHeaps) +
         " heaps: the others count as the last one");
    return MaxHeaps;
  }
  Heap H;
  H.Name = string(Name);
  H.Space = Space;
  H.Parent = Parent;
  H.Flags = Flags;
  H.SampleBytes = SampleBytes;
  Heaps.push_back(H);
  return HeapOf[Name.str()] = Names.addHeap(H);
}

uint32_t TraceBuilder::stream(uint64_t Handle) {
  // The two highest values cannot be keys of the map, and are no handles.
  if (!Handle || Handle >= ~uint64_t(1))
    return 0;
  return Streams.try_emplace(Handle, uint32_t(Streams.size() + 1))
      .first->second;
}

uint32_t TraceBuilder::pool(uint64_t First, uint64_t Second) {
  if (!First && !Second)
    return 0;
  return Pools.try_emplace({First, Second}, uint32_t(Pools.size() + 1))
      .first->second;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

uint32_t TraceBuilder::laneOf(ProcessEvents &P, uint32_t Thread) {
  if (P.Lanes.size() <= Thread)
    P.Lanes.resize(Thread + size_t(1));
  uint32_t &Lane = P.Lanes[Thread];
  if (!Lane)
    Lane = P.Log.addThread(Thread) + 1;
  return Lane - 1;
}

/// Gives the next event its time, and room in the log of its process. The order
/// of events is time, then process: an event of an earlier process than the
/// last event's comes a tick later.
TraceBuilder::ProcessEvents &
TraceBuilder::begin(uint32_t Process, uint32_t Thread, uint64_t TimeNs) {
  ProcessEvents *P = &Processes[Process - 1];
  bool IsNewThread = Thread >= P->Lanes.size() || !P->Lanes[Thread];
  if (P->Log.full() ||
      (IsNewThread && P->Log.numThreads() == MaxSectionThreads))
    flush();
  uint64_t Tick = std::max(TimeNs, LastMarkNs) / TimeUnitNs;
  LastTick = Tick > LastTick ? Tick : LastTick + (Process < LastProcess);
  LastProcess = Process;
  ++NumEvents;
  return *P;
}

template <class T>
static void setColumn(std::vector<T> &Column, uint32_t Row, T Value) {
  if (!Value)
    return;
  Column.resize(Row + size_t(1));
  Column[Row] = Value;
}

uint64_t TraceBuilder::allocate(uint32_t Process, uint32_t Thread,
                                uint64_t TimeNs, const ImportedBlock &B) {
  ProcessEvents &P = begin(Process, Thread, TimeNs);
  uint32_t Row = P.Log.size();
  P.Log.allocate(laneOf(P, Thread), LastTick, B.Size, B.Stack, B.ScopePath,
                 B.Heap);
  EventColumns &C = P.Log.Columns;
  setColumn(C.Address, Row, B.Address);
  setColumn(C.Enclosing, Row, B.Enclosing);
  setColumn(C.Requested, Row, B.Requested);
  setColumn(C.Weight, Row, uint64_t(B.Weight));
  setColumn(C.Stream, Row, B.Stream);
  setColumn(C.Pool, Row, B.Pool);
  return P.NextBlock++;
}

void TraceBuilder::free(uint32_t Process, uint32_t Thread, uint64_t TimeNs,
                        uint64_t Block) {
  ProcessEvents &P = begin(Process, Thread, TimeNs);
  P.Log.free(laneOf(P, Thread), LastTick, Block);
}

void TraceBuilder::resize(uint32_t Process, uint32_t Thread, uint64_t TimeNs,
                          uint64_t Block, uint64_t Size) {
  ProcessEvents &P = begin(Process, Thread, TimeNs);
  P.Log.resize(laneOf(P, Thread), LastTick, Block, Size);
}

uint64_t TraceBuilder::split(uint32_t Process, uint32_t Thread, uint64_t TimeNs,
                             uint64_t Block, uint64_t Size) {
  ProcessEvents &P = begin(Process, Thread, TimeNs);
  P.Log.split(laneOf(P, Thread), LastTick, Block, Size);
  return P.NextBlock++;
}

/// Blocks of one size, and one block with what the division leaves: their sums
/// are exact.
void TraceBuilder::allocateSum(uint32_t Process, uint32_t Thread,
                               uint64_t TimeNs, ImportedBlock B, uint64_t Count,
                               uint64_t Bytes) {
  if (!Count)
    return;
  constexpr uint64_t MaxWeight = UINT32_MAX;
  uint64_t Each = Bytes / Count;
  B.Size = Bytes - Each * (Count - 1);
  B.Weight = 0;
  allocate(Process, Thread, TimeNs, B);
  B.Size = Each;
  for (uint64_t Rest = Count - 1; Rest;) {
    // A block without a weight is one block.
    B.Weight = uint32_t(std::min(Rest, MaxWeight));
    allocate(Process, Thread, TimeNs, B);
    Rest -= B.Weight;
  }
}

void TraceBuilder::mark(Mark M) {
  M.TimeNs = std::max({M.TimeNs, lastNs(), LastMarkNs});
  LastMarkNs = M.TimeNs;
  PendingMarks.Rows.push_back(std::move(M));
  if (PendingMarks.Rows.size() == MaxSectionRows)
    flush();
}

void TraceBuilder::step(uint32_t Process, uint64_t TimeNs, uint64_t Step) {
  Mark M;
  M.Kind = MarkKind::Step;
  M.Process = Process;
  // A step begins after the events before it: at the next time unit.
  M.TimeNs = std::max(TimeNs, NumEvents ? lastNs() + TimeUnitNs : 0);
  M.Id = Step;
  mark(std::move(M));
}

void TraceBuilder::loss(uint32_t Process, LossKind Kind, uint64_t Count) {
  // A file may have a loss after each mark.
  auto [It, New] = PendingLosses.try_emplace({Process, Kind}, 0);
  if (!New) {
    PendingMarks.Rows[It->second].Values[0] += Count;
    return;
  }
  It->second = PendingMarks.Rows.size();
  Mark M;
  M.Kind = MarkKind::Loss;
  M.Process = Process;
  M.Id = uint64_t(Kind);
  M.Values = {Count};
  mark(std::move(M));
}

void TraceBuilder::endProcess(uint32_t Process, uint64_t TimeNs,
                              int32_t ExitStatus, uint32_t Signal) {
  Mark M;
  M.Kind = MarkKind::ProcessEnd;
  M.Process = Process;
  M.TimeNs = std::max(TimeNs, NumEvents ? lastNs() + TimeUnitNs : 0);
  if (ExitStatus >= 0)
    M.Values = {uint64_t(ExitStatus), Signal};
  mark(std::move(M));
}

void TraceBuilder::outOfMemory(OomRecord O, std::vector<OomHeap> OomHeaps) {
  O.Number = ++NumOoms;
  O.TimeNs = std::max(O.TimeNs, lastNs());
  Mark M;
  M.Kind = MarkKind::Oom;
  M.Process = O.Process;
  M.Thread = O.Thread;
  M.TimeNs = O.TimeNs;
  M.Heap = O.Heap;
  M.Stack = O.Stack;
  M.ScopePath = O.ScopePath;
  uint64_t Live = 0, Reserved = 0;
  for (OomHeap &H : OomHeaps) {
    H.Oom = O.Number;
    if (H.Heap == O.Heap) {
      Live = H.LiveBytes;
      Reserved = H.ReservedKnown ? H.ReservedBytes : H.LiveBytes;
    }
  }
  M.Values = {O.Requested, Live, Reserved};
  if (O.FreeKnown)
    M.Values.push_back(O.FreeBytes);
  mark(std::move(M));
  O.TimeNs = LastMarkNs;
  leaveOutOom(O);
  Extra.Ooms.push_back(O);
  append_range(Extra.OomHeaps, OomHeaps);
}

/// A trace has the first out-of-memory events of a process, and its last one:
/// removes the last one before New if there are enough.
void TraceBuilder::leaveOutOom(OomRecord &New) {
  auto IsOfProcess = [&](const OomRecord &O) {
    return O.Process == New.Process;
  };
  if (count_if(Extra.Ooms, IsOfProcess) < MaxOomsOfProcess)
    return;
  auto Last = std::prev(find_if(reverse(Extra.Ooms), IsOfProcess).base());
  New.Skipped += Last->Skipped + 1;
  erase_if(Extra.OomHeaps,
           [&](const OomHeap &H) { return H.Oom == Last->Number; });
  Extra.Ooms.erase(Last);
}

void TraceBuilder::category(uint32_t Process, uint64_t Block,
                            TensorCategory C) {
  std::vector<BlockCategory> &Rows = Processes[Process - 1].Categories;
  Rows.push_back({Block, C});
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

void TraceBuilder::write(Error E) {
  if (!E)
    return;
  std::string What = toString(std::move(E));
  if (!Problem)
    Problem = std::move(What);
}

/// Writes new names in sections of at most MaxSectionRows of a kind.
void TraceBuilder::writeNames() {
  Dictionary &D = Names.pending();
  if (!Names.hasPending() || !Writer)
    return;
  write(Writer->write(D));
  D = Dictionary();
}

void TraceBuilder::flush() {
  writeNames();
  for (ProcessEvents &P : Processes) {
    if (!P.Log.empty() && Writer) {
      P.Log.Epoch = Epoch;
      write(Writer->write(P.Log));
    }
    P.Log.start(P.NextBlock);
    P.Log.Columns.clear();
    P.Lanes.clear();
  }
  ++Epoch;
  if (!PendingMarks.Rows.empty() && Writer)
    write(Writer->write(PendingMarks));
  PendingMarks.Rows.clear();
  PendingLosses.clear();
}

void TraceBuilder::writeCategories() {
  for (ProcessEvents &P : Processes) {
    llvm::sort(P.Categories,
               [](const BlockCategory &A, const BlockCategory &B) {
                 return A.AllocationId < B.AllocationId;
               });
    for (ArrayRef<BlockCategory> Rest = P.Categories; !Rest.empty();) {
      size_t Count = std::min<size_t>(Rest.size(), MaxSectionRows);
      write(Writer->write(
          BlockCategories{P.Log.Process, Rest.take_front(Count).vec()}));
      Rest = Rest.drop_front(Count);
    }
  }
}

/// Writes the rows in sections of at most MaxSectionRows of each list.
void TraceBuilder::writePartial() {
  if (Extra.Layers.empty() && Extra.Processes.empty() && Extra.Ooms.empty())
    return;
  auto Move = [](auto &From, auto &To, size_t &At) {
    size_t Count = rowsThatFit(From, At, MaxSectionRows);
    To.assign(From.begin() + ptrdiff_t(At),
              From.begin() + ptrdiff_t(At + Count));
    At += Count;
    return At == From.size();
  };
  size_t Layer = 0, Process = 0, Oom = 0, OomHeap = 0;
  for (bool IsDone = false; !IsDone;) {
    Partial Part;
    Part.Number = 1;
    Part.EndNs = std::max(lastNs(), LastMarkNs);
    IsDone = Move(Extra.Layers, Part.Layers, Layer);
    IsDone &= Move(Extra.Processes, Part.Processes, Process);
    IsDone &= Move(Extra.Ooms, Part.Ooms, Oom);
    IsDone &= Move(Extra.OomHeaps, Part.OomHeaps, OomHeap);
    Part.Complete = IsDone;
    write(Writer->write(Part));
  }
}

Error TraceBuilder::finish(Sink &Out) {
  flush();
  if (Writer) {
    writeCategories();
    writePartial();
    write(Writer->finish());
  }
  if (Problem)
    return createStringError(inconvertibleErrorCode(), *Problem);
  auto Reader = TraceReader::create(
      MemoryBuffer::getMemBuffer(File, "the imported events", false));
  if (!Reader)
    return Reader.takeError();
  Head.Imported = Origin.facts();
  auto To = TraceWriter::create(Out, Head);
  if (!To)
    return To.takeError();
  if (Error E = completeTrace(**Reader, **To))
    return E;
  return (*To)->finish();
}

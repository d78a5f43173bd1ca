// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logs of RMM, the allocator of RAPIDS: CSV of its logging resource adaptor.
//
// A log has a line for each allocation and free of a device: thread, time of
// day, action, pointer, bytes, stream. A time has no date, so a time that is
// hours before the last one is of the next day. The device is in the file's
// name alone (`log.dev1.csv`), and the file has no stacks. RMM buffers its log:
// the last lines of a program that crashes are missing.

#include "Import/Build/BlockTable.h"
#include "Import/Build/Formats.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace memkit;

static constexpr StringRef RmmHeader = "Thread,Time,Action,Pointer,Size,Stream";

bool memkit::isRmm(StringRef First) { return First.starts_with(RmmHeader); }

namespace {

/// Times of day without a date, as ns since the first one.
class DayClock {
public:
  /// Text: `HH:MM:SS.uuuuuu`. False: not a time.
  bool parse(StringRef Text, uint64_t &Ns) {
    SmallVector<StringRef, 4> Parts;
    Text.split(Parts, ':');
    unsigned Hour, Minute;
    double Second;
    if (Parts.size() != 3 || Parts[0].getAsInteger(10, Hour) || Hour > 23 ||
        Parts[1].getAsInteger(10, Minute) || Minute > 59 ||
        Parts[2].getAsDouble(Second) || !(Second >= 0 && Second < 61))
      return false;
    uint64_t OfDay = (Hour * 3600 + Minute * 60) * uint64_t(1000000000) +
                     uint64_t(Second * 1e9 + 0.5);
    // Threads write in turn: a little back is no new day.
    if (IsFirst)
      First = OfDay;
    else if (OfDay + DayNs / 2 < Last)
      Days += 1;
    if (IsFirst || OfDay > Last || Last - OfDay > DayNs / 2)
      Last = OfDay;
    IsFirst = false;
    uint64_t At = Days * DayNs + OfDay;
    Ns = At > First ? At - First : 0;
    return true;
  }

private:
  static constexpr uint64_t DayNs = uint64_t(86400) * 1000000000;
  bool IsFirst = true;
  uint64_t First = 0, Last = 0, Days = 0;
};

struct RmmRow {
  uint64_t TimeNs = 0, Pointer = 0, Size = 0, Stream = 0;
  uint32_t Thread = 0;
  StringRef Action;
};

class RmmReader {
public:
  RmmReader(ByteReader &In, TraceBuilder &To, unsigned DeviceNumber)
      : In(In), To(To) {
    std::string Name = "cuda:" + utostr(DeviceNumber);
    uint32_t Space = To.space(Name);
    Heap = To.heap("rmm." + Name, Space);
    Process = To.addProcess(ProcessRecord());
  }

  Error read() {
    In.line();
    while (std::optional<StringRef> Line = In.line(MaxLine)) {
      // A header in the middle: the program appended to an old log.
      if (Line->empty() || *Line == RmmHeader)
        continue;
      RmmRow Row;
      if (const char *Why = parse(*Line, Row))
        return In.fail("line " + Twine(In.lineNumber()) + ": " + Why);
      take(Row);
      if (Live.size() + Empty.size() > In.bounds().blocks())
        return In.fail("line " + Twine(In.lineNumber()) + ": " +
                       In.bounds().tooManyBlocks());
    }
    return In.takeError();
  }

private:
  static constexpr size_t MaxLine = 4096;

  const char *parse(StringRef Line, RmmRow &Row) {
    SmallVector<StringRef, 6> Cells;
    Line.split(Cells, ',');
    if (Cells.size() != 6)
      return "a row has six columns";
    uint64_t Thread;
    if (Cells[0].getAsInteger(10, Thread))
      return "the thread is no number";
    Row.Thread = threadOf(Thread);
    if (!Clock.parse(Cells[1], Row.TimeNs))
      return "the time is not HH:MM:SS.uuuuuu";
    Row.Action = Cells[2];
    // `(nil)` is how C++ streams print no pointer.
    if (Cells[3] != "(nil)" && Cells[3] != "0" &&
        (!Cells[3].consume_front("0x") ||
         Cells[3].getAsInteger(16, Row.Pointer) ||
         !BlockTable::takes(Row.Pointer)))
      return "the pointer is no address";
    if (Cells[4].getAsInteger(10, Row.Size))
      return "the size is no number of bytes";
    if (Cells[5] != "(nil)" && Cells[5].getAsInteger(0, Row.Stream))
      return "the stream is no number";
    if (Row.Action != "allocate" && Row.Action != "free" &&
        Row.Action != "deallocate" && Row.Action != "allocate failure")
      return "the action is none of allocate, free and allocate failure";
    return nullptr;
  }

  uint32_t threadOf(uint64_t Tid) {
    auto [It, New] = Threads.try_emplace(Tid ^ ThreadFlip, 0);
    if (New)
      It->second = To.addThread(Process, uint32_t(Tid));
    return It->second;
  }

  void take(const RmmRow &Row) {
    if (Row.Action == "allocate")
      return allocate(Row);
    if (Row.Action == "allocate failure")
      return fail(Row);
    std::optional<BlockTable::Entry> Block = takeLive(Row.Pointer);
    if (!Block)
      return To.loss(Process, LossKind::UnknownFree);
    LiveBytes -= Block->Size;
    To.free(Process, Row.Thread, Row.TimeNs, Block->Block);
  }

  /// The block that a free of Pointer frees. RMM gives no pointer for no bytes:
  /// the last such block counts as freed.
  std::optional<BlockTable::Entry> takeLive(uint64_t Pointer) {
    if (Pointer)
      return Live.take(Pointer);
    if (Empty.empty())
      return std::nullopt;
    return Empty.pop_back_val();
  }

  void allocate(const RmmRow &Row) {
    if (Row.Pointer)
      endOldBlock(Row);
    ImportedBlock B;
    B.Size = Row.Size;
    B.Heap = Heap;
    B.Address = Row.Pointer;
    B.Stream = To.stream(Row.Stream);
    uint64_t Block = To.allocate(Process, Row.Thread, Row.TimeNs, B);
    if (Row.Pointer)
      Live.add(Row.Pointer, {Block, Row.Size});
    else
      Empty.push_back({Block, Row.Size});
    LiveBytes += Row.Size;
  }

  /// Ends a block whose free the log lacks.
  void endOldBlock(const RmmRow &Row) {
    std::optional<BlockTable::Entry> Old = Live.take(Row.Pointer);
    if (!Old)
      return;
    To.loss(Process, LossKind::DoubleAllocate);
    LiveBytes -= Old->Size;
    To.free(Process, Row.Thread, Row.TimeNs, Old->Block);
  }

  void fail(const RmmRow &Row) {
    OomRecord O;
    O.Process = Process;
    O.Heap = Heap;
    O.Thread = Row.Thread;
    O.TimeNs = Row.TimeNs;
    O.Requested = Row.Size;
    O.Limit = LimitKind::Device;
    OomHeap H;
    H.Heap = Heap;
    H.LiveBlocks = Live.size() + Empty.size();
    H.LiveBytes = LiveBytes;
    To.outOfMemory(O, {H});
  }

  /// Keeps thread 0 and -1 away from the map's own keys.
  static constexpr uint64_t ThreadFlip = 0x5555000000000000;
  ByteReader &In;
  TraceBuilder &To;
  DayClock Clock;
  BlockTable Live;
  SmallVector<BlockTable::Entry, 0> Empty; ///< live blocks without a pointer
  DenseMap<uint64_t, uint32_t> Threads;
  uint32_t Process = 0, Heap = 0;
  uint64_t LiveBytes = 0;
};

/// The number after `.dev` in the file's name; 0 without one.
unsigned deviceOf(StringRef File) {
  size_t At = File.rfind(".dev");
  StringRef Rest = At == StringRef::npos ? "" : File.drop_front(At + 4);
  unsigned Number = 0;
  return Rest.consumeInteger(10, Number) || Number > 1023 ? 0 : Number;
}

} // namespace

Error memkit::readRmm(const ImportFile &File, TraceBuilder &To,
                      const ProgressCallback &OnProgress) {
  Expected<ByteReader> In = ByteReader::open(File, OnProgress);
  if (!In)
    return In.takeError();
  To.lacks(Lack::Stacks);
  To.lacks(Lack::Allocations);
  return RmmReader(*In, To, deviceOf(File.baseName())).read();
}

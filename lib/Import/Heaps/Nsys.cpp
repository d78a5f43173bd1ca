// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exports of Nsight Systems as SQLite (`nsys export --type=sqlite`).
//
// The table CUDA_GPU_MEMORY_USAGE_EVENTS has the allocations and frees of
// CUDA's driver, if `nsys profile` had `--cuda-memory-usage=true`. The call of
// a row is found by its correlation id: the thread, and with
// a backtrace of memory calls the stack. NVTX's ranges of the thread are
// scopes. An older export lacks some columns.

#include "Import/Build/BlockTable.h"
#include "Import/Build/Formats.h"
#include "Import/Source/Database.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <unordered_map>

using namespace llvm;
using namespace memkit;

bool memkit::isNsys(StringRef First) {
  return First.starts_with(StringRef("SQLite format 3\0", 16));
}

static constexpr StringRef UsageTable = "CUDA_GPU_MEMORY_USAGE_EVENTS";

namespace {

/// A kind of memory, as in ENUM_CUDA_MEM_KIND, and memrec's heap for it.
struct NsysKind {
  StringRef Heap; ///< after the device's name
  bool IsHost = false;
};
constexpr NsysKind NsysKinds[] = {
    {"cuda.pageable", true},
    {"cuda.pinned", true},
    {"device"},
    {"array"},
    {"managed"},
    {"static"},
    {"static"},
    {"unknown"},
};
constexpr unsigned UnknownKind = 7;

/// What called the driver.
struct NsysCall {
  uint64_t Thread = 0; ///< globalTid
  int64_t Chain = -1;  ///< of CUDA_CALLCHAINS
  std::string Function;
};

class NsysReader {
public:
  NsysReader(Database &Db, TraceBuilder &To, StringRef Name)
      : Db(Db), To(To), Name(Name) {}

  Error read() {
    if (Error E = readSession())
      return E;
    if (!Db.hasTable(UsageTable))
      return noUsage();
    for (auto Step : {&NsysReader::readStrings, &NsysReader::readDevices,
                      &NsysReader::readProcesses, &NsysReader::readCalls,
                      &NsysReader::readChains, &NsysReader::readRanges,
                      &NsysReader::readUsage})
      if (Error E = (this->*Step)())
        return E;
    if (!HasStacks)
      To.lacks(Lack::Stacks);
    To.lacks(Lack::Allocations);
    return Error::success();
  }

private:
  using Row = DatabaseRow;

  Error noUsage() {
    if (!Db.hasTable("StringIds"))
      return makeError("an SQLite file, but no export of Nsight Systems");
    return make_error<NotRecorded>(Name +
                                   ": the export has no allocations of CUDA");
  }
  Error makeError(const Twine &What) {
    return createStringError(inconvertibleErrorCode(), Name + ": " + What);
  }

  /// Reads a table that a file may lack.
  Error each(StringRef Table, StringRef Sql,
             function_ref<void(const Row &)> Do) {
    if (!Db.hasTable(Table))
      return Error::success();
    return Db.query(Sql, [&](const Row &R) {
      Do(R);
      return Error::success();
    });
  }

  Error readSession() {
    // Nsight Systems 2022 has the first name.
    for (StringRef Table : {"EXPORT_META_DATA", "META_DATA_EXPORT"})
      if (Error E = each(Table, ("SELECT name, value FROM " + Table).str(),
                         [&](const Row &R) {
                           if (R.text(0) == "EXPORT_PRODUCT_VERSION")
                             To.Origin.Version = R.text(1).str();
                         }))
        return E;
    return each("TARGET_INFO_SESSION_START_TIME",
                "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME",
                [&](const Row &R) {
                  To.Head.Start.RealtimeNs = uint64_t(R.number(0));
                });
  }

  /// Other tables name texts by their number. A join would look through all
  /// texts for each row where the file has no index.
  Error readStrings() {
    if (!Db.hasTable("StringIds"))
      return Error::success();
    uint64_t Bytes = 0;
    return Db.query(
        "SELECT id, value FROM StringIds", [&](const Row &R) -> Error {
          StringRef Text = R.text(1);
          Bytes += Text.size();
          // Rows of a damaged file may share the pages of their texts.
          if (Bytes > Db.fileBytes())
            return makeError("the texts of StringIds are longer than the file");
          Strings.try_emplace(R.number(0),
                              Text.take_front(ImportBounds::MaxName).str());
          return Error::success();
        });
  }

  StringRef string(const Row &R, int Column) const {
    auto It = R.isNull(Column) ? Strings.end() : Strings.find(R.number(Column));
    return It == Strings.end() ? StringRef() : StringRef(It->second);
  }

  Error readDevices() {
    return each("TARGET_INFO_GPU",
                "SELECT id, name, busLocation, totalMemory FROM "
                "TARGET_INFO_GPU",
                [&](const Row &R) {
                  Device D;
                  D.Name = R.text(1).str();
                  D.Pci = R.text(2).str();
                  D.Bytes = uint64_t(R.number(3));
                  Devices[R.number(0)] = D;
                });
  }

  /// A globalPid or globalTid has the pid in bits 24 to 47.
  static uint64_t pidOf(uint64_t Global) { return Global >> 24 & 0xffffff; }

  Error readProcesses() {
    if (Error E = each("PROCESSES", "SELECT globalPid, name FROM PROCESSES",
                       [&](const Row &R) {
                         Names[pidOf(uint64_t(R.number(0)))] = R.text(1).str();
                       }))
      return E;
    return each("MPI_RANKS", "SELECT globalTid, rank FROM MPI_RANKS",
                [&](const Row &R) {
                  Ranks[pidOf(uint64_t(R.number(0)))] = int32_t(R.number(1));
                });
  }

  /// The calls with the correlation id of an event of memory.
  Error readCalls() {
    Expected<std::set<std::string>> Has = Db.columns(UsageTable);
    if (!Has)
      return Has.takeError();
    Columns = std::move(*Has);
    if (!Columns.count("correlationId") || !Db.hasTable("StringIds"))
      return Error::success();
    return each("CUPTI_ACTIVITY_KIND_RUNTIME",
                ("SELECT correlationId, globalTid, callchainId, nameId FROM "
                 "CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId IN (SELECT "
                 "correlationId FROM " +
                 UsageTable + ")")
                    .str(),
                [&](const Row &R) {
                  NsysCall Call;
                  Call.Thread = uint64_t(R.number(1));
                  if (!R.isNull(2))
                    Call.Chain = R.number(2);
                  // Versions have a suffix: cudaMalloc_v3020.
                  Call.Function = string(R, 3).split("_v").first.str();
                  Calls[{pidOf(Call.Thread), R.number(0)}] = std::move(Call);
                });
  }

  Error readChains() {
    constexpr size_t MaxDepth = 4096;
    return each("CUDA_CALLCHAINS",
                "SELECT id, symbol, module, originalIP FROM CUDA_CALLCHAINS "
                "ORDER BY id, stackDepth",
                [&](const Row &R) {
                  SourceLocation L;
                  L.Function = string(R, 1).str();
                  auto Ip = uint64_t(R.number(3));
                  std::vector<uint32_t> &Frames = Chains[R.number(0)];
                  if (Frames.size() == MaxDepth)
                    return;
                  bool HasName = !L.Function.empty() &&
                                 !StringRef(L.Function).starts_with("0x");
                  Frames.push_back(To.nativeFrame(
                      string(R, 2), {}, Ip,
                      HasName ? ArrayRef(L) : ArrayRef<SourceLocation>()));
                });
  }

  struct NsysRange {
    int64_t Begin, End;
    std::string Text;
  };

  /// Push-pop ranges of threads, by begin.
  Error readRanges() {
    if (!Db.hasTable("StringIds"))
      return Error::success();
    constexpr size_t MaxRanges = size_t(16) << 20;
    size_t Count = 0;
    return each("NVTX_EVENTS",
                "SELECT start, end, textId, text, globalTid FROM NVTX_EVENTS "
                "WHERE end IS NOT NULL AND eventType = 59 ORDER BY start, end "
                "DESC",
                [&](const Row &R) {
                  if (++Count > MaxRanges)
                    return;
                  StringRef Text = R.isNull(3) ? string(R, 2) : R.text(3);
                  Ranges[uint64_t(R.number(4))].push_back(
                      {R.number(0), R.number(1),
                       Text.take_front(ImportBounds::MaxName).str()});
                });
  }

  /// The events of a thread that are open, for a time that does not fall.
  struct NsysOpen {
    size_t Next = 0;
    std::vector<std::pair<int64_t, uint32_t>> Open; ///< end, scope path
  };

  uint32_t scopePath(uint64_t Thread, int64_t Time) {
    auto It = Ranges.find(Thread);
    if (It == Ranges.end())
      return 0;
    NsysOpen &O = Open[Thread];
    const std::vector<NsysRange> &All = It->second;
    auto Close = [&](int64_t Until) {
      while (!O.Open.empty() && O.Open.back().first <= Until)
        O.Open.pop_back();
    };
    constexpr size_t MaxDepth = 1024;
    for (; O.Next != All.size() && All[O.Next].Begin <= Time; ++O.Next) {
      const NsysRange &R = All[O.Next];
      Close(R.Begin);
      if (O.Open.size() == MaxDepth)
        continue;
      uint32_t Parent = O.Open.empty() ? 0 : O.Open.back().second;
      StringRef Text = R.Text.empty() ? StringRef("range") : StringRef(R.Text);
      O.Open.push_back(
          {R.End,
           To.Scopes.enter(Parent, ScopeKind::Range, Text, 0).ScopePath});
    }
    Close(Time);
    return O.Open.empty() ? 0 : O.Open.back().second;
  }

  struct NsysProcess {
    uint32_t Process = 0;
    std::map<uint64_t, uint32_t> Threads;                ///< by globalTid
    std::map<std::pair<int64_t, bool>, BlockTable> Live; ///< device, host
  };

  NsysProcess &processOf(uint64_t GlobalPid) {
    uint64_t Pid = pidOf(GlobalPid);
    NsysProcess &P = Processes[Pid];
    if (P.Process)
      return P;
    ProcessRecord Record;
    Record.Pid = uint32_t(Pid);
    Record.Exe = To.string(Names[Pid]);
    if (Record.Exe)
      Record.Command = {Record.Exe};
    if (auto It = Ranks.find(Pid); It != Ranks.end() && It->second >= 0)
      Record.Place.Rank = It->second;
    P.Process = To.addProcess(Record);
    if (!To.Head.Pid && Record.Exe) {
      To.Head.Pid = Record.Pid;
      To.Head.Command = {Names[Pid]};
    }
    return P;
  }

  uint32_t threadOf(NsysProcess &P, uint64_t GlobalTid) {
    uint32_t &Thread = P.Threads[GlobalTid];
    if (!Thread)
      Thread = To.addThread(P.Process, uint32_t(GlobalTid & 0xffffff));
    return Thread;
  }

  uint32_t heapOf(int64_t DeviceId, unsigned Kind, bool IsPool) {
    const NsysKind &K = NsysKinds[std::min(Kind, UnknownKind)];
    if (K.IsHost)
      return To.heap(K.Heap);
    std::string Device = "cuda:" + std::to_string(DeviceId);
    auto It = Devices.find(DeviceId);
    uint32_t Space =
        To.space(Device, It == Devices.end() ? memkit::Device() : It->second);
    return To.heap(Device + "." + (IsPool ? StringRef("pool") : K.Heap).str(),
                   Space);
  }

  uint32_t stackOf(const NsysCall &Call) {
    std::vector<uint32_t> Frames;
    if (auto It = Chains.find(Call.Chain); It != Chains.end()) {
      Frames.assign(It->second.rbegin(), It->second.rend());
      HasStacks = true;
    }
    if (!Call.Function.empty())
      Frames.push_back(To.namedFrame(Call.Function));
    return To.stack(Frames);
  }

  Error readUsage() {
    auto Column = [&](StringRef Name, StringRef Otherwise) {
      return Columns.count(Name.str()) ? Name : Otherwise;
    };
    std::string Sql =
        ("SELECT start, globalPid, deviceId, address, bytes, " +
         Column("memKind", "2") + ", memoryOperationType, " +
         Column("correlationId", "NULL") + ", " + Column("streamId", "0") +
         ", " + Column("localMemoryPoolAddress", "NULL") + ", " +
         Column("localMemoryPoolSize", "NULL") + ", " +
         Column("localMemoryPoolUtilizedSize", "NULL") + " FROM " + UsageTable +
         " ORDER BY start, rowid")
            .str();
    bool HasRows = false;
    Error E = Db.query(Sql, [&](const Row &R) {
      HasRows = true;
      return usage(R);
    });
    if (E)
      return E;
    // `nsys export --lazy=false` makes empty tables, too.
    return HasRows ? Error::success() : noUsage();
  }

  Error usage(const Row &R) {
    int64_t Start = R.number(0);
    auto GlobalPid = uint64_t(R.number(1));
    int64_t DeviceId = R.number(2);
    auto Address = uint64_t(R.number(3)), Bytes = uint64_t(R.number(4));
    uint64_t Kind = uint64_t(R.number(5));
    if (Start < 0 || DeviceId < 0 || DeviceId > 1023 ||
        Bytes > (uint64_t(1) << 56) || !BlockTable::takes(Address))
      return makeError("a row of " + UsageTable +
                       " has a time, device, address or size that cannot be");
    NsysProcess &P = processOf(GlobalPid);
    NsysCall Call;
    if (!R.isNull(7))
      if (auto It = Calls.find({pidOf(GlobalPid), R.number(7)});
          It != Calls.end())
        Call = It->second;
    uint32_t Thread = threadOf(P, Call.Thread);
    unsigned KindNumber = unsigned(std::min<uint64_t>(Kind, UnknownKind));
    bool IsHost = NsysKinds[KindNumber].IsHost;
    // The device of host memory means nothing.
    BlockTable &Live = P.Live[{IsHost ? 0 : DeviceId, IsHost}];
    constexpr int64_t Deallocation = 1;
    std::optional<BlockTable::Entry> Old = Live.take(Address);
    if (Old)
      To.free(P.Process, Thread, uint64_t(Start), Old->Block);
    if (R.number(6) == Deallocation) {
      if (!Old)
        To.loss(P.Process, LossKind::UnknownFree);
      return Error::success();
    }
    if (Old)
      To.loss(P.Process, LossKind::DoubleAllocate);
    ImportedBlock B;
    B.Size = Bytes;
    B.Address = Address;
    B.Heap = heapOf(DeviceId, KindNumber, !R.isNull(9) && R.number(9) != 0);
    B.Stack = stackOf(Call);
    B.ScopePath = scopePath(Call.Thread, Start);
    B.Stream = To.stream(uint64_t(R.number(8)));
    Live.add(Address,
             {To.allocate(P.Process, Thread, uint64_t(Start), B), Bytes});
    if (!R.isNull(9) && !R.isNull(10))
      markPool(R, P.Process, B.Heap);
    return Error::success();
  }

  /// What the pool of an allocation has taken from the device.
  void markPool(const Row &R, uint32_t Process, uint32_t Heap) {
    auto Reserved = uint64_t(R.number(10)), Active = uint64_t(R.number(11));
    if (Reserved > (uint64_t(1) << 56) || Active > Reserved)
      return;
    // The sums follow the changes: an event of each pool must not look at all.
    HeapPools &All = PoolsOf[Heap];
    NsysPool &Of = All.Each[uint64_t(R.number(9))];
    All.Sum.Reserved += Reserved - Of.Reserved;
    All.Sum.Active += Active - Of.Active;
    Of = {Reserved, Active};
    Mark M;
    M.Kind = MarkKind::HeapReserved;
    M.Process = Process;
    M.TimeNs = uint64_t(R.number(0));
    M.Heap = Heap;
    M.Values = {All.Sum.Reserved, All.Sum.Active};
    To.mark(std::move(M));
  }

  struct NsysPool {
    uint64_t Reserved = 0, Active = 0; ///< bytes
  };
  struct HeapPools {
    std::map<uint64_t, NsysPool> Each; ///< by address
    NsysPool Sum;
  };

  Database &Db;
  TraceBuilder &To;
  std::string Name;
  std::map<uint32_t, HeapPools> PoolsOf;            ///< by heap
  std::set<std::string> Columns;                    ///< of UsageTable
  std::unordered_map<int64_t, std::string> Strings; ///< of StringIds
  std::map<int64_t, Device> Devices;
  std::map<uint64_t, std::string> Names; ///< of processes, by pid
  std::map<uint64_t, int32_t> Ranks;     ///< by pid
  std::map<std::pair<uint64_t, int64_t>, NsysCall> Calls; ///< pid, correlation
  std::map<int64_t, std::vector<uint32_t>> Chains; ///< frames, innermost first
  std::map<uint64_t, std::vector<NsysRange>> Ranges; ///< by globalTid
  std::map<uint64_t, NsysOpen> Open;
  std::map<uint64_t, NsysProcess> Processes; ///< by pid
  bool HasStacks = false;
};

} // namespace

Error memkit::readNsys(const ImportFile &File, TraceBuilder &To,
                       const ProgressCallback &OnProgress) {
  Expected<Database> Db = Database::open(File);
  if (!Db)
    return Db.takeError();
  return NsysReader(*Db, To, File.name()).read();
}

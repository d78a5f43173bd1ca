// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of JIT code for the frames of a trace.

#include "JitSymbols.h"
#include "ElfOutline.h"
#include "PerfMap.h"
#include "Support/Failure.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// The clock of files is coarser than that of processes.
static constexpr uint64_t FileClockSlackNs = 1'000'000'000;

namespace {

/// Reads maps and names frames, process by process.
class JitNaming {
public:
  JitNaming(const TraceFrames &Trace, const JitOwners &Owners, const Header &H);

  Error readFile(const PerfMapFile &Named);
  Error readUsualPlaces();
  void name(function_ref<void(uint32_t Frame, const std::string &)> OnName);
  JitCounts take() { return std::move(Counts); }

private:
  Expected<uint32_t> pidOf(const PerfMapFile &Named) const;
  Error readMap(const OpenedFile &File, uint32_t Pid);
  bool isOfProcess(const std::string &Path, const ProcessRecord &P);
  const std::string *nameIn(uint32_t Process, size_t I) const;
  const std::string *nameOf(size_t I, bool &IsAmbiguous) const;

  const TraceFrames &Trace;
  const JitOwners &Owners;
  const Header &TraceHeader;
  /// Frames without a name, by address.
  std::vector<std::pair<uint64_t, uint32_t>> Frames;
  std::vector<uint64_t> Addresses; ///< of Frames
  /// By pid, the names of some of Frames, by their number.
  std::map<uint32_t, DenseMap<size_t, std::string>> Names;
  JitCounts Counts;
};

} // namespace

JitNaming::JitNaming(const TraceFrames &Trace, const JitOwners &Owners,
                     const Header &H)
    : Trace(Trace), Owners(Owners), TraceHeader(H) {
  for (uint32_t Id = 1; Id <= Trace.frames().size(); ++Id)
    if (const Frame &F = Trace.frames()[Id - 1];
        F.Kind == FrameKind::Unknown &&
        Trace.knowledge(Id) == FrameKnowledge::Nothing)
      Frames.emplace_back(F.Address, Id);
  std::sort(Frames.begin(), Frames.end());
  for (auto &[Address, Id] : Frames)
    Addresses.push_back(Address);
  Counts.Frames = Frames.size();
}

static Error badMap(const std::string &Value, const Twine &What) {
  return make_error<RequestError>(RequestError::RequestErrorKind::NoAnswer,
                                  RequestPart{RequestField::PerfMaps, Value},
                                  ": " + What);
}

/// The pid of a user's file.
Expected<uint32_t> JitNaming::pidOf(const PerfMapFile &Named) const {
  uint32_t Pid = Named.Pid;
  StringRef Name = sys::path::filename(Named.File);
  if (!Pid && Name.consume_front("perf-") && Name.consume_back(".map") &&
      !to_integer(Name, Pid, 10))
    Pid = 0;
  std::vector<uint32_t> Pids;
  for (const ProcessRecord &P : Trace.processes())
    if (P.Recorded && !is_contained(Pids, P.Pid))
      Pids.push_back(P.Pid);
  if (!Pid && Pids.size() == 1)
    return Pids[0];
  if (!Pid)
    return badMap(Named.File, "the name has no pid, and the trace has " +
                                  Twine(Pids.size()) +
                                  " processes: give the pid");
  if (is_contained(Pids, Pid))
    return Pid;
  std::string Known;
  for (uint32_t P : ArrayRef(Pids).take_front(8))
    Known += (Known.empty() ? "" : ", ") + std::to_string(P);
  return badMap(Named.File,
                "the trace has no process " + Twine(Pid) +
                    (Known.empty() ? "" : " (it has " + Known + ")"));
}

Error JitNaming::readMap(const OpenedFile &File, uint32_t Pid) {
  PerfMapScan Scan(Addresses);
  std::vector<char> Piece(1 << 20);
  for (uint64_t At = 0; At != File.bytes();) {
    uint64_t Size = std::min<uint64_t>(Piece.size(), File.bytes() - At);
    if (Error E = File.read(At, Size, Piece.data()))
      return E;
    if (!Scan.feed(StringRef(Piece.data(), Size)))
      return makeError("has too many lines for the same addresses");
    At += Size;
  }
  DenseMap<size_t, std::string> &Of = Names[Pid];
  // Of two maps of a process, the later one counts.
  for (size_t I = 0; I != Addresses.size(); ++I)
    if (!Scan.name(I).empty())
      Of[I] = Scan.name(I);
  return Error::success();
}

Error JitNaming::readFile(const PerfMapFile &Named) {
  Expected<uint32_t> Pid = pidOf(Named);
  if (!Pid)
    return Pid.takeError();
  Expected<OpenedFile> File = OpenedFile::open(Named.File);
  if (!File)
    return badMap(Named.File, toString(File.takeError()));
  if (Error E = readMap(*File, *Pid))
    return badMap(Named.File, toString(std::move(E)));
  Counts.Read.push_back(Named.File);
  return Error::success();
}

/// Whether the file at Path is a process's own: not a link, of this user or of
/// root, written since the process started. Another user may write to /tmp.
bool JitNaming::isOfProcess(const std::string &Path, const ProcessRecord &P) {
  struct stat Info;
  if (lstat(Path.c_str(), &Info) != 0)
    return false;
  auto Pass = [&](const Twine &Why) {
    Counts.Passed.push_back((Path + ": " + Why).str());
    return false;
  };
  if (!S_ISREG(Info.st_mode))
    return Pass("is not a regular file");
  if (Info.st_uid != 0 && Info.st_uid != geteuid())
    return Pass("belongs to another user");
  uint64_t WrittenNs = uint64_t(Info.st_mtim.tv_sec) * 1'000'000'000 +
                       uint64_t(Info.st_mtim.tv_nsec);
  uint64_t StartNs = TraceHeader.Start.RealtimeNs + P.StartNs;
  if (WrittenNs + FileClockSlackNs < StartNs)
    return Pass("is older than the process");
  return true;
}

/// The id of the machine's run since its last start; empty: not known.
static std::string thisBootId() {
  auto File = MemoryBuffer::getFileAsStream("/proc/sys/kernel/random/boot_id");
  return File ? (*File)->getBuffer().trim().str() : "";
}

Error JitNaming::readUsualPlaces() {
  // Elsewhere, and after a restart, other processes have the pids.
  if (TraceHeader.BootId.empty() || TraceHeader.BootId != thisBootId())
    return badMap("default", "the trace is of another machine, or of a time "
                             "before its last start: name the perf maps");
  for (const ProcessRecord &P : Trace.processes()) {
    std::string Path = "/tmp/perf-" + std::to_string(P.Pid) + ".map";
    if (!P.Recorded || Names.count(P.Pid) || !isOfProcess(Path, P))
      continue;
    Expected<OpenedFile> File = OpenedFile::open(Path);
    Error E = File ? readMap(*File, P.Pid) : File.takeError();
    if (E)
      Counts.Passed.push_back(Path + ": " + toString(std::move(E)));
    else
      Counts.Read.push_back(Path);
  }
  return Error::success();
}

/// The name of the I-th frame in the map of a process, or else of the process
/// that it was forked from; null: none.
const std::string *JitNaming::nameIn(uint32_t Process, size_t I) const {
  // A process has a higher id than its parent.
  for (uint32_t Next = 0; Process && Process <= Trace.processes().size();
       Process = Next) {
    const ProcessRecord &P = Trace.processes()[Process - 1];
    if (auto Map = Names.find(P.Pid); Map != Names.end())
      if (auto Name = Map->second.find(I); Name != Map->second.end())
        return &Name->second;
    Next = P.Origin == ProcessOrigin::Fork && P.Parent < Process ? P.Parent : 0;
  }
  return nullptr;
}

/// The name of the I-th frame; null: none.
const std::string *JitNaming::nameOf(size_t I, bool &IsAmbiguous) const {
  ArrayRef<uint32_t> Of = Owners.owners(Frames[I].second);
  // A frame of marks alone is in no stack of the summary.
  constexpr uint32_t OnlyProcess = 1;
  if (Of.empty() && Trace.processes().size() == 1)
    Of = OnlyProcess;
  const std::string *Found = nullptr;
  unsigned Nameless = 0;
  for (uint32_t Process : Of) {
    const std::string *Name = nameIn(Process, I);
    Nameless += !Name;
    IsAmbiguous |= Name && Found && *Found != *Name;
    Found = Name ? Name : Found;
  }
  IsAmbiguous |= Found && Nameless;
  return IsAmbiguous ? nullptr : Found;
}

void JitNaming::name(
    function_ref<void(uint32_t Frame, const std::string &)> OnName) {
  for (size_t I = 0; I != Frames.size(); ++I) {
    bool IsAmbiguous = false;
    const std::string *Name = nameOf(I, IsAmbiguous);
    Counts.Ambiguous += IsAmbiguous;
    if (!Name)
      continue;
    ++Counts.Named;
    OnName(Frames[I].second, *Name);
  }
}

Expected<JitCounts> memkit::nameJitFrames(
    const TraceFrames &Trace, const JitOwners &Owners, const Header &H,
    const PerfMapChoice &Choice,
    function_ref<void(uint32_t Frame, const std::string &)> OnName) {
  JitNaming Naming(Trace, Owners, H);
  for (const PerfMapFile &Named : Choice.Files)
    if (Error E = Naming.readFile(Named))
      return std::move(E);
  if (Choice.ReadUsualPlace)
    if (Error E = Naming.readUsualPlaces())
      return std::move(E);
  Naming.name(OnName);
  return Naming.take();
}

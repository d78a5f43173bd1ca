// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks of a distributed job in one trace.

#include "memkit/Analysis/JobRanks.h"
#include "Analysis/Series/StepTrend.h"
#include "memkit/Analysis/DeviceGaps.h"
#include "memkit/Model/Merged.h"
#include "memkit/Model/Query.h"
#include "memkit/Model/StepSample.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

using namespace llvm;

namespace memkit {

const RankSpace *JobRank::device() const {
  const RankSpace *Best = nullptr;
  for (const RankSpace &S : drop_begin(Spaces))
    if (!Best || S.PeakBytes > Best->PeakBytes)
      Best = &S;
  return Best;
}

//===----------------------------------------------------------------------===//
// Which processes are a rank
//===----------------------------------------------------------------------===//

namespace {
/// Sorts the processes of a trace into ranks. Parents come before children: an
/// id of a later process is no parent.
class RankFinder {
public:
  explicit RankFinder(ArrayRef<ProcessRecord> All)
      : All(All), RootOf(All.size() + 1), Launches(All.size() + 1) {
    findLaunchers();
    for (uint32_t Id = 1; Id <= All.size(); ++Id)
      RootOf[Id] = rootOf(Id);
  }

  bool hasRanks() const {
    return any_of(All,
                  [](const ProcessRecord &I) { return I.Place.Rank >= 0; });
  }
  /// The first process of each rank, with the processes of the rank.
  std::map<uint32_t, std::vector<uint32_t>> ranks() const {
    std::map<uint32_t, std::vector<uint32_t>> Out;
    for (uint32_t Id = 1; Id <= All.size(); ++Id)
      if (RootOf[Id] && All[Id - 1].Recorded)
        Out[RootOf[Id]].push_back(Id);
    return Out;
  }

private:
  uint32_t parentOf(uint32_t Id) const {
    uint32_t Parent = All[Id - 1].Parent;
    return Parent < Id ? Parent : 0;
  }
  bool isSame(uint32_t A, uint32_t B) const {
    const JobPlace &P = All[A - 1].Place, &Q = All[B - 1].Place;
    return P.Rank == Q.Rank && P.Attempt == Q.Attempt;
  }
  void findLaunchers() {
    for (uint32_t Id = All.size(); Id; --Id) {
      uint32_t Parent = parentOf(Id);
      if (!Parent || All[Id - 1].Place.Rank < 0)
        continue;
      // Its own launcher may have had the rank of a task of Slurm.
      if (!isSame(Parent, Id) || Launches[Id])
        Launches[Parent] = true;
    }
  }
  uint32_t rootOf(uint32_t Id) const {
    if (Launches[Id])
      return 0;
    uint32_t Parent = parentOf(Id);
    bool HasRank = All[Id - 1].Place.Rank >= 0;
    if (Parent && RootOf[Parent] && (!HasRank || isSame(Parent, Id)))
      return RootOf[Parent];
    return HasRank ? Id : 0;
  }

  ArrayRef<ProcessRecord> All;
  std::vector<uint32_t> RootOf; ///< by process; 0: of no rank
  std::vector<bool> Launches;
};
} // namespace

//===----------------------------------------------------------------------===//
// The memory of a rank
//===----------------------------------------------------------------------===//

namespace {
/// Reads the rows of one trace.
class RankReader {
public:
  explicit RankReader(const Trace &T) : T(T), Steps(querySteps(T)) {
    countUsers();
  }
  Error readGaps();
  JobRank read(ArrayRef<uint32_t> Processes, const JobPlace &Place) const;

private:
  void countUsers();
  void addPlace(JobRank &R, const JobPlace &Place) const;
  void addSpaces(JobRank &R) const;
  void addDevice(RankSpace &S, uint32_t Space) const;
  void addSteps(JobRank &R, ArrayRef<uint32_t> Spaces) const;
  std::optional<uint64_t> cutOf(const JobRank &R) const;
  void addEnd(JobRank &R) const;
  void addOoms(JobRank &R) const;
  void addLayers(JobRank &R) const;
  ArrayRef<StepReport> stepsOf(uint32_t Process) const;
  uint32_t mainOf(const JobRank &R) const;

  const Trace &T;
  std::vector<StepReport> Steps; ///< by process and start
  std::vector<unsigned> Users;   ///< processes by memory space
  std::vector<DeviceGap> Gaps;
};
} // namespace

static SpaceShares sharesOf(const ProcessStats &P) {
  SpaceShare Host;
  Host.LiveBytes = P.LiveBytes;
  Host.PeakBytes = P.PeakBytes;
  SpaceShares Out = {Host};
  append_range(Out, P.Shares);
  return Out;
}

static uint64_t highestPeak(const ProcessStats *P) {
  uint64_t Peak = 0;
  if (P)
    for (const SpaceShare &S : sharesOf(*P))
      Peak = std::max(Peak, S.PeakBytes);
  return Peak;
}

void RankReader::countUsers() {
  Users.resize(T.devices().size() + 1);
  for (const ProcessStats &P : T.summary().Processes)
    for (const SpaceShare &S : P.Shares)
      Users[S.Space] += S.PeakBytes != 0;
}

Error RankReader::readGaps() {
  if (T.devices().empty() || !T.hasReader())
    return Error::success();
  Expected<MarkSeries> Marks = readMarkSeries(T);
  if (!Marks)
    return Marks.takeError();
  // Samples of old recorders, which leave the sum to the reader, are left out:
  // the sum needs the intervals.
  for (std::vector<UsedPoint> &Points : Marks->Devices)
    erase_if(Points, [](const UsedPoint &P) { return !P.Accounted; });
  LiveSeries None;
  None.Heaps.resize(T.heaps().size() + 1);
  Gaps = findGaps(T, *Marks, None);
  return Error::success();
}

ArrayRef<StepReport> RankReader::stepsOf(uint32_t Process) const {
  auto Begin = partition_point(
      Steps, [&](const StepReport &S) { return S.Process < Process; });
  auto End = std::partition_point(Begin, Steps.end(), [&](const StepReport &S) {
    return S.Process == Process;
  });
  return ArrayRef(Steps).slice(Begin - Steps.begin(), End - Begin);
}

uint32_t RankReader::mainOf(const JobRank &R) const {
  auto Weight = [&](uint32_t Id) {
    return std::pair(stepsOf(Id).size(), highestPeak(T.processStats(Id)));
  };
  return *max_element(R.Processes, [&](uint32_t A, uint32_t B) {
    return Weight(A) < Weight(B);
  });
}

void RankReader::addPlace(JobRank &R, const JobPlace &Place) const {
  const Header &H = T.header();
  R.Rank = Place.Rank;
  R.WorldSize = Place.WorldSize;
  R.LocalRank = Place.LocalRank;
  R.Node = Place.Node;
  R.Attempt = Place.Attempt;
  R.Job = T.string(Place.Job).str();
  R.Host = Place.Host ? T.string(Place.Host).str() : H.Host;
  R.BootId = H.BootId;
  R.Start = H.Start;
  R.Pid = T.processes()[R.Main - 1].Pid;
  R.Program = T.processName(R.Main).str();
  // Python's name of a program on its command line says nothing alone.
  if (R.Program == "-c")
    R.Program = "python -c";
}

/// The name of a memory space on the rank's own machine: `cuda:3` of
/// `node1/cuda:3`, which a merged trace has.
static std::string nameOnHost(StringRef Name, StringRef Host) {
  StringRef Rest = Name;
  return Rest.consume_front(Host) && Rest.consume_front("/") ? Rest.str()
                                                             : Name.str();
}

void RankReader::addDevice(RankSpace &S, uint32_t Space) const {
  S.TotalBytes = T.devices()[Space - 1].Bytes;
  if (Users[Space] > 1)
    return;
  for (uint32_t Id = 1; Id <= T.heaps().size(); ++Id) {
    const Heap &H = T.heap(Id);
    bool IsInner = H.Parent && T.heap(H.Parent).Space == Space;
    if (H.Space == Space && !IsInner && !(H.Flags & HF_OutsideTotals))
      S.ReservedPeakBytes += T.heapStats(Id).ReservedPeakBytes;
  }
  for (const DeviceGap &G : Gaps)
    if (G.Device == Space) {
      S.TotalBytes = std::max(S.TotalBytes, G.TotalBytes);
      S.UsedPeakBytes = G.MaxUsed.Used;
      S.UnexplainedBytes = G.Largest.unknown();
    }
}

void RankReader::addSpaces(JobRank &R) const {
  std::map<uint32_t, RankSpace> Of; // by memory space
  Of[0].Name = "host";
  std::map<uint32_t, unsigned> NumUsers;
  for (uint32_t Id : R.Processes) {
    const ProcessStats *P = T.processStats(Id);
    if (!P)
      continue;
    for (const SpaceShare &S : sharesOf(*P)) {
      if (!S.PeakBytes)
        continue;
      Of[S.Space].PeakBytes += S.PeakBytes;
      Of[S.Space].LiveBytes += S.LiveBytes;
      Of[S.Space].IsUpperBound = ++NumUsers[S.Space] > 1;
    }
    R.RssPeakBytes = std::max(R.RssPeakBytes, P->RssPeakBytes);
    R.Lost += P->Lost;
  }
  std::map<uint32_t, unsigned> AllUsers;
  for (const ProcessStats &P : T.summary().Processes)
    for (const SpaceShare &S : sharesOf(P))
      AllUsers[S.Space] += S.PeakBytes != 0;
  std::vector<uint32_t> Spaces;
  for (auto &[Space, S] : Of) {
    // The trace knows the peak of all its processes together.
    S.PeakBytes = std::min(S.PeakBytes, T.spaceStats(Space).PeakBytes);
    if (NumUsers[Space] == AllUsers[Space] && !hasSummedPeaks(T.header()))
      S.IsUpperBound = false;
    Spaces.push_back(Space);
    S.Id = Space;
    if (Space) {
      S.Name = nameOnHost(T.spaceName(Space), R.Host);
      addDevice(S, Space);
    }
    R.Spaces.push_back(std::move(S));
  }
  addSteps(R, Spaces);
}

static const SpaceShare *shareIn(const SpaceShares &Of, uint32_t Space) {
  auto At = find_if(Of, [&](const SpaceShare &S) { return S.Space == Space; });
  return At == Of.end() ? nullptr : &*At;
}

void RankReader::addSteps(JobRank &R, ArrayRef<uint32_t> Spaces) const {
  ArrayRef<StepReport> Of = stepsOf(R.Main);
  if (Of.empty() || !T.processStats(R.Main))
    return;
  // A merged trace has a sample of the steps.
  auto ByNumber = [](const StepReport &A, const StepReport &B) {
    return A.Step < B.Step;
  };
  auto [Least, Most] = std::minmax_element(Of.begin(), Of.end(), ByNumber);
  R.LastStep = Most->Step;
  R.NumSteps = Most->Step - Least->Step + 1;
  uint64_t Stride = stepStride(*R.LastStep);
  std::vector<std::vector<uint64_t>> Lives(Spaces.size());
  std::vector<uint64_t> Highest(Spaces.size());
  for (const StepReport &S : Of) {
    SpaceShares All = allShares(S);
    bool IsKept = S.Step % Stride == 0 && R.Steps.size() < MaxSampledSteps;
    if (IsKept) {
      R.Steps.Numbers.push_back(S.Step);
      R.Steps.BeginNs.push_back(S.BeginNs);
      R.Steps.EndNs.push_back(S.EndNs);
    }
    for (size_t I = 0; I != Spaces.size(); ++I) {
      const SpaceShare *Share = shareIn(All, Spaces[I]);
      uint64_t Live = Share ? Share->LiveBytes : 0;
      if (IsKept)
        R.Steps.Live.push_back(Live);
      if (IsKept && !S.IsOpen)
        Lives[I].push_back(Live);
      if (Share && Share->PeakBytes > Highest[I]) {
        Highest[I] = Share->PeakBytes;
        R.Spaces[I].PeakStep = S.Step;
      }
    }
  }
  SpaceShares Whole = sharesOf(*T.processStats(R.Main));
  for (size_t I = 0; I != Spaces.size(); ++I) {
    R.Spaces[I].GrowthPerStep = steadyRise(Lives[I]) / double(Stride);
    // The peak was before the first step, or within a step of which only the
    // end is known.
    const SpaceShare *Share = shareIn(Whole, Spaces[I]);
    if (Share && Highest[I] < Share->PeakBytes)
      R.Spaces[I].PeakStep.reset();
  }
}

std::optional<uint64_t> RankReader::cutOf(const JobRank &R) const {
  std::optional<uint64_t> At;
  for (uint32_t Id : R.Processes)
    if (const ProcessStats *P = T.processStats(Id); P && P->CutNs)
      At = std::max(At.value_or(0), P->CutNs);
  bool IsFileCut = !T.isComplete() && !T.isBeingRecorded();
  return IsFileCut ? T.endNs() : At;
}

void RankReader::addEnd(JobRank &R) const {
  R.CutNs = cutOf(R);
  R.BeginNs = T.processes()[R.Processes.front() - 1].StartNs;
  const ProcessStats *Main = T.processStats(R.Main);
  R.EndNs = Main && Main->Ended ? Main->EndNs : R.CutNs.value_or(T.endNs());
  if (T.isBeingRecorded()) {
    R.End = RankEnd::Recording;
  } else if (Main && Main->Ended) {
    R.End = Main->Signal           ? RankEnd::Killed
            : Main->ExitStatus > 0 ? RankEnd::Failed
                                   : RankEnd::Exited;
    R.EndValue = Main->Signal ? static_cast<int32_t>(Main->Signal)
                              : std::max(0, Main->ExitStatus);
  }
}

void RankReader::addOoms(JobRank &R) const {
  for (const OomRecord &O : T.summary().Ooms) {
    if (!is_contained(R.Processes, O.Process))
      continue;
    if (!R.Oom) {
      R.Oom.emplace();
      R.Oom->TimeNs = O.TimeNs;
      R.Oom->Requested = O.Requested;
      R.Oom->Space = nameOnHost(T.spaceName(T.heap(O.Heap).Space), R.Host);
      for (const StepReport &S : stepsOf(O.Process))
        if (S.BeginNs <= O.TimeNs)
          R.Oom->Step = S.Step;
    }
    R.Oom->Count += 1 + O.Skipped;
  }
}

void RankReader::addLayers(JobRank &R) const {
  std::set<StringRef> Names;
  for (const LayerStats &L : T.summary().Layers)
    if (L.Kind == ScopeKind::Layer && is_contained(R.Processes, L.Process))
      Names.insert(T.string(L.Name));
  R.Layers.assign(Names.begin(), Names.end());
}

JobRank RankReader::read(ArrayRef<uint32_t> Processes,
                         const JobPlace &Place) const {
  JobRank R;
  R.Processes = Processes;
  R.Main = mainOf(R);
  addPlace(R, Place);
  addSpaces(R);
  addEnd(R);
  addOoms(R);
  addLayers(R);
  return R;
}

Expected<std::vector<JobRank>> queryRanks(const Trace &T) {
  RankReader Reader(T);
  if (Error E = Reader.readGaps())
    return std::move(E);
  std::vector<JobRank> Out;
  RankFinder Finder(T.processes());
  if (Finder.hasRanks()) {
    for (const auto &[Root, Processes] : Finder.ranks())
      Out.push_back(Reader.read(Processes, T.processes()[Root - 1].Place));
  } else {
    // An older trace has the rank of its first process in the header.
    JobPlace Place;
    Place.Rank = T.header().Rank;
    Place.WorldSize = T.header().WorldSize;
    std::vector<uint32_t> All;
    for (uint32_t Id = 1; Id <= T.processes().size(); ++Id)
      if (T.processes()[Id - 1].Recorded)
        All.push_back(Id);
    if (!All.empty())
      Out.push_back(Reader.read(All, Place));
  }
  stable_sort(Out, [](const JobRank &A, const JobRank &B) {
    return std::pair(A.Rank, A.Attempt) < std::pair(B.Rank, B.Attempt);
  });
  return Out;
}

} // namespace memkit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks of a distributed job in one trace.
//
// A rank is a process with a rank from its launcher (JobPlace), with the
// processes that it started. A process that started processes of other ranks is
// a launcher and belongs to no rank. So a trace of a launcher with N ranks, and
// N traces of a rank each, give the same ranks. A trace without any rank is one
// row without a rank.

#ifndef MEMKIT_ANALYSIS_JOBRANKS_H
#define MEMKIT_ANALYSIS_JOBRANKS_H

#include "memkit/Model/Trace.h"
#include <optional>
#include <string>
#include <vector>

namespace memkit {

/// The memory of a rank in a memory space. 0: not known.
struct RankSpace {
  uint32_t Id = 0;  ///< in the trace, as TotalStats::Id
  std::string Name; ///< `host`, `cuda:3`; in a merged trace without the machine
  /// The sum of the peaks of the rank's processes, which is an upper bound of
  /// the rank's peak if several processes used the space.
  uint64_t PeakBytes = 0;
  bool IsUpperBound = false;
  uint64_t LiveBytes = 0;           ///< at the end of each process
  std::optional<uint64_t> PeakStep; ///< of the main process
  uint64_t ReservedPeakBytes = 0;   ///< of a device that no other rank uses
  uint64_t UsedPeakBytes = 0;       ///< of the device, by anyone
  uint64_t UnexplainedBytes = 0;    ///< the largest gap that the device had
  uint64_t TotalBytes = 0;          ///< of the device
  /// Bytes a step by which live bytes rose to the end, steadily; 0: live bytes
  /// did not rise, or too few steps to tell.
  double GrowthPerStep = 0;
  /// Of a rank without steps: bytes a second that memleak calls a leak, in all
  /// processes; 0: none, or not searched.
  double LeakPerSecond = 0;
};

/// The first out-of-memory event of a rank.
struct RankOom {
  uint64_t TimeNs = 0;
  uint64_t Requested = 0; ///< bytes; 0: not known
  std::string Space;      ///< `cuda:3`
  std::optional<uint64_t> Step;
  uint64_t Count = 0; ///< out-of-memory events of the rank
};

/// The steps that divide by stepStride() (StepSample.h). Times are of the
/// trace's clock.
struct RankSteps {
  std::vector<uint64_t> Numbers, BeginNs, EndNs;
  /// Live bytes at the end of each step: the steps of Spaces[0], ...
  std::vector<uint64_t> Live;
  size_t size() const { return Numbers.size(); }
};

/// The end of a collective operation: the n-th of its name in the rank.
struct RankCollective {
  uint64_t Key = 0; ///< of name and number; equal in all ranks
  uint64_t EndNs = 0;
};

enum class RankEnd : uint8_t {
  Exited,    ///< with status 0, or an unknown status
  Failed,    ///< with another status
  Killed,    ///< by a signal
  NotEnded,  ///< the recording ended before the process
  Recording, ///< the recording still runs
};

struct JobRank {
  size_t File = 0; ///< the number of the trace
  // The place in the job; -1, or empty: not known.
  int32_t Rank = -1, WorldSize = -1, LocalRank = -1, Node = -1, Attempt = -1;
  std::string Job, Host, BootId, Program;
  /// The process with most steps, then with the highest peak.
  uint32_t Main = 0, Pid = 0;
  std::vector<uint32_t> Processes; ///< ids in the trace, rising

  std::vector<RankSpace> Spaces; ///< `host`, then devices with memory
  uint64_t RssPeakBytes = 0;     ///< of the largest process; 0: not sampled
  uint64_t NumSteps = 0;         ///< from the first to the last number
  std::optional<uint64_t> LastStep;
  RankSteps Steps;
  /// Of the main process, by rising key; see JobCollectives.h.
  std::vector<RankCollective> Collectives;
  std::optional<RankOom> Oom;

  RankEnd End = RankEnd::NotEnded;
  int32_t EndValue = 0;            ///< status, or signal
  uint64_t BeginNs = 0, EndNs = 0; ///< of the processes, on the trace's clock
  ClockTriple Start;               ///< the start of the trace's clock
  uint64_t Lost = 0;               ///< events
  /// When the recording was cut off, on the trace's clock; nullopt: it was not.
  std::optional<uint64_t> CutNs;
  std::vector<std::string> Layers; ///< names, sorted

  /// How long the rank had run when its recording was cut off; needs CutNs.
  uint64_t cutAfterNs() const {
    return *CutNs > BeginNs ? *CutNs - BeginNs : 0;
  }
  /// The device with the rank's highest peak; null: no device has memory.
  const RankSpace *device() const;
  const RankSpace &host() const { return Spaces.front(); }
};

/// The ranks of T, by rising rank. Reads TP_Totals, and of a trace with devices
/// the marks. Errors: of reading the marks.
llvm::Expected<std::vector<JobRank>> queryRanks(const Trace &T);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_JOBRANKS_H

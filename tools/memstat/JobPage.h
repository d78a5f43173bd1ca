// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of a distributed job.

#ifndef MEMKIT_TOOLS_MEMSTAT_JOBPAGE_H
#define MEMKIT_TOOLS_MEMSTAT_JOBPAGE_H

#include "Page.h"
#include "Report/JobSentences.h"
#include "Support/Condition.h"
#include "llvm/Support/JSON.h"
#include <memory>

namespace memkit {

class Rules;

enum class JobFormat { Text, Json, Markdown };

struct JobPageOptions {
  size_t Top = 3;        ///< JobInput::Top
  bool AllRanks = false; ///< JobInput::AllRanks
  std::string Output = "-";
  JobFormat As = JobFormat::Text;
  std::shared_ptr<const Rules> Names; ///< SelectionSpec::Names
  std::vector<RankDimension> Groups;  ///< of --groups
  bool FindsLeaks = true;             ///< without --no-growth
};

/// Reads the traces of Inputs, folders among them, and writes the page. Errors:
/// a folder that cannot be read; no trace could be read. A single trace that
/// cannot be read is on the page.
llvm::Expected<JobReport> showJob(llvm::ArrayRef<std::string> Inputs,
                                  const JobPageOptions &Options);

/// Writes the page of a job to Options.Output.
llvm::Error writeJob(const JobInput &In, const JobPageOptions &Options);

/// The ranks of T, if T has several; what stands out is compared with typical
/// ranks. Reads TP_All. Errors: of reading T.
struct RanksOfTrace {
  JobReport Job;
  std::vector<JobDetail> Details;
  std::vector<TogetherPeak> Together; ///< JobInput::Together
};
llvm::Expected<std::optional<RanksOfTrace>>
ranksOfTrace(const SelectedStats &S, std::vector<RankDimension> Groups);

/// The value of --groups, `NAME:SIZE[:STRIDE],...`. Errors: UsageError.
llvm::Expected<std::vector<RankDimension>>
parseGroups(llvm::ArrayRef<std::string> Texts);

/// The memory spaces of all ranks, each once.
std::vector<std::string> spacesOfJob(const JobReport &J);
/// The values of all ranks that conditions may be about.
std::vector<MetricValue> metricsOfJob(const JobReport &J);

// JobSections.cpp
/// The verdict, then the table of ranks; with AllRanks, of machines.
std::vector<PageSection> jobSections(const JobInput &In);
/// Of a trace with several ranks: what stands out, and the table.
PageSection rankSection(const JobInput &In);

// JobJson.cpp
/// The attributes of a job: docs/CommandGuide/memstat.md.
void writeJobJson(llvm::json::OStream &J, const JobInput &In);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSTAT_JOBPAGE_H

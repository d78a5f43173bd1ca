// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The summary that counts.
//
// The last complete summary of a trace, found in a file or gathered from a
// stream, its parts joined. The only place that knows which summary counts and
// how parts are joined.

#ifndef MEMKIT_LIB_MODEL_LASTSUMMARY_H
#define MEMKIT_LIB_MODEL_LASTSUMMARY_H

#include "memkit/Model/PackedRows.h"
#include "memkit/Trace/TraceReader.h"

namespace memkit {

/// A summary in one piece.
struct LastSummary {
  Summary Totals; ///< all lists but the rows of stacks and scope paths
  /// In the order of the file; empty where they were not asked for.
  std::vector<PackedRows> StackRows, ScopeRows;
  std::vector<SectionInfo> Sections; ///< of its parts, in the file's order
  bool IsThere = false;              ///< else the trace has no such summary

  /// Adds a part behind those that are there, and packs its rows.
  void add(Summary &Part);
};

/// The parts of the last complete summary, as a file or a stream gives them.
class SummaryParts {
public:
  /// Which complete summary counts.
  enum class SummaryPlace {
    AtEnd,    ///< one that no events follow: its sums are those of the trace
    Anywhere, ///< the last one
  };
  /// Finds the summary in a file, from the end, so that no other is decoded.
  /// Without WithRows the rows of stacks and scope paths are not decoded. Ids
  /// are not checked.
  llvm::Error read(TraceReader &Reader, bool WithRows, SummaryPlace Place);

  /// Adds the next Summary section of a stream; true: the section completes a
  /// summary, which take() then gives.
  bool add(Summary Part, const SectionInfo &Info);

  /// Checks the ids of all parts and joins the parts; leaves nothing. Errors: a
  /// TraceError with the offset of the part.
  llvm::Expected<LastSummary> take(const IdLimits &Limits,
                                   llvm::StringRef File);

private:
  /// A part whose rows of stacks are packed.
  struct SummaryPart {
    Summary Totals;
    std::vector<PackedRows> StackRows;
    SectionInfo Info;
  };
  void append(Summary &Part, const SectionInfo &Info);
  llvm::Error readUpTo(TraceReader &Reader, size_t LastPart, bool WithRows);

  std::vector<SummaryPart> Parts; ///< in the file's order
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_LASTSUMMARY_H

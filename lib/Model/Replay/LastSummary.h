// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The summary that counts.
//
// Finds the last complete summary of a file or a stream and joins the parts. No
// other code knows which summary counts, or how to join parts.

#ifndef MEMKIT_LIB_MODEL_LASTSUMMARY_H
#define MEMKIT_LIB_MODEL_LASTSUMMARY_H

#include "memkit/Model/PackedRows.h"
#include "memkit/Trace/TraceReader.h"

namespace memkit {

/// A summary in one piece.
struct LastSummary {
  Summary Totals; ///< all lists but the rows of stacks and scope paths
  /// In the order of the file; empty when only totals were read.
  std::vector<PackedRows> StackRows, ScopeRows;
  std::vector<SectionInfo> Sections; ///< of the parts, in the file's order
  bool IsThere = false;              ///< false: no complete summary

  /// Appends a part and packs the part's rows.
  void add(Summary &Part);
};

/// The parts of the last complete summary, as a file or a stream gives them.
class SummaryParts {
public:
  /// Which complete summary counts.
  enum class SummaryPlace {
    AtEnd,    ///< the last summary, if no events follow
    Anywhere, ///< the last summary
  };
  /// Searches a file from the end and decodes no other summary. Without
  /// WithRows rows of stacks and scope paths are not decoded. Ids are not
  /// checked.
  llvm::Error read(TraceReader &Reader, bool WithRows, SummaryPlace Place);

  /// Adds the next Summary section of a stream. True: the summary is complete,
  /// and take() gives the summary.
  bool add(Summary Part, const SectionInfo &Info);

  /// Checks all ids and joins the parts; nothing is left. Errors: a TraceError
  /// with the part's offset.
  llvm::Expected<LastSummary> take(const IdLimits &Limits,
                                   llvm::StringRef File);

private:
  /// A part with packed rows of stacks.
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

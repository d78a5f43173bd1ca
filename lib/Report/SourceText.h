// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a file of source, as far as it can be known.

#ifndef MEMKIT_LIB_REPORT_SOURCETEXT_H
#define MEMKIT_LIB_REPORT_SOURCETEXT_H

#include "memkit/Analysis/SourceUse.h"
#include <map>
#include <string>
#include <vector>

namespace memkit {

/// The lines of a file on this machine, or those that the trace has.
struct SourceText {
  std::vector<std::string> Lines; ///< from line 1; empty: no file
  std::string Doubt;              ///< why there is no file; empty: there is
  std::map<uint64_t, std::string> OfTrace; ///< by line; with a doubt

  /// Use's file as it was recorded: where a line that the trace has reads
  /// otherwise, the file has changed, and is not used; neither is a file of
  /// which the trace has no line.
  static SourceText read(const SourceUse &Use);

private:
  static SourceText readFile(const SourceUse &Use);
};

/// A line of a file that is shown.
struct SourceRow {
  uint64_t Line = 0;
  const LineUse *Use = nullptr; ///< null: holds nothing
  std::string Text;
};

/// The lines of Use that hold or have held memory, each with Context lines of
/// the file before and behind, by line. Use must live as long.
std::vector<SourceRow> sourceRows(const SourceUse &Use, const SourceText &Text,
                                  uint64_t Context);
/// Whether a line holds bytes at the peak or at the end, or has allocated.
bool holdsMemory(const LineUse &L);

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_SOURCETEXT_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a file of source, as far as it can be known.

#ifndef MEMKIT_LIB_REPORT_SOURCETEXT_H
#define MEMKIT_LIB_REPORT_SOURCETEXT_H

#include "memkit/Analysis/SourceUse.h"
#include <string>
#include <vector>

namespace memkit {

/// The lines of a file on this machine, or those that the trace has.
struct SourceText {
  std::vector<std::string> Lines; ///< from line 1; empty: no file
  std::string Doubt;              ///< why there is no file; empty: there is

  /// Use's file as it was recorded: where a line that the trace has reads
  /// otherwise, the file has changed, and is not used; neither is a file of
  /// which the trace has no line.
  static SourceText read(const SourceUse &Use);
};

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_SOURCETEXT_H

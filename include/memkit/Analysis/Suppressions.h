// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suppressions of known leaks.
//
// A suppressions file has the format of LeakSanitizer: a line `leak:PATTERN`;
// empty lines and lines that start with `#` are skipped. PATTERN is searched
// anywhere in the name of a function, a source file or a binary of any frame.
// `*` stands for any text; `^` at the start of PATTERN and `$` at its end bind
// the pattern to the ends of the name.

#ifndef MEMKIT_ANALYSIS_SUPPRESSIONS_H
#define MEMKIT_ANALYSIS_SUPPRESSIONS_H

#include "memkit/Model/Trace.h"

namespace memkit {

/// Whether Text matches a pattern of a suppressions file.
bool matchSuppression(llvm::StringRef Pattern, llvm::StringRef Text);

class Suppressions {
public:
  /// Reads the text of a suppressions file; File names it in errors
  /// (`FILE:LINE: what`). Several may be read one after the other.
  llvm::Error parse(llvm::StringRef Text, llvm::StringRef File);
  llvm::Error parseFile(llvm::StringRef Path);

  /// Patterns for memory that programs like \p T keep to their end by design:
  /// the loader's tables, an interpreter's arenas and interned strings.
  static Suppressions byDefault(const Trace &T);

  bool empty() const { return Patterns.empty(); }
  llvm::ArrayRef<std::string> patterns() const { return Patterns; }

  /// For each node of T (by id) the number, counted from 1, of the pattern that
  /// hides stacks through the node; 0: none. When several patterns match, the
  /// match nearest to the root counts; in one frame, the first pattern of the
  /// file.
  std::vector<uint32_t> matchNodes(const Trace &T) const;

private:
  std::vector<std::string> Patterns;
};

} // namespace memkit

#endif // MEMKIT_ANALYSIS_SUPPRESSIONS_H

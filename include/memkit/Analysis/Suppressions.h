// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaks that are known and not reported.
//
// The file is that of LeakSanitizer: a line `leak:PATTERN`; empty lines and
// lines that begin with `#` are skipped. PATTERN is found anywhere in the name
// of a function, a source file or a binary of any frame; `*` stands for any
// text, `^` at its begin and `$` at its end bind it to the ends of the name.

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

  /// What lives at the end of programs like that of \p T by design: the
  /// loader's tables, an interpreter's arenas and interned strings.
  static Suppressions byDefault(const Trace &T);

  bool empty() const { return Patterns.empty(); }
  llvm::ArrayRef<std::string> patterns() const { return Patterns; }

  /// For each node of T (by id) the number of the pattern, counted from 1, that
  /// hides stacks through it; 0 for none. Of several the one matching nearest
  /// the root counts, in one frame the first of the file.
  std::vector<uint32_t> matchNodes(const Trace &T) const;

private:
  std::vector<std::string> Patterns;
};

} // namespace memkit

#endif // MEMKIT_ANALYSIS_SUPPRESSIONS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suppressions of known leaks and changes: the `leak` and `change` rules
// (Rules.h).

#ifndef MEMKIT_ANALYSIS_SUPPRESSIONS_H
#define MEMKIT_ANALYSIS_SUPPRESSIONS_H

#include "memkit/Model/Rules.h"
#include "memkit/Model/Trace.h"

namespace memkit {

class Suppressions {
public:
  Suppressions() = default;
  /// The user's rules of `leak`.
  static Suppressions ofUser(const Rules &R);
  /// The rules of `change`.
  static Suppressions ofChanges(const Rules &R);
  /// The built-in rules for memory that programs like \p T keep to their end by
  /// design: the loader's tables, an interpreter's arenas and interned strings;
  /// and what the initializers of the C++ library allocate.
  static Suppressions byDefault(const Trace &T);

  bool empty() const { return Patterns.empty(); }
  llvm::ArrayRef<std::string> patterns() const { return Patterns; }

  /// The pattern of a number of matchNodes(); empty: what no pattern says.
  llvm::StringRef patternOf(uint32_t Number) const {
    return Number <= Patterns.size() ? llvm::StringRef(Patterns[Number - 1])
                                     : llvm::StringRef();
  }

  /// For each node of T (by id) the number, counted from 1, of the pattern that
  /// hides stacks through the node; 0: none. When several patterns match, the
  /// match nearest to the root counts; in one frame, the first pattern of the
  /// file.
  std::vector<uint32_t> matchNodes(const Trace &T) const;

private:
  void addInitializers(const Trace &T, std::vector<uint32_t> &OfNode) const;

  std::vector<std::string> Patterns; ///< as written, with their fields
  /// By pattern: it holds only in traces with this heap; empty: in all. As long
  /// as Patterns, or shorter.
  std::vector<std::string> Heaps;
  /// The initializers of the C++ library are hidden, with the number after the
  /// last pattern's.
  bool HidesInitializers = false;
};

} // namespace memkit

#endif // MEMKIT_ANALYSIS_SUPPRESSIONS_H

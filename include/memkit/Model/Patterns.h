// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns of names, as rules and suppressions have them.
//
// A pattern is searched anywhere in a name. `*` stands for any text; `^` at the
// start and `$` at the end bind the pattern to the ends of the name.

#ifndef MEMKIT_MODEL_PATTERNS_H
#define MEMKIT_MODEL_PATTERNS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace memkit {

/// Whether Text has the pattern. An empty Text has none.
bool matchPattern(llvm::StringRef Pattern, llvm::StringRef Text);

/// A list of patterns, each with a value. Names are matched with patterns
/// bound to the start (`^std::`) without a look at most other patterns, so
/// that long lists of such patterns are fast.
class PatternList {
public:
  void add(llvm::StringRef Pattern, uint32_t Value);
  /// The value of the first added pattern that Text has.
  std::optional<uint32_t> find(llvm::StringRef Text) const;
  bool empty() const { return Patterns.empty(); }

private:
  struct ValuedPattern {
    std::string Text;
    uint32_t Value;
  };
  std::vector<ValuedPattern> Patterns; ///< in the order of add()
  llvm::StringMap<uint32_t> Exact;     ///< `^name$`: index in Patterns
  /// Indices of patterns bound to the start, by their first character, rising.
  std::vector<uint32_t> ByFirst[256];
  std::vector<uint32_t> Others; ///< rising
  /// The first characters of the patterns that are bound to the start.
  bool Starts[256] = {};
};

/// The names of a function of a stack; a name may be empty.
struct FrameNames {
  llvm::StringRef Function, File, Binary;
};

/// The names that a pattern is searched in.
enum MatchedNames : unsigned { NF_Function = 1, NF_File = 2, NF_Binary = 4 };

/// Patterns for some of a frame's names.
struct NamePatterns {
  PatternList Function, File, Binary;

  /// Adds a pattern for Fields (MatchedNames), or for the one that the pattern
  /// chooses: `file=/srv/`. False, and nothing is added, without a pattern.
  bool add(llvm::StringRef Pattern, uint32_t Value,
           unsigned Fields = NF_Function | NF_File | NF_Binary);
  /// The lowest value of the patterns that the names have. Values must rise
  /// with add().
  std::optional<uint32_t> find(const FrameNames &F) const;
};

} // namespace memkit

#endif // MEMKIT_MODEL_PATTERNS_H

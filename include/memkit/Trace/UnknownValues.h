// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of enumerations that only a newer memkit knows.
//
// A reader skips or replaces such a value, as docs/TraceFormat.md says for each
// enumeration, and counts it. A copy of a trace would lose the value, so a
// reader that copies refuses it instead. Unknown kinds of events are errors for
// all readers.

#ifndef MEMKIT_TRACE_UNKNOWNVALUES_H
#define MEMKIT_TRACE_UNKNOWNVALUES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

/// How many entries had a value that this version does not know, by what the
/// entries are.
struct UnknownValues {
  enum Of : uint8_t {
    Sections,
    Frames,
    Scopes,
    Processes, ///< of an unknown origin
    Marks,
    Intervals, ///< of an unknown detail
    Layers,    ///< LayerStats of an unknown kind of scope
    Losses,
    Categories,
  };
  static constexpr size_t NumOf = 9;
  std::array<uint64_t, NumOf> Counts{};

  bool any() const;
  UnknownValues &operator+=(const UnknownValues &Other);
  /// Of the same section, read in another way: the higher counts are taken.
  void join(const UnknownValues &Other);
  /// `3 marks, 1 scope`; empty for none.
  std::string list() const;
  /// For warnings, one for each Of that has some: `3 marks of a kind that this
  /// version does not know were skipped`.
  std::vector<std::string> sentences() const;
  /// What JSON calls the entries: `marks`.
  static const char *name(Of What);
};

} // namespace memkit

#endif // MEMKIT_TRACE_UNKNOWNVALUES_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts enum values from a newer memkit.
//
// A reader skips or replaces an unknown value, as docs/TraceFormat.md defines
// for each enumeration, and counts the value. A copy of a trace would lose the
// value, so a reader that copies fails instead. Unknown kinds of events are
// errors for all readers.

#ifndef MEMKIT_TRACE_UNKNOWNVALUES_H
#define MEMKIT_TRACE_UNKNOWNVALUES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

/// The number of entries with an unknown value, by type of entry.
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
    Ooms, ///< of an unknown kind, or with an unknown kind of limit
    DeviceTimes,
  };
  static constexpr size_t NumOf = 11;
  std::array<uint64_t, NumOf> Counts{};

  bool any() const;
  UnknownValues &operator+=(const UnknownValues &Other);
  /// Joins counts of one section that was read in two ways: the higher counts
  /// are kept.
  void join(const UnknownValues &Other);
  /// `3 marks, 1 scope`; empty for none.
  std::string list() const;
  /// Sentences for warnings, one for each type with a count: `3 marks of a kind
  /// that this version does not know were skipped`.
  std::vector<std::string> sentences() const;
  /// The name of a type in JSON: `marks`.
  static const char *name(Of What);
};

} // namespace memkit

#endif // MEMKIT_TRACE_UNKNOWNVALUES_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a source of the capture library has found in a process, for the user.
//
// The program writes a code, and the recorder says its text. A new source adds
// a header with its codes and texts, and a line to FindingSources.h.

#ifndef MEMKIT_LIB_WIRE_FINDINGS_H
#define MEMKIT_LIB_WIRE_FINDINGS_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memkit::wire {

/// The last finding of a source. P writes.
struct SourceFinding {
  /// Of the source, written last; 0: nothing yet.
  std::atomic<uint32_t> Code;
  std::atomic<uint32_t> Why; ///< another code, the reason of Code; 0: none
  std::atomic<uint32_t> Argument;
  char Name[128]; ///< ends with NUL
};

enum class FindingLevel : uint8_t {
  Note,
  Warning,
  Alert, ///< a warning that is in the trace, too
};

/// In a text: of each code that has no text before.
inline constexpr uint32_t AnyCode = 0;

/// The text of a code. These stand for other texts:
///   %d  the argument
///   %v  ` 3.11.4`, of the argument as PY_VERSION_HEX; nothing for 0
///   %n  `: NAME`, nothing without a name
///   %s  ` NAME`, nothing without a name
///   %p  the parts that the user wants recorded: `frames and objects`
struct FindingText {
  uint32_t Code;
  FindingLevel Level;
  const char *Text;
  const char *Reason = nullptr; ///< follows the text
  /// 0: of any finding, with the reason of the text of its Why; else only of
  /// findings with this Why, which is not said. With OfBit: a bit with which
  /// the text is not said.
  uint32_t Why = 0;
  const char *Nameless = nullptr; ///< the reason of findings without a name
  /// A finding is said unless one of its rank or of a higher one was said.
  uint32_t Rank = 1;
  bool UsesDevices = false; ///< the program may use devices from now on
};

/// How often the findings of a source are said.
enum class FindingRepeat : uint8_t {
  OfRun,     ///< by rank, once in a run
  OfProcess, ///< once in a process
  /// Once in a process, and once in a run for each code with an argument.
  OfVersion,
  /// Codes are sets of bits, and each bit is said once in a run. Notes are
  /// texts; other bits are names of missing parts, %p in the text of AnyCode.
  OfBit,
};

/// All texts of a source.
struct FindingTexts {
  const FindingText *Texts;
  size_t Size;
  FindingRepeat Repeat = FindingRepeat::OfRun;
  /// With OfBit: the name of a finding is the version of this package.
  const char *Package = nullptr;

  const FindingText *begin() const { return Texts; }
  const FindingText *end() const { return Texts + Size; }
};
template <size_t N>
constexpr FindingTexts findingTexts(const FindingText (&Of)[N],
                                    FindingRepeat Repeat,
                                    const char *Package = nullptr) {
  return {Of, N, Repeat, Package};
}

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_FINDINGS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of Python that the library asks the interpreter to run.

#ifndef MEMKIT_CAPTURE_PYTHON_PENDINGCODE_H
#define MEMKIT_CAPTURE_PYTHON_PENDINGCODE_H

#include "PendingCalls.h"

#include <atomic>
#include <cstdint>

namespace memkit::capture {

/// Runs code in the interpreter's main thread, at a point where the interpreter
/// runs pending calls. Any thread may ask. All zero before begin(), so that the
/// object may lie in memory that a fork clears.
class PendingCode {
public:
  enum class Runs : uint8_t {
    Again, ///< whenever asked for after the last run has begun
    Once,  ///< at most once in a process
  };
  /// \p E: the interpreter's symbols; if one is missing, nothing can be asked.
  /// \p Text: static; defines no name in the program's module, and lets no
  /// exception out.
  void begin(const Exports &E, const char *Text, Runs Often);

  /// A full list of calls loses the request: ask again at the next occasion.
  void ask();

private:
  static int run(void *Self);

  const char *Text = nullptr;
  Runs Often = Runs::Again;
  std::atomic<bool> IsAsked{false};
  PendingCalls Calls;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_PENDINGCODE_H

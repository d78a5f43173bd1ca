// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries a layout on an interpreter of a later version.
//
// memrec knows the structures of the versions that were out when it was made. A
// later version may still have them where its _Py_DebugOffsets say: the frames
// of the program's main thread are walked with this layout, and compared with
// the frame objects that the interpreter itself makes of them. The interpreter
// makes the comparison at one of its own safe points.

#ifndef MEMKIT_CAPTURE_PYTHON_LAYOUTTRIAL_H
#define MEMKIT_CAPTURE_PYTHON_LAYOUTTRIAL_H

#include "Layouts.h"
#include "PendingCalls.h"

#include <atomic>

namespace memkit::capture {

class LayoutTrial {
public:
  enum class TrialResult : uint32_t { None, Asked, Agrees, Differs };

  /// \p E: the interpreter's symbols.
  void begin(const Exports &E);
  TrialResult result() const { return Result.load(std::memory_order_acquire); }
  /// Asks the interpreter for a comparison, once. Any thread that runs Python.
  void request(const PythonLayout &Of);

private:
  static int compare(void *Self);
  bool agrees() const;
  bool agreesWithCode(void *Code) const;
  bool agreesWithFrame(uintptr_t F, void *Object) const;
  uintptr_t visible(uintptr_t F) const;

  std::atomic<TrialResult> Result{TrialResult::None};
  bool HasAll = false;
  PythonLayout L{};
  PendingCalls Calls;
  void *(*ThreadState)() = nullptr;
  void *(*CurrentFrame)() = nullptr;
  void *(*BackOf)(void *) = nullptr;
  void *(*CodeOf)(void *) = nullptr;
  int (*LineNumber)(void *) = nullptr;
  int (*LineOf)(void *, int) = nullptr;
  void *(*Attribute)(void *, const char *) = nullptr;
  const char *(*Utf8)(void *) = nullptr;
  void (*ClearError)() = nullptr;
  void (*Release)(void *) = nullptr;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_LAYOUTTRIAL_H

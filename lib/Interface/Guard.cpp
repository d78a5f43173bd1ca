// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns all failures into errors of the C interface.

#include "Guard.h"
#include "memkit/Support/RequestError.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>

using namespace llvm;
using namespace memkit;

struct memkit_error {
  enum memkit_error_kind Kind = MEMKIT_ERROR_OTHER;
  std::string Message;
  const char *Constant = nullptr; ///< in place of Message; never freed
};

namespace {
/// What LLVM reports before it would end the process.
struct FatalReport {};

// For an error, no memory is needed then.
memkit_error OutOfMemory = {MEMKIT_ERROR_MEMORY, {}, "out of memory"};
memkit_error Internal = {
    MEMKIT_ERROR_OTHER, {}, "an internal limit was reached"};
} // namespace

/// LLVM ends the process in these cases. Frames of LLVM have unwind tables and
/// nothing to release.
static void setHandlers() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    install_bad_alloc_error_handler(
        [](void *, const char *, bool) { throw std::bad_alloc(); });
    install_fatal_error_handler(
        [](void *, const char *, bool) { throw FatalReport(); });
  });
}

static enum memkit_error_kind kindOf(const ErrorInfoBase &E) {
  if (E.isA<TraceError>())
    return MEMKIT_ERROR_TRACE;
  if (!E.isA<RequestError>())
    return MEMKIT_ERROR_ANSWER;
  bool IsWrong = static_cast<const RequestError &>(E).kind() ==
                 RequestError::RequestErrorKind::Malformed;
  return IsWrong ? MEMKIT_ERROR_REQUEST : MEMKIT_ERROR_ANSWER;
}

static memkit_error *makeCError(Error E) {
  auto Out = std::make_unique<memkit_error>();
  handleAllErrors(std::move(E), [&](const ErrorInfoBase &Info) {
    Out->Kind = kindOf(Info);
    Out->Message = Info.message();
  });
  // A message is a line, whatever a file's name holds.
  for (char &C : Out->Message)
    if (C == '\n' || C == '\r')
      C = ' ';
  return Out.release();
}

memkit_error *memkit::guarded(function_ref<Error()> Body) noexcept {
  try {
    setHandlers();
    Error E = Body();
    return E ? makeCError(std::move(E)) : nullptr;
  } catch (const std::bad_alloc &) {
    return &OutOfMemory;
  } catch (const std::length_error &) {
    return &OutOfMemory;
  } catch (...) {
    return &Internal;
  }
}

enum memkit_error_kind memkit_error_kind(const memkit_error *E) {
  return E ? E->Kind : MEMKIT_ERROR_OTHER;
}

const char *memkit_error_message(const memkit_error *E) {
  if (!E)
    return "";
  return E->Constant ? E->Constant : E->Message.c_str();
}

void memkit_error_free(memkit_error *E) {
  if (E && !E->Constant)
    delete E;
}

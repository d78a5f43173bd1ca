// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of Python that the library asks the interpreter to run.

#include "PendingCode.h"

#include "Runtime/Recording.h"

using namespace memkit;
using namespace memkit::capture;

void PendingCode::begin(const Exports &E, const char *Code, Runs HowOften) {
  Text = Code;
  Often = HowOften;
  bool HasAll = E.find("Py_AddPendingCall", AddPendingCall) &&
                E.find("PyRun_SimpleStringFlags", Run);
  if (!HasAll)
    Run = nullptr;
}

void PendingCode::ask() {
  if (!Run || IsAsked.exchange(true, std::memory_order_acq_rel))
    return;
  if (AddPendingCall(run, this) != 0)
    IsAsked.store(false, std::memory_order_release);
}

/// Called by the interpreter, with its lock held. A child of fork inherits the
/// call, but has no functions of its own yet.
int PendingCode::run(void *Self) {
  auto *C = static_cast<PendingCode *>(Self);
  if (C->Often == Runs::Again)
    C->IsAsked.store(false, std::memory_order_release);
  if (C->Run && recordingThread())
    C->Run(C->Text, nullptr);
  return 0;
}

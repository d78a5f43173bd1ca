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
  Calls.find(E);
}

void PendingCode::ask() {
  if (!Calls.isThere() || IsAsked.exchange(true, std::memory_order_acq_rel))
    return;
  if (!Calls.ask(run, this))
    IsAsked.store(false, std::memory_order_release);
}

/// Called by the interpreter, with its lock held. A child of fork inherits the
/// call, but has no functions of its own yet.
int PendingCode::run(void *Self) {
  auto *C = static_cast<PendingCode *>(Self);
  if (C->Often == Runs::Again)
    C->IsAsked.store(false, std::memory_order_release);
  if (C->Calls.isThere() && recordingThread())
    C->Calls.run(C->Text);
  return 0;
}

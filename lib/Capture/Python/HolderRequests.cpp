// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests of memrec for the names that hold memory.

#include "HolderRequests.h"

#include "Runtime/Syscall.h"

using namespace memkit;
using namespace memkit::capture;

/// Each defines no name in the program's module.
static constexpr char Prepare[] = R"(exec('''
try:
    from memkit import _holders
    _holders.prepare(False)
except Exception:
    pass
''', {}))",
                      PrepareEnd[] = R"(exec('''
try:
    from memkit import _holders
    _holders.prepare(True)
except Exception:
    pass
''', {}))",
                      Asked[] = R"(exec('''
try:
    from memkit import _holders
    _holders.asked()
except Exception:
    pass
''', {}))";

void HolderRequests::begin(const Exports &E, wire::Control &C) {
  Ctl = &C;
  bool HasAll = E.find("Py_IsInitialized", IsInitialized) &&
                E.find("Py_AddPendingCall", AddPendingCall) &&
                E.find("PyRun_SimpleStringFlags", Run);
  if (!HasAll)
    Run = nullptr;
  Wanted.store(HasAll && C.HoldersWanted, std::memory_order_relaxed);
}

void HolderRequests::prepare() {
  if (!IsInitialized() || !Wanted.exchange(false, std::memory_order_acq_rel))
    return;
  if (AddPendingCall(runPrepare, this) != 0)
    Wanted.store(true, std::memory_order_release);
}

void HolderRequests::ask() {
  uint32_t Was = Ctl->Settings.Recording.fetch_and(~uint32_t(wire::RB_Holders),
                                                   std::memory_order_relaxed);
  // A full list of calls loses the request: the interpreter is busy elsewhere.
  if (Was & wire::RB_Holders && Run)
    AddPendingCall(runAsked, this);
}

// A limit of the address space refuses a search what the program was refused.

void HolderRequests::reserve() {
  if (Ctl->HoldersWanted & wire::HW_Oom && !Reserve)
    Reserve = sys::reserve(ReservedBytes);
}

void HolderRequests::release() {
  if (Reserve)
    sys::unmap(Reserve, ReservedBytes);
  Reserve = nullptr;
}

// Called by the interpreter, in its main thread, with its lock held. A child of
// fork inherits the calls, but has no functions of its own yet.

int HolderRequests::runPrepare(void *Self) {
  auto *H = static_cast<HolderRequests *>(Self);
  if (!H->Run || !H->Ctl)
    return 0;
  H->Run(H->Ctl->HoldersWanted & wire::HW_End ? PrepareEnd : Prepare, nullptr);
  H->reserve();
  return 0;
}

int HolderRequests::runAsked(void *Self) {
  auto *H = static_cast<HolderRequests *>(Self);
  if (!H->Run)
    return 0;
  H->release();
  H->Run(Asked, nullptr);
  H->reserve();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers that run before their names are known.

#include "WaitingNames.h"

#include "PythonCalls.h"
#include "Runtime/Thread.h"

using namespace memkit;
using namespace memkit::capture;

constinit PythonCalls capture::Py{};

uint64_t WaitingNames::textFor(uintptr_t Identity, const char *Class,
                               size_t Bytes) {
  for (const Waiting &W : Waits)
    if (W.Identity.load(std::memory_order_acquire) == Identity)
      return W.Text.load(std::memory_order_relaxed) | wire::SF_Unnamed;
  uint32_t Place = Next.fetch_add(1, std::memory_order_relaxed);
  if (Place >= MaxUnnamed)
    return Proc.Names.intern(Class, Bytes);
  uint32_t Text = Proc.Names.add(Class, Bytes);
  Waiting &W = Waits[Place % MaxWaiting];
  W.Identity.store(0, std::memory_order_relaxed);
  W.Text.store(Text, std::memory_order_relaxed);
  W.Identity.store(Identity, std::memory_order_release);
  return Text | wire::SF_Unnamed;
}

void WaitingNames::tell(uintptr_t Identity, uint32_t Text) {
  ThreadState *T = recordingThread();
  for (Waiting &W : Waits) {
    if (W.Identity.load(std::memory_order_acquire) != Identity)
      continue;
    uint32_t Old = W.Text.load(std::memory_order_relaxed);
    W.Identity.store(0, std::memory_order_release);
    if (T && hasRoom(*T))
      T->Ring.write(wire::ScopeNameRecord{Old, Text});
  }
}

//===- SliceCutter.cpp - Cuts the slices that a recorder would --*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceCutter.h"
#include <algorithm>

using namespace memkit;
using llvm::Error;

uint64_t SliceCutter::nextTimeStop() {
  uint64_t Next = UINT64_MAX;
  for (uint32_t Id = 1; Id <= numProcesses(); ++Id)
    Next = std::min(Next, Run->accounts().nextSliceNs(Id));
  return Next;
}

Error SliceCutter::timeStop(uint64_t TimeNs, uint64_t NextNs) {
  for (uint32_t Id = 1; Id <= numProcesses(); ++Id)
    if (Run->accounts().nextSliceNs(Id) == TimeNs &&
        Run->accounts().timeSliceDue(Id, NextNs))
      if (Error E = cut(Id, TimeNs))
        return E;
  return Error::success();
}

Error SliceCutter::stepBegun(uint32_t Process, uint64_t TimeNs) {
  const Accounts &A = Run->accounts();
  return A.stepSliceDue(Process) ? cut(Process, TimeNs) : Error::success();
}

Error SliceCutter::processEnds(uint32_t Process, uint64_t TimeNs) {
  if (Error E = cut(Process, TimeNs))
    return E;
  return flush(Process);
}

Error SliceCutter::finish(uint64_t AtNs) {
  uint64_t EndNs = Run->accounts().boundary(AtNs);
  for (uint32_t Id = 1; Id <= numProcesses(); ++Id) {
    if (!Run->accounts().isEnded(Id) && Run->accounts().events(Id))
      if (Error E = cut(Id, EndNs))
        return E;
    if (Error E = flush(Id))
      return E;
  }
  return Error::success();
}

Error SliceCutter::cut(uint32_t Process, uint64_t TimeNs) {
  Accounts &A = Run->accounts();
  A.cutSlice(Process, TimeNs, Run->nextOrdinal(Process), A.dueSums(Process),
             Cut);
  return batch(Process).add(Cut, [&](const Slices &S) { return Out.write(S); });
}

Error SliceCutter::flush(uint32_t Process) {
  return batch(Process).flush([&](const Slices &S) { return Out.write(S); });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the sections of traces.

#include "SectionMerger.h"
#include "Support/Failure.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace llvm;

namespace memkit {

Error SectionMerger::rename(Events &E) {
  E.Process = Names.process(E.Process);
  E.Epoch = 1;
  for (Event &One : E.Rows) {
    One.TimeNs += ShiftNs;
    One.Thread = Names.thread(One.Thread);
    if (One.Kind != EventKind::Allocate)
      continue;
    uint32_t Heap = Names.heap(One.Heap);
    if (Heap > UINT16_MAX)
      return makeError("more than 65535 heaps in all traces");
    One.Heap = static_cast<uint16_t>(Heap);
    if (Error Bad = Names.stack(One.Stack).moveInto(One.Stack))
      return Bad;
    One.ScopePath = Names.scopePath(One.ScopePath);
  }
  return Error::success();
}

/// Values of an alert: value, bound, then pairs of bytes and a stack.
Error SectionMerger::renameAlert(std::vector<uint64_t> &Values) {
  for (size_t I = 2; I + 1 < Values.size(); I += 2) {
    uint64_t &Stack = Values[I + 1];
    if (Stack > Limits->Stacks)
      return makeError("an alert with unknown stack " + Twine(Stack));
    uint32_t New = 0;
    if (Error Bad = Names.stack(static_cast<uint32_t>(Stack)).moveInto(New))
      return Bad;
    Stack = New;
  }
  return Error::success();
}

Error SectionMerger::rename(Marks &M) {
  // A clock ties the trace's own start to the processor's counter.
  erase_if(M.Rows, [](const Mark &R) { return R.Kind == MarkKind::Clock; });
  for (Mark &R : M.Rows) {
    R.Process = Names.process(R.Process);
    R.TimeNs += ShiftNs;
    R.Thread = Names.thread(R.Thread);
    R.Name = Names.string(R.Name);
    if (R.Kind == MarkKind::DeviceUsed)
      R.Id = Names.device(static_cast<uint32_t>(R.Id));
    R.Heap = Names.heap(R.Heap);
    if (Error Bad = Names.stack(R.Stack).moveInto(R.Stack))
      return Bad;
    R.ScopePath = Names.scopePath(R.ScopePath);
    if (R.Kind == MarkKind::Alert)
      if (Error Bad = renameAlert(R.Values))
        return Bad;
  }
  return Error::success();
}

template <class Row> static void sortByHeapAndStack(std::vector<Row> &Rows) {
  sort(Rows, [](const Row &A, const Row &B) {
    return std::tie(A.Heap, A.Stack) < std::tie(B.Heap, B.Stack);
  });
}

Error SectionMerger::rename(Intervals &S) {
  S.Process = Names.process(S.Process);
  for (Interval &I : S.Rows) {
    I.BeginNs += ShiftNs;
    I.EndNs += ShiftNs;
    for (IntervalRow &R : I.Rows) {
      R.Heap = Names.heap(R.Heap);
      if (Error Bad = Names.stack(R.Stack).moveInto(R.Stack))
        return Bad;
    }
  }
  return Error::success();
}

Error SectionMerger::rename(Lifetimes &L) {
  L.Process = Names.process(L.Process);
  for (LifetimeCut &C : L.Cuts)
    if (C.Space > 1)
      C.Space = Names.device(C.Space - 1) + 1;
  for (LifetimeRow &R : L.Rows) {
    R.Heap = Names.heap(R.Heap);
    if (Error Bad = Names.stack(R.Stack).moveInto(R.Stack))
      return Bad;
  }
  sortByHeapAndStack(L.Rows);
  return Error::success();
}

Error SectionMerger::rename(BlockCategories &C) {
  C.Process = Names.process(C.Process);
  for (BlockCategory &R : C.Rows)
    R.Dtype = Names.string(R.Dtype);
  return Error::success();
}

Error SectionMerger::rename(ScopeTimes &S) {
  S.Process = Names.process(S.Process);
  for (ThreadScopes &T : S.Threads) {
    T.Thread = Names.thread(T.Thread);
    T.FirstNs += ShiftNs;
    for (uint32_t &Path : T.ScopePaths)
      Path = Names.scopePath(Path);
  }
  return Error::success();
}

Error SectionMerger::rename(DeviceSpans &S) {
  S.Process = Names.process(S.Process);
  for (DeviceSpan &R : S.Rows) {
    R.Device = Names.device(R.Device);
    R.Name = Names.string(R.Name);
    R.ScopePath = Names.scopePath(R.ScopePath);
    R.BeginNs += ShiftNs;
  }
  return Error::success();
}

template <class Section>
Error SectionMerger::copy(const Trace &T, const SectionInfo &B) {
  Section S;
  if (Error E = T.reader().read(B, S))
    return E;
  if (std::string Problem = T.limits().check(S); !Problem.empty())
    return makeTraceError(T.name(), B.Offset, Problem);
  if (Error E = rename(S))
    return E;
  if (Error E = Names.flush())
    return E;
  return Out.write(S);
}

bool SectionMerger::isWanted(SectionKind Kind) const {
  switch (Kind) {
  case SectionKind::Events:
  case SectionKind::BlockCategories:
  case SectionKind::ScopeTimes:
  case SectionKind::DeviceSpans:
    return Kinds & MS_Events;
  case SectionKind::Marks:
    return Kinds & MS_Marks;
  case SectionKind::Intervals:
  case SectionKind::Lifetimes:
    return Kinds & MS_Intervals;
  default:
    return false;
  }
}

Error SectionMerger::add(const Trace &T, uint64_t Shift) {
  ShiftNs = Shift;
  Limits = &T.limits();
  // A trace of events alone, as a pipe may bring, has no file.
  if (Error E = T.requireReader("merging"))
    return E;
  for (const SectionInfo &B : T.reader().sections()) {
    if (!isWanted(B.Kind))
      continue;
    Error E = Error::success();
    switch (B.Kind) {
    case SectionKind::Events:
      E = copy<Events>(T, B);
      break;
    case SectionKind::Marks:
      E = copy<Marks>(T, B);
      break;
    case SectionKind::Intervals:
      E = copy<Intervals>(T, B);
      break;
    case SectionKind::Lifetimes:
      E = copy<Lifetimes>(T, B);
      break;
    case SectionKind::ScopeTimes:
      E = copy<ScopeTimes>(T, B);
      break;
    case SectionKind::DeviceSpans:
      E = copy<DeviceSpans>(T, B);
      break;
    default:
      E = copy<BlockCategories>(T, B);
    }
    if (E)
      return E;
  }
  return Error::success();
}

} // namespace memkit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of a trace.

#include "memkit/Model/Selection.h"
#include "Model/Names/Globs.h"
#include "Support/CommandText.h"
#include "Support/Failure.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace memkit {

Expected<Selection> Selection::create(const Trace &T, const SelectionSpec &S) {
  Selection Sel;
  Sel.MinSize = S.MinSize;
  if (Error E = Sel.chooseHeaps(T, S))
    return E;
  if (Error E = Sel.chooseProcesses(T, S))
    return E;
  if (Error E = Sel.chooseStacks(T, S))
    return E;
  if (Error E = Sel.chooseThreads(T, S))
    return E;
  if (Error E = Sel.chooseScopePaths(T, S))
    return E;
  if (Error E = Sel.chooseLayers(T, S))
    return E;
  if (Error E = Sel.chooseTimes(T, S))
    return E;
  return Sel;
}

Selection Selection::narrowedTo(uint32_t Heap, uint32_t Process) const {
  Selection Out = *this;
  if (Heap) {
    Out.OuterView = true;
    Out.Heaps.reset();
    Out.Heaps.set(Heap);
  }
  if (Process) {
    Out.Processes.reset();
    Out.Processes.set(Process);
  }
  return Out;
}

Error Selection::chooseHeaps(const Trace &T, const SelectionSpec &S) {
  uint32_t Count = T.heaps().size();
  Heaps.resize(Count + 1);
  OuterView = !S.Heaps.empty();
  Expected<Globs> Wanted = Globs::create(RequestField::Heaps, S.Heaps);
  if (!Wanted)
    return Wanted.takeError();
  std::vector<std::string> There;
  for (uint32_t Id = 1; Id <= Count; ++Id) {
    StringRef Name = T.heapName(Id);
    There.push_back(Name.str());
    Heaps[Id] = OuterView ? Wanted->match(Name)
                          : !(T.heap(Id).Flags & HF_OutsideTotals);
  }
  if (OuterView && Heaps.none() && !S.MayMatchNothing)
    return nothingMatches("heap", S.Heaps, There);
  return Error::success();
}

/// Whether Pattern is `#N` for process Id, or its pid.
static bool namesProcess(const ProcessRecord &I, uint32_t Id,
                         StringRef Pattern) {
  uint32_t Number;
  if (Pattern.consume_front("#"))
    return !Pattern.getAsInteger(10, Number) && Number == Id;
  return !Pattern.getAsInteger(10, Number) && Number == I.Pid;
}

/// `cc1plus -quiet heavy.cpp`, as it was called.
static std::string commandOf(const Trace &T, const ProcessRecord &I) {
  std::string Text;
  for (uint32_t Word : I.Command)
    Text += (Text.empty() ? "" : " ") + T.string(Word).str();
  return Text;
}

Error Selection::chooseProcesses(const Trace &T, const SelectionSpec &S) {
  uint32_t Count = T.processes().size();
  Processes.resize(Count + 1, S.Processes.empty());
  if (S.Processes.empty())
    return Error::success();
  Expected<Globs> Wanted = Globs::create(RequestField::Processes, S.Processes);
  if (!Wanted)
    return Wanted.takeError();
  std::vector<std::string> There;
  for (uint32_t Id = 1; Id <= Count; ++Id) {
    const ProcessRecord &I = T.processes()[Id - 1];
    StringRef Program = T.program(Id);
    There.push_back((Twine(I.Pid) + " (" + T.processName(Id) + ")").str());
    Processes[Id] =
        Wanted->match(Program) || Wanted->match(programName(Program)) ||
        Wanted->match(T.processName(Id)) ||
        any_of(S.Processes,
               [&](const std::string &P) { return namesProcess(I, Id, P); });
  }
  // No process is called so: one may have been called with it.
  if (Processes.none())
    for (uint32_t Id = 1; Id <= Count; ++Id)
      Processes[Id] = Wanted->match(commandOf(T, T.processes()[Id - 1]));
  if (Processes.none() && !S.MayMatchNothing)
    return nothingMatches("process", S.Processes, There);
  return Error::success();
}

Error Selection::chooseStacks(const Trace &T, const SelectionSpec &S) {
  if (S.Stacks.empty())
    return Error::success();
  std::vector<Regex> Wanted;
  for (const std::string &Text : S.Stacks) {
    Wanted.emplace_back(Text);
    std::string Wrong;
    if (!Wanted.back().isValid(Wrong))
      return make_error<RequestError>(RequestError::RequestErrorKind::Malformed,
                                      RequestPart{RequestField::Stacks, Text},
                                      ": " + Wrong);
  }
  auto Matches = [&](StringRef Text) {
    return !Text.empty() &&
           any_of(Wanted, [&](const Regex &R) { return R.match(Text); });
  };
  BitVector FrameMatches(T.numFrames() + 1);
  for (uint32_t F = 1; F <= T.numFrames(); ++F)
    FrameMatches[F] = any_of(T.unfolded(F), [&](const ShownFrame &Shown) {
      return Matches(Shown.Function) || Matches(Shown.File) ||
             Matches(Shown.Binary);
    });
  BitVector NodeMatches(T.numNodes() + 1);
  for (uint32_t N = 1; N <= T.numNodes(); ++N)
    NodeMatches[N] = NodeMatches[T.parent(N)] || FrameMatches[T.frameOf(N)];
  AllStacks = false;
  Stacks.resize(T.numStacks() + 1);
  for (uint32_t Id = 1; Id <= T.numStacks(); ++Id)
    Stacks[Id] = NodeMatches[T.leaf(Id)];
  if (Stacks.none() && !S.MayMatchNothing)
    return makeError("no stack matches '" + join(S.Stacks, "', '") +
                     "'; there are " + Twine(T.numStacks()) + " stacks");
  return Error::success();
}

Error Selection::chooseThreads(const Trace &T, const SelectionSpec &S) {
  if (S.Threads.empty())
    return Error::success();
  Expected<Globs> Wanted = Globs::create(RequestField::Threads, S.Threads);
  if (!Wanted)
    return Wanted.takeError();
  AllThreads = false;
  Threads.resize(T.threads().size() + 1);
  std::vector<std::string> There;
  for (uint32_t Id = 1; Id <= T.threads().size(); ++Id) {
    const Thread &Th = T.threads()[Id - 1];
    StringRef Name = T.string(Th.Name);
    There.push_back((Twine(Th.Tid) + " (" + Name + ")").str());
    Threads[Id] =
        Wanted->match(Name) || is_contained(S.Threads, utostr(Th.Tid));
  }
  if (Threads.none() && !S.MayMatchNothing)
    return nothingMatches("thread", S.Threads, There);
  return Error::success();
}

Expected<TimePoint> Selection::atOrPeak(const Trace &T) const {
  if (Times.At)
    return *Times.At;
  TimePointSpec Peak;
  Peak.K = TimePointSpec::TimePointKind::Peak;
  return findTimePoint(T, Peak, Processes, OuterView ? &Heaps : nullptr);
}

/// Reports a begin after the end, which would select nothing.
static Error checkOrder(const TimeWindow &W) {
  auto Before = [](const std::optional<TimePoint> &A,
                   const std::optional<TimePoint> &B) {
    return A && B &&
           std::tie(A->TimeNs, A->Events) <= std::tie(B->TimeNs, B->Events);
  };
  auto NotAfter = [&](RequestField Field, const TimePoint &M) {
    return make_error<RequestError>(
        RequestError::RequestErrorKind::Malformed, RequestPart{Field, M.Text},
        " is not after ", RequestPart{RequestField::Since, W.Since->Text});
  };
  if (Before(W.Until, W.Since))
    return NotAfter(RequestField::Until, *W.Until);
  if (Before(W.At, W.Since))
    return NotAfter(RequestField::At, *W.At);
  return Error::success();
}

/// Reports a time after the end of the run. A time point is before its events,
/// so the last useful time is one tick after the end.
static Error checkEnd(const Trace &T, RequestField Field,
                      const std::optional<TimePointSpec> &P) {
  const uint64_t TickNs = 100;
  if (!P || P->K != TimePointSpec::TimePointKind::Time ||
      P->Number <= T.endNs() + TickNs)
    return Error::success();
  return make_error<RequestError>(
      RequestError::RequestErrorKind::NoAnswer, RequestPart{Field, P->Text},
      " is after the end of " + T.name() + ", at " + formatTime(T.endNs()));
}

Error Selection::chooseTimes(const Trace &T, const SelectionSpec &S) {
  auto Find = [&](const std::optional<TimePointSpec> &P,
                  std::optional<TimePoint> &To) -> Error {
    if (!P)
      return Error::success();
    Expected<TimePoint> M =
        findTimePoint(T, *P, Processes, OuterView ? &Heaps : nullptr);
    if (!M)
      return M.takeError();
    To = std::move(*M);
    return Error::success();
  };
  if (!S.MayMatchNothing) {
    if (Error E = checkEnd(T, RequestField::Since, S.Since))
      return E;
    if (Error E = checkEnd(T, RequestField::At, S.At))
      return E;
  }
  if (Error E = Find(S.Since, Times.Since))
    return E;
  if (Error E = Find(S.Until, Times.Until))
    return E;
  if (Error E = Find(S.At, Times.At))
    return E;
  return checkOrder(Times);
}

} // namespace memkit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether ids lie within the dictionary.

#include "memkit/Trace/IdLimits.h"
#include "llvm/Support/Compiler.h"
#include <algorithm>

using namespace memkit;

namespace {
/// Keeps the first id that is out of range.
class IdChecker {
public:
  void id(const char *What, uint64_t Id, uint64_t Limit) {
    if (LLVM_UNLIKELY(Id > Limit))
      outside(What, Id, Limit);
  }
  /// As id(), but 0 is an error.
  void some(const char *What, uint64_t Id, uint64_t Limit) {
    if (LLVM_UNLIKELY(Id - 1 >= Limit))
      outside(What, Id, Limit);
  }
  std::string take() { return std::move(Problem); }

private:
  // Out of line, so that a check that passes costs only a comparison.
  LLVM_ATTRIBUTE_NOINLINE void outside(const char *What, uint64_t Id,
                                       uint64_t Limit) {
    if (!Problem.empty())
      return;
    Problem = std::string(What) + " " + std::to_string(Id);
    if (Id)
      Problem += ", there are " + std::to_string(Limit);
  }

  std::string Problem;
};
} // namespace

uint32_t IdLimits::of(IdKind Kind) const {
  switch (Kind) {
  case IdKind::String:
    return Strings;
  case IdKind::Device:
    return Devices;
  case IdKind::Binary:
    return Binaries;
  case IdKind::Function:
    return Functions;
  case IdKind::Frame:
    return Frames;
  case IdKind::Node:
    return Nodes;
  case IdKind::Stack:
    return Stacks;
  case IdKind::Scope:
    return Scopes;
  case IdKind::ScopePath:
    return ScopePaths;
  case IdKind::Process:
    return Processes;
  case IdKind::Thread:
    return Threads;
  case IdKind::Heap:
    return Heaps;
  }
  return 0;
}

static void checkFrame(IdChecker &C, const IdLimits &L, const Frame &F) {
  if (F.Kind == FrameKind::Native)
    C.some("frame of binary", F.Container, L.Binaries);
  else if (F.Kind == FrameKind::Unknown)
    C.id("frame of no binary with container", F.Container, 0);
  else
    C.some("frame of function", F.Container, L.Functions);
}

static void checkStacks(IdChecker &C, IdLimits &L, const Dictionary &D) {
  size_t At = 0;
  for (const NewStack &S : D.Stacks) {
    C.id("stack at node", S.Parent, L.Nodes);
    if (S.Length > D.NodeFrames.size() - At) {
      C.id("stack with nodes", S.Length, D.NodeFrames.size() - At);
      return;
    }
    At += S.Length;
    L.Nodes += S.Length;
  }
  C.id("nodes of no stack:", D.NodeFrames.size() - At, 0);
  for (uint32_t F : D.NodeFrames)
    C.some("node of frame", F, L.Frames);
  L.Stacks += uint32_t(D.Stacks.size());
}

std::string IdLimits::add(const DictionaryOutline &D) {
  Strings += D.Counts.Strings;
  // An outline may have strings, or only their number.
  Dictionary Few;
  Few.Devices = D.Few.Devices;
  Few.Processes = D.Few.Processes;
  Few.Heaps = D.Few.Heaps;
  std::string Problem = add(Few);
  Stacks += D.Counts.Stacks;
  Nodes += D.Counts.Nodes;
  ScopePaths += D.Counts.ScopePaths;
  Threads += D.Counts.Threads;
  return Problem;
}

std::string IdLimits::add(const Dictionary &D) {
  // In the order in which kinds may refer to each other.
  IdChecker C;
  Strings += uint32_t(D.Strings.size());
  Devices += uint32_t(D.Devices.size());
  for (const Binary &M : D.Binaries)
    C.id("binary with string", M.Path, Strings);
  Binaries += uint32_t(D.Binaries.size());
  for (const Function &F : D.Functions) {
    C.id("function with string", F.Name, Strings);
    C.id("function with string", F.File, Strings);
  }
  Functions += uint32_t(D.Functions.size());
  for (const Frame &F : D.Frames)
    checkFrame(C, *this, F);
  Frames += uint32_t(D.Frames.size());
  checkStacks(C, *this, D);
  for (const ScopeRecord &S : D.Scopes)
    C.id("scope with string", S.Name, Strings);
  Scopes += uint32_t(D.Scopes.size());
  for (const ScopePath &X : D.ScopePaths) {
    C.id("scope path with parent", X.Parent, ScopePaths);
    C.some("scope path of scope", X.Scope, Scopes);
    ++ScopePaths;
  }
  for (const ProcessRecord &I : D.Processes) {
    C.id("process with parent", I.Parent, Processes);
    C.id("process with string", I.Exe, Strings);
    C.id("process with string", I.Role, Strings);
    C.id("process with string", I.WhyNot, Strings);
    C.id("process with string", I.Place.Job, Strings);
    C.id("process with string", I.Place.Host, Strings);
    for (uint32_t S : I.Command)
      C.id("process with string", S, Strings);
    ++Processes;
  }
  for (const Thread &T : D.Threads) {
    C.some("thread of process", T.Process, Processes);
    C.id("thread with string", T.Name, Strings);
  }
  Threads += uint32_t(D.Threads.size());
  for (const Heap &H : D.Heaps) {
    C.some("heap with string", H.Name, Strings);
    C.id("heap in device", H.Space, Devices);
    C.id("heap with parent", H.Parent, Heaps);
    ++Heaps;
  }
  C.id("number of heaps", Heaps, UINT16_MAX);
  for (const Load &X : D.Loads) {
    C.some("load in process", X.Process, Processes);
    C.some("load of binary", X.Binary, Binaries);
  }
  for (const SourceLine &X : D.SourceLines) {
    C.some("source line of string", X.File, Strings);
    C.some("source line with string", X.Text, Strings);
  }
  for (const FrameSymbols &S : D.Symbols) {
    C.some("symbols of frame", S.Frame, Frames);
    for (const Location &X : S.Locations)
      C.some("symbols with function", X.Function, Functions);
  }
  return C.take();
}

std::string IdLimits::check(const Events &E) const {
  IdChecker C;
  C.some("events of process", E.Process, Processes);
  for (const Event &R : E.Rows) {
    C.some("event of thread", R.Thread, Threads);
    if (R.Kind != EventKind::Allocate)
      continue;
    C.id("event with stack", R.Stack, Stacks);
    C.id("event with scope path", R.ScopePath, ScopePaths);
    C.some("event of heap", R.Heap, Heaps);
  }
  return C.take();
}

template <class T> static T highest(const std::vector<T> &V) {
  T Max = 0;
  for (T X : V)
    Max = std::max(Max, X);
  return Max;
}

std::string IdLimits::check(const EventTable &E) const {
  IdChecker C;
  C.some("events of process", E.Process, Processes);
  for (uint32_t Thread : E.Threads)
    C.some("event of thread", Thread, Threads);
  C.id("event with stack", highest(E.Stack), Stacks);
  C.id("event with scope path", highest(E.ScopePath), ScopePaths);
  bool None = false;
  for (uint16_t Heap : E.Heap)
    None |= Heap == 0;
  if (None)
    C.some("event of heap", 0, Heaps);
  C.id("event of heap", highest(E.Heap), Heaps);
  return C.take();
}

std::string IdLimits::check(const Marks &M) const {
  IdChecker C;
  for (const Mark &R : M.Rows) {
    C.id("mark of process", R.Process, Processes);
    C.id("mark of thread", R.Thread, Threads);
    C.id("mark with string", R.Name, Strings);
    C.id("mark of heap", R.Heap, Heaps);
    C.id("mark with stack", R.Stack, Stacks);
    C.id("mark with scope path", R.ScopePath, ScopePaths);
  }
  return C.take();
}

std::string IdLimits::check(const Intervals &S) const {
  IdChecker C;
  C.some("intervals of process", S.Process, Processes);
  for (const Interval &X : S.Rows)
    for (const IntervalRow &R : X.Rows) {
      C.some("interval of heap", R.Heap, Heaps);
      C.id("interval with stack", R.Stack, Stacks);
    }
  return C.take();
}

std::string IdLimits::check(const Lifetimes &L) const {
  IdChecker C;
  C.some("lifetimes of process", L.Process, Processes);
  for (const LifetimeCut &X : L.Cuts)
    if (X.Space)
      C.id("lifetimes with device", X.Space - 1, Devices);
  for (const LifetimeRow &R : L.Rows) {
    C.some("lifetimes of heap", R.Heap, Heaps);
    C.id("lifetimes with stack", R.Stack, Stacks);
  }
  return C.take();
}

std::string IdLimits::check(const Snapshot &K) const {
  IdChecker C;
  C.some("snapshot of process", K.Process, Processes);
  for (const LiveBlock &B : K.Blocks) {
    C.id("snapshot with stack", B.Stack, Stacks);
    C.id("snapshot with scope path", B.ScopePath, ScopePaths);
    C.some("snapshot of heap", B.Heap, Heaps);
  }
  return C.take();
}

/// Checks the ids in rows by their fields().
template <class Row>
static void checkRows(IdChecker &C, const IdLimits &L,
                      const std::vector<Row> &Rows) {
  for (const Row &R : Rows)
    forEachField<Row>([&](auto I) {
      constexpr auto F = fieldAt<Row, I>;
      const auto &Value = R.*F.Member;
      if constexpr (std::is_same_v<decltype(Value), const SpaceShares &>)
        checkRows(C, L, Value);
      else if constexpr (F.IsId && F.MayBeNone)
        C.id(F.IdWords, Value, L.of(F.Ids));
      else if constexpr (F.IsId)
        C.some(F.IdWords, Value, L.of(F.Ids));
    });
}

std::string IdLimits::check(const Summary &S) const {
  IdChecker C;
  auto Rows = [&](const std::vector<StackStatsRows> &V, const char *What,
                  uint32_t Limit) {
    for (const StackStatsRows &R : V) {
      C.some("summary of process", R.Process, Processes);
      for (const StackStats &X : R.Rows) {
        C.id(What, X.Key, Limit);
        C.some("summary of heap", X.Heap, Heaps);
      }
    }
  };
  Rows(S.Stacks, "summary with stack", Stacks);
  Rows(S.ScopePaths, "summary with scope path", ScopePaths);
  checkRows(C, *this, S.Heaps);
  checkRows(C, *this, S.Spaces);
  checkRows(C, *this, S.Processes);
  checkRows(C, *this, S.Steps);
  checkRows(C, *this, S.Layers);
  checkRows(C, *this, S.Losses);
  checkRows(C, *this, S.Categories);
  checkRows(C, *this, S.Ooms);
  checkRows(C, *this, S.OomHeaps);
  checkRows(C, *this, S.Threads);
  checkRows(C, *this, S.Parameters);
  checkRows(C, *this, S.DeviceTimes);
  return C.take();
}

std::string IdLimits::check(const BlockCategories &C) const {
  IdChecker Ids;
  Ids.some("categories of blocks of process", C.Process, Processes);
  for (const BlockCategory &R : C.Rows)
    Ids.id("category of a block with string", R.Dtype, Strings);
  return Ids.take();
}

std::string IdLimits::check(const ScopeTimes &S) const {
  IdChecker Ids;
  Ids.some("scope times of process", S.Process, Processes);
  for (const ThreadScopes &T : S.Threads) {
    Ids.some("scope times of thread", T.Thread, Threads);
    for (uint32_t Path : T.ScopePaths)
      Ids.id("scope times with scope path", Path, ScopePaths);
  }
  return Ids.take();
}

std::string IdLimits::check(const DeviceSpans &S) const {
  IdChecker C;
  C.some("device spans of process", S.Process, Processes);
  checkRows(C, *this, S.Rows);
  return C.take();
}

std::string IdLimits::check(const Partial &P) const {
  IdChecker C;
  checkRows(C, *this, P.Processes);
  checkRows(C, *this, P.Layers);
  checkRows(C, *this, P.Categories);
  checkRows(C, *this, P.Ooms);
  checkRows(C, *this, P.OomHeaps);
  checkRows(C, *this, P.Parameters);
  checkRows(C, *this, P.DeviceTimes);
  return C.take();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranges of a PyTorch snapshot: scopes and steps.

#include "TorchScopes.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

static constexpr StringLiteral ProfilerPrefix = "ProfilerStep#";

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

void TorchScopes::allocated(uint64_t Size, uint64_t Live, uint64_t Reserved) {
  for (OpenTorchRange &R : Open) {
    R.Stats->Allocations += Size != 0;
    R.Stats->AllocatedBytes += Size;
    R.Stats->PeakBytes = std::max(R.Stats->PeakBytes, Live);
    R.Stats->ReservedPeakBytes = std::max(R.Stats->ReservedPeakBytes, Reserved);
  }
}

void TorchScopes::freed(uint64_t Size) {
  for (OpenTorchRange &R : Open) {
    ++R.Stats->Frees;
    R.Stats->FreedBytes += Size;
  }
}

void TorchScopes::begin(StringRef Name, uint64_t TimeNs) {
  if (Open.size() == MaxOpen)
    return;
  Open.push_back({Name.str(), &Ranges->row(Name), TimeNs, Ranges->newNumber(),
                  std::nullopt});
  mark(MarkKind::RangeBegin, Open.back(), TimeNs);
  NumSteps += isOptimizer(Name) && !NumOptimizers;
  NumOptimizers += isOptimizer(Name);
  PathOfLabel.clear();
}

void TorchScopes::mark(MarkKind Kind, const OpenTorchRange &R,
                       uint64_t TimeNs) {
  Mark M;
  M.Kind = Kind;
  M.Process = Process;
  M.TimeNs = TimeNs;
  M.Id = R.Number;
  if (Kind == MarkKind::RangeBegin) {
    M.Name = To.string(R.Name);
    M.Heap = Heap;
  }
  To.mark(std::move(M));
}

void TorchScopes::close(const OpenTorchRange &R, uint64_t TimeNs) {
  ++R.Stats->Calls;
  R.Stats->DurationNs += TimeNs - std::min(R.BeginNs, TimeNs);
}

void TorchScopes::end(StringRef Name, uint64_t TimeNs) {
  auto It = find_if(reverse(Open),
                    [&](const OpenTorchRange &R) { return R.Name == Name; });
  if (It == Open.rend())
    return;
  close(*It, TimeNs);
  mark(MarkKind::RangeEnd, *It, TimeNs);
  auto Next = Open.erase(std::prev(It.base()));
  for (; Next != Open.end(); ++Next)
    Next->Path.reset();
  NumOptimizers -= isOptimizer(Name);
  PathOfLabel.clear();
}

void TorchScopes::endAll(uint64_t TimeNs) {
  for (const OpenTorchRange &R : Open)
    close(R, TimeNs);
  Open.clear();
  NumOptimizers = 0;
  PathOfLabel.clear();
}

uint32_t TorchScopes::openPath() {
  uint32_t In = 0;
  size_t Known = Open.size();
  while (Known && !Open[Known - 1].Path)
    --Known;
  if (Known)
    In = *Open[Known - 1].Path;
  if (Known == Open.size())
    return In;
  bool HasPhase =
      any_of(ArrayRef(Open).take_front(Known),
             [](const OpenTorchRange &R) { return isOptimizer(R.Name); });
  for (OpenTorchRange &R : MutableArrayRef(Open).drop_front(Known)) {
    if (isOptimizer(R.Name) && !std::exchange(HasPhase, true))
      In = To.Scopes.enter(In, ScopeKind::Phase, "optimizer", 0).ScopePath;
    In = To.Scopes.enter(In, ScopeKind::Range, R.Name, 0).ScopePath;
    R.Path = In;
  }
  return In;
}

uint32_t TorchScopes::path(uint32_t Label) {
  uint32_t In = openPath();
  if (!Label)
    return In;
  auto [It, New] = PathOfLabel.try_emplace(Label, 0);
  if (!New)
    return It->second;
  const TorchLabels::Label &L = Labels.get(Label);
  if (!L.CompileContext.empty())
    In =
        To.Scopes
            .enter(In, ScopeKind::Range, "torch.compile " + L.CompileContext, 0)
            .ScopePath;
  if (!L.Metadata.empty())
    In = To.Scopes.enter(In, ScopeKind::User, L.Metadata, 0).ScopePath;
  return It->second = In;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

TorchSteps::TorchSteps(TraceBuilder &To, uint32_t Process,
                       const TorchSnapshotData &In)
    : To(To), Process(Process), Labels(In.Labels) {
  for (const TorchAnnotation &A : In.Annotations) {
    StringRef Name = Labels.name(A.Name);
    HasProfiler |= Name.starts_with(ProfilerPrefix);
    if (!Optimizer && TorchScopes::isOptimizer(Name))
      Optimizer = A.Name;
  }
}

void TorchSteps::take(const TorchAnnotation &A, uint64_t TimeNs) {
  uint64_t Number = 0;
  StringRef Name = Labels.name(A.Name);
  if (HasProfiler) {
    if (A.IsEnd || !Name.consume_front(ProfilerPrefix))
      return;
    Name.getAsInteger(10, Number);
  } else if (!A.IsEnd || !A.Name || A.Name != Optimizer) {
    return;
  }
  // A profiler that starts again counts from 0. No run has so many steps.
  constexpr uint64_t MaxNumber = uint64_t(1) << 48;
  Last = std::max(Last + 1, std::min(Number, MaxNumber));
  To.step(Process, TimeNs, Last);
}

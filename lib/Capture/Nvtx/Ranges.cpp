// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges and marks of NVTX.

#include "Nvtx/Ranges.h"

#include "Nvtx/Names.h"
#include "Runtime/Hook.h"
#include "Runtime/Recording.h"

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::nvtx;
using wire::MarkWhat;

static constexpr uint32_t MaxRanges = 1024;
static constexpr size_t StateBytes = MaxRanges * sizeof(OpenRange);

static __thread RangeState ThisRanges
    __attribute__((tls_model("initial-exec")));

static void release(RangeState &S) {
  if (S.Ranges)
    sys::unmap(S.Ranges, StateBytes);
  S = {};
}

constinit const Source nvtx::RangeSource = {
    .StartThread = [] { ThisRanges.Count = ThisRanges.Beyond = 0; },
    .EndThread = [] { release(ThisRanges); }};

static bool hasState(RangeState &S) {
  if (__builtin_expect(S.Ranges != nullptr, 1))
    return true;
  S.Ranges = static_cast<OpenRange *>(
      sys::map(StateBytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  return S.Ranges;
}

static uint64_t newNumber() {
  return Kept.Scopes.fetch_add(1, std::memory_order_relaxed) + 1;
}

static uint32_t colorOf(const Attributes &A) {
  return A.ColorType == ColorArgb ? A.Color : 0;
}

/// The text of an event's name; empty for an event of an unknown version.
static uint32_t textOf(const RegisteredName *Domain, const Attributes *A) {
  bool Has = A && A->Size >= sizeof(Attributes);
  return nvtx::textOf(Domain, Has ? A->MessageType : uint32_t(MessageNone),
                      Has ? A->Message : Message{});
}

//===----------------------------------------------------------------------===//
// Ranges of a thread
//===----------------------------------------------------------------------===//

/// The level of the next range of a domain.
static int nextLevel(const RangeState &S, const RegisteredName *Domain) {
  for (uint32_t I = S.Count; I-- != 0;)
    if (S.Ranges[I].Domain == Domain && !S.Ranges[I].Popped)
      return S.Ranges[I].Level + 1;
  return 0;
}

/// \p Text returns the range's name, in a process that records.
template <typename Fn>
static int push(const RegisteredName *Domain, uint32_t Color, Fn Text) {
  ThreadState *T = recordingThread();
  if (!T || !hasState(ThisRanges))
    return NoLevel;
  RangeState &S = ThisRanges;
  if (S.Count == MaxRanges) {
    ++S.Beyond;
    return NoLevel;
  }
  const CallerFrame Caller = MEMKIT_CALLER;
  forSources(&Source::BeforeScope, *T, Caller);
  OpenRange &New = S.Ranges[S.Count];
  New = {0, Domain, nextLevel(S, Domain), false};
  ++S.Count;
  if (!hasRoom(*T))
    return New.Level;
  uint32_t Name = Text();
  New.Number = newNumber();
  T->Ring.write(
      wire::ScopeBeginRecord{Name, wire::SF_Nvtx, New.Number,
                             wire::ScopeBeginRecord::withColor(Color)},
      RingWriter::ClockRead::Early);
  return New.Level;
}

static int pop(const RegisteredName *Domain) {
  ThreadState *T = recordingThread();
  if (!T)
    return NoLevel;
  RangeState &S = ThisRanges;
  if (S.Beyond) {
    --S.Beyond;
    return NoLevel;
  }
  uint32_t At = S.Count;
  while (At && (S.Ranges[At - 1].Domain != Domain || S.Ranges[At - 1].Popped))
    --At;
  if (!At)
    return NoLevel;
  S.Ranges[At - 1].Popped = true;
  int Level = S.Ranges[At - 1].Level;
  // The end of the outermost scope ends the scopes inside.
  uint64_t Number = 0;
  while (S.Count && S.Ranges[S.Count - 1].Popped)
    if (uint64_t N = S.Ranges[--S.Count].Number)
      Number = N;
  if (Number && hasRoom(*T))
    T->Ring.write(wire::ScopeEndRecord{Number}, RingWriter::ClockRead::Early);
  return Level;
}

static int pushEx(const Attributes *A) {
  return push(nullptr, A ? colorOf(*A) : 0, [&] { return textOf(nullptr, A); });
}
static int pushA(const char *Text) {
  return push(nullptr, 0, [&] { return nvtx::textOf(Words(Text)); });
}
static int pushW(const wchar_t *Text) {
  return push(nullptr, 0, [&] { return nvtx::textOf(Words(Text)); });
}
static int popDefault() { return pop(nullptr); }
static int domainPushEx(const void *Domain, const Attributes *A) {
  const RegisteredName *D = nameOf(Domain);
  return push(D, A ? colorOf(*A) : 0, [&] { return textOf(D, A); });
}
static int domainPop(const void *Domain) { return pop(nameOf(Domain)); }

//===----------------------------------------------------------------------===//
// Marks, and ranges that any thread may end
//===----------------------------------------------------------------------===//

/// \p Id: of the range that starts or ends here, or 0.
template <typename Fn> static void mark(MarkWhat What, uint64_t Id, Fn Text) {
  ThreadState *T = recordingThread();
  if (T && hasRoom(*T))
    T->Ring.write(wire::MarkRecord{Text(), What, Id});
}

template <typename Fn> static uint64_t start(Fn Text) {
  uint64_t Id = newNumber();
  mark(MarkWhat::RangeBegin, Id, Text);
  return Id;
}

static void end(uint64_t Id) {
  mark(MarkWhat::RangeEnd, Id, [] { return 0u; });
}

static void markEx(const Attributes *A) {
  mark(MarkWhat::User, 0, [&] { return textOf(nullptr, A); });
}
static void markA(const char *Text) {
  mark(MarkWhat::User, 0, [&] { return nvtx::textOf(Words(Text)); });
}
static void markW(const wchar_t *Text) {
  mark(MarkWhat::User, 0, [&] { return nvtx::textOf(Words(Text)); });
}
static void domainMarkEx(const void *Domain, const Attributes *A) {
  mark(MarkWhat::User, 0, [&] { return textOf(nameOf(Domain), A); });
}
static uint64_t startEx(const Attributes *A) {
  return start([&] { return textOf(nullptr, A); });
}
static uint64_t startA(const char *Text) {
  return start([&] { return nvtx::textOf(Words(Text)); });
}
static uint64_t startW(const wchar_t *Text) {
  return start([&] { return nvtx::textOf(Words(Text)); });
}
static uint64_t domainStartEx(const void *Domain, const Attributes *A) {
  return start([&] { return textOf(nameOf(Domain), A); });
}
static void domainEnd(const void *, uint64_t Id) { end(Id); }

//===----------------------------------------------------------------------===//
// Domains and strings
//===----------------------------------------------------------------------===//

static const void *domainCreateA(const char *Text) {
  return registered(Words(Text));
}
static const void *domainCreateW(const wchar_t *Text) {
  return registered(Words(Text));
}
static const void *registerIn(const void *Domain, Words &W) {
  W.putInto(nameOf(Domain));
  return registered(W);
}
static const void *registerA(const void *Domain, const char *Text) {
  Words W(Text);
  return registerIn(Domain, W);
}
static const void *registerW(const void *Domain, const wchar_t *Text) {
  Words W(Text);
  return registerIn(Domain, W);
}

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

namespace {
struct Tables {
  NvtxFunction **Table;
  unsigned Size;
  template <typename Fn> void set(unsigned At, Fn *F) {
    if (At < Size && Table[At])
      *Table[At] = reinterpret_cast<NvtxFunction>(F);
  }
};
} // namespace

void nvtx::fillCore(NvtxFunction **Table, unsigned Size) {
  Tables T{Table, Size};
  T.set(MarkEx, markEx);
  T.set(MarkA, markA);
  T.set(MarkW, markW);
  T.set(RangeStartEx, startEx);
  T.set(RangeStartA, startA);
  T.set(RangeStartW, startW);
  T.set(RangeEnd, end);
  T.set(RangePushEx, pushEx);
  T.set(RangePushA, pushA);
  T.set(RangePushW, pushW);
  T.set(RangePop, popDefault);
}

/// A destroyed domain keeps its memory: other domains may have its name.
void nvtx::fillCore2(NvtxFunction **Table, unsigned Size) {
  Tables T{Table, Size};
  T.set(DomainMarkEx, domainMarkEx);
  T.set(DomainRangeStartEx, domainStartEx);
  T.set(DomainRangeEnd, domainEnd);
  T.set(DomainRangePushEx, domainPushEx);
  T.set(DomainRangePop, domainPop);
  T.set(DomainRegisterStringA, registerA);
  T.set(DomainRegisterStringW, registerW);
  T.set(DomainCreateA, domainCreateA);
  T.set(DomainCreateW, domainCreateW);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of memkit/trace.h.

#include "ArrowStream.h"
#include "Guard.h"
#include "Live/LiveTrace.h"
#include "Support/Failure.h"
#include "Tables/Answers.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "memkit/trace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <dlfcn.h>

using namespace llvm;
using namespace memkit;

struct memkit_trace {
  std::shared_ptr<SharedTrace> Of;
  std::string Warnings;
  bool IsRead = false;   ///< all parts, and frames are folded
  bool IsBroken = false; ///< memory ran out while a part was read
};

struct memkit_selection {
  SelectionSpec Spec;
};

struct memkit_table {
  TableRef Of;
};

int memkit_trace_abi(void) { return MEMKIT_TRACE_ABI; }
const char *memkit_trace_version(void) { return MEMKIT_VERSION; }

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

/// Reads Parts that are missing.
static Error readParts(memkit_trace &T, unsigned Parts) {
  if (T.IsBroken)
    return makeError("memory ran out while the trace was read; open the trace "
                     "again");
  Trace &Of = *T.Of->T;
  if (T.IsRead)
    return Error::success();
  // What a trace without a summary needs, in one replay.
  Parts |= TP_Replay | TP_Intervals;
  T.IsBroken = true;
  Error E = Of.read(Parts);
  if (!E && (Parts & TP_Stacks)) {
    Of.foldFrames();
    T.IsRead = true;
  }
  T.IsBroken = false;
  return E;
}

/// Runs Ask on the trace, with Parts read, and sets *Out to the answer.
static memkit_error *
ask(memkit_trace *T, unsigned Parts, memkit_table **Out,
    function_ref<TableAnswer(const Trace &)> Ask) noexcept {
  return guarded([&]() -> Error {
    if (!T || !Out)
      return makeRequestError("an argument is null");
    std::lock_guard<std::mutex> Hold(T->Of->Lock);
    if (Error E = readParts(*T, Parts))
      return E;
    TableAnswer Answer = Ask(*T->Of->T);
    if (!Answer)
      return Answer.takeError();
    *Out = new memkit_table{std::move(*Answer)};
    return Error::success();
  });
}

static Error take(Expected<std::unique_ptr<TraceReader>> Reader,
                  memkit_trace **Out) {
  if (!Reader)
    return Reader.takeError();
  // With the totals the trace knows, for its warnings, how far it goes.
  Expected<std::unique_ptr<Trace>> T =
      Trace::create(std::move(*Reader), TP_Totals);
  if (!T)
    return T.takeError();
  auto Made = std::make_unique<memkit_trace>();
  Made->Of = std::make_shared<SharedTrace>();
  Made->Of->T = std::move(*T);
  *Out = Made.release();
  return Error::success();
}

memkit_error *memkit_trace_open(const char *Path, memkit_trace **Out) {
  return guarded([&]() -> Error {
    if (!Path || !Out)
      return makeRequestError("an argument is null");
    acceptRecordings();
    return take(TraceReader::open(Path), Out);
  });
}

memkit_error *memkit_trace_open_fd(int Fd, const char *Name,
                                   memkit_trace **Out) {
  return guarded([&]() -> Error {
    if (!Name || !Out)
      return makeRequestError("an argument is null");
    return take(TraceReader::openFd(Fd, Name), Out);
  });
}

void memkit_trace_free(memkit_trace *T) { delete T; }

const char *memkit_trace_warnings(memkit_trace *T) {
  if (!T)
    return "";
  memkit_error *E = guarded([&]() -> Error {
    std::lock_guard<std::mutex> Hold(T->Of->Lock);
    const Trace &Of = *T->Of->T;
    std::vector<std::string> All = Of.warnings().vec();
    append_range(All, Of.reader().unknownWarnings());
    T->Warnings = join(All, "\n");
    return Error::success();
  });
  memkit_error_free(E);
  return T->Warnings.c_str();
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

memkit_error *memkit_selection_new(memkit_selection **Out) {
  return guarded([&] {
    *Out = new memkit_selection;
    return Error::success();
  });
}

void memkit_selection_free(memkit_selection *S) { delete S; }

static Error setTimePoint(std::optional<TimePointSpec> &To, StringRef Value) {
  Expected<TimePointSpec> P = parseTimePoint(Value);
  if (!P)
    return P.takeError();
  To = std::move(*P);
  return Error::success();
}

static Error setField(SelectionSpec &S, StringRef Field, StringRef Value) {
  auto *List = StringSwitch<std::vector<std::string> *>(Field)
                   .Case("heap", &S.Heaps)
                   .Case("process", &S.Processes)
                   .Case("thread", &S.Threads)
                   .Case("stack", &S.Stacks)
                   .Case("scope", &S.ScopePaths)
                   .Case("layer", &S.Layers)
                   .Default(nullptr);
  if (List) {
    List->push_back(Value.str());
    return Error::success();
  }
  if (Field == "since")
    return setTimePoint(S.Since, Value);
  if (Field == "until")
    return setTimePoint(S.Until, Value);
  if (Field == "at")
    return setTimePoint(S.At, Value);
  if (Field != "min-size")
    return makeRequestError("no field '" + Field +
                            "' of a selection; possible: heap, process, "
                            "thread, stack, scope, layer, min-size, since, "
                            "until, at");
  Expected<uint64_t> Size = parseSize(Value);
  if (!Size)
    return makeRequestError("min-size: " + toString(Size.takeError()));
  S.MinSize = *Size;
  return Error::success();
}

memkit_error *memkit_selection_set(memkit_selection *S, const char *Field,
                                   const char *Value) {
  return guarded([&]() -> Error {
    if (!S || !Field || !Value)
      return makeRequestError("an argument is null");
    return setField(S->Spec, Field, Value);
  });
}

static SelectionSpec specOf(const memkit_selection *S) {
  return S ? S->Spec : SelectionSpec();
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// The parts that a selection needs to be found.
static unsigned partsFor(const memkit_selection *S, unsigned Parts) {
  return S && !S->Spec.empty() ? unsigned(TP_All) : Parts;
}

memkit_error *memkit_trace_table(memkit_trace *T, const char *Name,
                                 const memkit_selection *S,
                                 memkit_table **Out) {
  const NamedAnswer *Answer = nullptr;
  memkit_error *E = guarded([&]() -> Error {
    if (!Name)
      return makeRequestError("an argument is null");
    return findAnswer(Name).moveInto(Answer);
  });
  if (E)
    return E;
  return ask(T, partsFor(S, Answer->Parts), Out,
             [&](const Trace &Of) -> TableAnswer {
               Expected<Selection> Sel = Selection::create(Of, specOf(S));
               if (!Sel)
                 return Sel.takeError();
               return Answer->Make(T->Of, std::move(*Sel));
             });
}

memkit_error *memkit_trace_run(memkit_trace *T, memkit_table **Out) {
  return memkit_trace_table(T, "run", nullptr, Out);
}
memkit_error *memkit_trace_processes(memkit_trace *T, memkit_table **Out) {
  return memkit_trace_table(T, "processes", nullptr, Out);
}
memkit_error *memkit_trace_ranks(memkit_trace *T, memkit_table **Out) {
  return memkit_trace_table(T, "ranks", nullptr, Out);
}
memkit_error *memkit_trace_spaces(memkit_trace *T, memkit_table **Out) {
  return memkit_trace_table(T, "spaces", nullptr, Out);
}
memkit_error *memkit_trace_heaps(memkit_trace *T, memkit_table **Out) {
  return memkit_trace_table(T, "heaps", nullptr, Out);
}
memkit_error *memkit_trace_scopes(memkit_trace *T, memkit_table **Out) {
  return memkit_trace_table(T, "scopes", nullptr, Out);
}
memkit_error *memkit_trace_ooms(memkit_trace *T, memkit_table **Out) {
  return memkit_trace_table(T, "ooms", nullptr, Out);
}
memkit_error *memkit_trace_threads(memkit_trace *T, const memkit_selection *S,
                                   memkit_table **Out) {
  return memkit_trace_table(T, "threads", S, Out);
}
memkit_error *memkit_trace_steps(memkit_trace *T, const memkit_selection *S,
                                 memkit_table **Out) {
  return memkit_trace_table(T, "steps", S, Out);
}
memkit_error *memkit_trace_layers(memkit_trace *T, const memkit_selection *S,
                                  memkit_table **Out) {
  return memkit_trace_table(T, "layers", S, Out);
}
memkit_error *memkit_trace_operators(memkit_trace *T, const memkit_selection *S,
                                     memkit_table **Out) {
  return memkit_trace_table(T, "operators", S, Out);
}
memkit_error *memkit_trace_categories(memkit_trace *T,
                                      const memkit_selection *S,
                                      memkit_table **Out) {
  return memkit_trace_table(T, "categories", S, Out);
}
memkit_error *memkit_trace_programs(memkit_trace *T, const memkit_selection *S,
                                    memkit_table **Out) {
  return memkit_trace_table(T, "programs", S, Out);
}
memkit_error *memkit_trace_arrays(memkit_trace *T, const memkit_selection *S,
                                  memkit_table **Out) {
  return memkit_trace_table(T, "arrays", S, Out);
}
memkit_error *memkit_trace_leaks(memkit_trace *T, const memkit_selection *S,
                                 memkit_table **Out) {
  return memkit_trace_table(T, "leaks", S, Out);
}

static Expected<SelectedStats> selectStats(const Trace &T,
                                           const memkit_selection *S,
                                           StatsBy By = StatsBy::Stacks) {
  Expected<Selection> Sel = Selection::create(T, specOf(S));
  if (!Sel)
    return Sel.takeError();
  return SelectedStats::create(T, std::move(*Sel), By);
}

static memkit_error *
askStats(memkit_trace *T, const memkit_selection *S, memkit_table **Out,
         function_ref<TableAnswer(const SelectedStats &)> Ask,
         StatsBy By = StatsBy::Stacks) {
  return ask(T, TP_All, Out, [&](const Trace &Of) -> TableAnswer {
    Expected<SelectedStats> Stats = selectStats(Of, S, By);
    if (!Stats)
      return Stats.takeError();
    return Ask(*Stats);
  });
}

memkit_error *memkit_trace_stats(memkit_trace *T, const memkit_selection *S,
                                 const char *Group, memkit_table **Out) {
  GroupBy By = GroupBy::Stack;
  memkit_error *E = guarded([&]() -> Error {
    if (!Group)
      return makeRequestError("an argument is null");
    return parseStatsGroup(Group).moveInto(By);
  });
  if (E)
    return E;
  return askStats(
      T, S, Out, [&](const SelectedStats &Of) { return statsTable(Of, By); },
      isOfScopes(By) ? StatsBy::ScopePaths : StatsBy::Stacks);
}

memkit_error *memkit_trace_series(memkit_trace *T, const memkit_selection *S,
                                  uint32_t Points, memkit_table **Out) {
  return askStats(T, S, Out, [&](const SelectedStats &Of) -> TableAnswer {
    if (Points == 0 || Points > 1'000'000)
      return makeRequestError("a series has 1 to 1,000,000 points");
    return seriesTable(Of, Points);
  });
}

memkit_error *memkit_trace_frames(memkit_trace *T, uint32_t Stack,
                                  memkit_table **Out) {
  return ask(T, TP_All, Out, [&](const Trace &Of) -> TableAnswer {
    if (Stack > Of.numStacks())
      return makeRequestError("no stack " + Twine(Stack) + "; the trace has " +
                              Twine(Of.numStacks()));
    return framesTable(T->Of, Stack);
  });
}

memkit_error *memkit_trace_events(memkit_trace *T, const memkit_selection *S,
                                  const char *Columns, memkit_table **Out) {
  return ask(T, partsFor(S, TP_Totals | TP_Names), Out,
             [&](const Trace &Of) -> TableAnswer {
               Expected<Selection> Sel = Selection::create(Of, specOf(S));
               if (!Sel)
                 return Sel.takeError();
               std::vector<std::string> Wanted;
               SmallVector<StringRef, 12> Names;
               if (Columns)
                 StringRef(Columns).split(Names, ',');
               for (StringRef Name : Names)
                 Wanted.push_back(Name.trim().str());
               return eventsTable(T->Of, std::move(*Sel),
                                  Columns ? Wanted : usualEventColumns());
             });
}

/// Locks both traces, in an order that all callers have.
static std::pair<std::unique_lock<std::mutex>, std::unique_lock<std::mutex>>
lockBoth(SharedTrace &A, SharedTrace &B) {
  bool IsFirst = std::less<SharedTrace *>()(&A, &B);
  std::unique_lock<std::mutex> First((IsFirst ? A : B).Lock), Second;
  if (&A != &B)
    Second = std::unique_lock<std::mutex>((IsFirst ? B : A).Lock);
  return {std::move(First), std::move(Second)};
}

memkit_error *memkit_trace_differences(memkit_trace *Before,
                                       memkit_trace *After,
                                       const memkit_selection *S,
                                       memkit_table **Out) {
  return guarded([&]() -> Error {
    if (!Before || !After || !Out)
      return makeRequestError("an argument is null");
    auto Hold = lockBoth(*Before->Of, *After->Of);
    std::optional<SelectedStats> Stats[2];
    for (auto [I, T] : {std::pair(0, Before), std::pair(1, After)}) {
      if (Error E = readParts(*T, TP_All))
        return E;
      Expected<SelectedStats> Of = selectStats(*T->Of->T, S);
      if (!Of)
        return Of.takeError();
      Stats[I].emplace(std::move(*Of));
    }
    TableAnswer Answer = differencesTable(*Stats[0], *Stats[1]);
    if (!Answer)
      return Answer.takeError();
    *Out = new memkit_table{std::move(*Answer)};
    return Error::success();
  });
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

int64_t memkit_table_rows(const memkit_table *T) {
  std::optional<uint64_t> Rows = T ? T->Of->rows() : std::nullopt;
  return Rows ? int64_t(*Rows) : -1;
}

memkit_error *memkit_table_stream(const memkit_table *T,
                                  struct ArrowArrayStream *Out) {
  return guarded([&]() -> Error {
    if (!T || !Out)
      return makeRequestError("an argument is null");
    return openArrowStream(T->Of, *Out);
  });
}

void memkit_table_free(memkit_table *T) { delete T; }

/// The name that Arrow's protocol for Python gives to a capsule.
static const char CapsuleName[] = "arrow_array_stream";

/// In Python, because a destructor written in Python would not run, or fail,
/// when the interpreter ends.
static void freeCapsule(void *Capsule) {
  using GetPointer = void *(*)(void *, const char *);
  auto Get =
      reinterpret_cast<GetPointer>(dlsym(RTLD_DEFAULT, "PyCapsule_GetPointer"));
  auto *S = static_cast<ArrowArrayStream *>(Get(Capsule, CapsuleName));
  if (!S)
    return;
  if (S->release) // else a consumer has taken the stream
    S->release(S);
  delete S;
}

void *memkit_table_capsule(const memkit_table *T, memkit_error **Failed) {
  void *Capsule = nullptr;
  *Failed = guarded([&]() -> Error {
    using MakeCapsule = void *(*)(void *, const char *, void (*)(void *));
    auto Make =
        reinterpret_cast<MakeCapsule>(dlsym(RTLD_DEFAULT, "PyCapsule_New"));
    if (!T || !Make || !dlsym(RTLD_DEFAULT, "PyCapsule_GetPointer"))
      return makeRequestError("a capsule needs a table and CPython");
    auto S = std::make_unique<ArrowArrayStream>();
    if (Error E = openArrowStream(T->Of, *S))
      return E;
    Capsule = Make(S.get(), CapsuleName, freeCapsule);
    if (Capsule)
      S.release();
    else
      S->release(S.get());
    return Error::success();
  });
  return Capsule;
}

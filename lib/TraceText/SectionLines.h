// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section as lines, for every line printer.
//
// Passes the records of a section to a printer, field by field, in the order of
// the text form. The printer is a map of Fields.h and has
//   begin(Keyword, Level)   a line: level 0 is the section's own; Keyword
//                           names the record
//   beginBare(Name, Level)  a line whose keyword the text form leaves out
//   end()

#ifndef MEMKIT_LIB_TRACETEXT_SECTIONLINES_H
#define MEMKIT_LIB_TRACETEXT_SECTIONLINES_H

#include "Fields.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

namespace memkit::tracetext {

/// The columns of E that exist although all their values are 0; the rows alone
/// do not show them.
inline llvm::SmallVector<llvm::StringLiteral, 0>
zeroColumns(const EventColumns &C) {
  llvm::SmallVector<llvm::StringLiteral, 0> Names;
  auto Look = [&](llvm::StringLiteral Name, const auto &Column) {
    if (!Column.empty() &&
        std::all_of(Column.begin(), Column.end(), [](auto V) { return !V; }))
      Names.push_back(Name);
  };
  Look("address", C.Address);
  Look("in", C.Enclosing);
  Look("requested", C.Requested);
  Look("weight", C.Weight);
  Look("stream", C.Stream);
  Look("pool", C.Pool);
  return Names;
}

/// Row I of E with its optional columns. AllocationId: the id of the next new
/// block.
inline EventRow eventRow(const Events &E, size_t I, uint64_t AllocationId) {
  const EventColumns &C = E.Columns;
  auto At = [I](const auto &Column) { return Column.empty() ? 0 : Column[I]; };
  EventRow R;
  R.E = E.Rows[I];
  R.Into = AllocationId;
  R.Address = At(C.Address);
  R.Enclosing = At(C.Enclosing);
  R.Requested = At(C.Requested);
  R.Weight = At(C.Weight);
  R.Stream = At(C.Stream);
  R.Pool = At(C.Pool);
  return R;
}

/// Passes the sections of one trace, in file order, to the printer P. Keeps the
/// counts of ids given so far.
template <class P> class SectionLines {
public:
  explicit SectionLines(P &Out) : Out(Out) {}

  void section(const Header &H) {
    line("header", 0, [&] { mapHeader(Out, H); });
  }

  void section(const Dictionary &D) {
    line("dictionary", 0, [] {});
    defined("string", Ref::String, D.Strings,
            [&](auto Id, auto &S) { mapString(Out, Id, S); });
    defined("device", Ref::Device, D.Devices,
            [&](auto Id, auto &V) { mapDevice(Out, Id, V); });
    defined("binary", Ref::Binary, D.Binaries,
            [&](auto Id, auto &V) { mapBinary(Out, Id, V); });
    defined("function", Ref::Function, D.Functions,
            [&](auto Id, auto &V) { mapFunction(Out, Id, V); });
    defined("frame", Ref::Frame, D.Frames,
            [&](auto Id, auto &V) { mapFrame(Out, Id, V); });
    stacks(D);
    defined("scope", Ref::Scope, D.Scopes,
            [&](auto Id, auto &V) { mapScope(Out, Id, V); });
    defined("scope-path", Ref::ScopePath, D.ScopePaths,
            [&](auto Id, auto &V) { mapScopePath(Out, Id, V); });
    defined("process", Ref::Process, D.Processes,
            [&](auto Id, auto &V) { mapProcess(Out, Id, V); });
    defined("thread", Ref::Thread, D.Threads,
            [&](auto Id, auto &V) { mapThread(Out, Id, V); });
    defined("heap", Ref::Heap, D.Heaps,
            [&](auto Id, auto &V) { mapHeap(Out, Id, V); });
    rows("load", 1, D.Loads, [&](auto &V) { mapLoad(Out, V); });
    rows("source-line", 1, D.SourceLines,
         [&](auto &V) { mapSourceLine(Out, V); });
    rows("symbols", 1, D.Symbols, [&](auto &V) { mapSymbols(Out, V); });
  }

  void section(const Events &E) {
    line("events", 0, [&] {
      mapEvents(Out, E);
      Out.names("columns", zeroColumns(E.Columns));
    });
    uint64_t AllocationId = E.FirstAllocationId;
    for (size_t I = 0; I < E.Rows.size(); ++I) {
      EventRow R = eventRow(E, I, AllocationId);
      bare("event", 1, [&] { mapEvent(Out, R); });
      AllocationId +=
          R.E.Kind == EventKind::Allocate || R.E.Kind == EventKind::Split;
    }
  }

  void section(const Marks &M) {
    line("marks", 0, [] {});
    for (const Mark &R : M.Rows)
      bare("mark", 1, [&] { mapMark(Out, R); });
  }

  void section(const Intervals &S) {
    line("intervals", 0, [&] { mapIntervals(Out, S); });
    for (const Interval &One : S.Rows) {
      line("interval", 1, [&] { mapInterval(Out, One); });
      rows("row", 2, One.Rows, [&](auto &R) { mapIntervalRow(Out, R); });
    }
  }

  void section(const Lifetimes &L) {
    line("lifetimes", 0, [&] { mapLifetimes(Out, L); });
    rows("cut", 1, L.Cuts, [&](auto &C) { mapLifetimeCut(Out, C); });
    for (const LifetimeRow &R : L.Rows) {
      line("life", 1, [&] { mapLifetimeRow(Out, R); });
      rows("cohort", 2, R.Cohorts, [&](auto &C) { mapCohort(Out, C); });
      rows("freed", 2, R.Frees, [&](auto &F) { mapLateFrees(Out, F); });
    }
  }

  void section(const Snapshot &K) {
    line("snapshot", 0, [&] { mapSnapshot(Out, K); });
    rows("live", 1, K.Blocks, [&](auto &B) { mapLiveBlock(Out, B); });
  }

  void section(const Summary &S) {
    line("summary", 0, [&] { mapSummary(Out, S); });
    sums("stacks", false, S.Stacks);
    sums("scope-paths", true, S.ScopePaths);
    rows("heap", S.Heaps);
    rows("space", S.Spaces);
    rows("process", S.Processes);
    rows("step", S.Steps);
    rows("layer", S.Layers);
    rows("loss", S.Losses);
    rows("category", S.Categories);
    rows("oom", S.Ooms);
    rows("oom-heap", S.OomHeaps);
    rows("thread", S.Threads);
    rows("parameters", S.Parameters);
    rows("device-time", S.DeviceTimes);
  }

  void section(const Partial &S) {
    line("partial", 0, [&] { mapPartial(Out, S); });
    rows("process", S.Processes);
    rows("layer", S.Layers);
    rows("category", S.Categories);
    rows("oom", S.Ooms);
    rows("oom-heap", S.OomHeaps);
    rows("parameters", S.Parameters);
    rows("device-time", S.DeviceTimes);
  }

  void section(const BlockCategories &C) {
    line("block-categories", 0, [&] { mapBlockCategories(Out, C); });
    rows("block", 1, C.Rows, [&](auto &R) { mapBlockCategory(Out, R); });
  }

  void section(const ScopeTimes &S) {
    line("scope-times", 0, [&] { mapScopeTimes(Out, S); });
    for (const ThreadScopes &T : S.Threads) {
      line("scopes", 1, [&] { mapThreadScopes(Out, T); });
      rows("change", 2, changesOf(T), [&](auto &C) { mapScopeChange(Out, C); });
    }
  }

  void section(const DeviceSpans &S) {
    line("device-spans", 0, [&] { mapDeviceSpans(Out, S); });
    rows("span", S.Rows);
  }

  void section(const Index &) {
    line("complete", 0, [] {});
  }

private:
  template <class F> void line(llvm::StringLiteral Keyword, int Level, F Fill) {
    Out.begin(Keyword, Level);
    Fill();
    Out.end();
  }
  template <class F> void bare(llvm::StringLiteral Name, int Level, F Fill) {
    Out.beginBare(Name, Level);
    Fill();
    Out.end();
  }
  template <class List, class F>
  void rows(llvm::StringLiteral Keyword, int Level, const List &L, F Fill) {
    for (const auto &R : L)
      line(Keyword, Level, [&] { Fill(R); });
  }
  /// Prints rows of a summary, each with its shares of memory spaces below it.
  template <class List> void rows(llvm::StringLiteral Keyword, const List &L) {
    for (const auto &R : L) {
      line(Keyword, 1, [&] { mapRow(Out, R); });
      if constexpr (requires { R.Shares; })
        rows("share", 2, R.Shares, [&](auto &S) { mapRow(Out, S); });
    }
  }
  template <class List, class F>
  void defined(llvm::StringLiteral Keyword, Ref Kind, const List &L, F Fill) {
    for (const auto &R : L) {
      uint32_t Id = ++Given[unsigned(Kind)];
      line(Keyword, 1, [&] { Fill(Id, R); });
    }
  }

  void stacks(const Dictionary &D) {
    llvm::ArrayRef<uint32_t> Frames(D.NodeFrames);
    for (const NewStack &S : D.Stacks) {
      uint32_t Id = ++Given[unsigned(Ref::Stack)];
      auto Own = Frames.take_front(S.Length);
      line("stack", 1, [&] { mapStack(Out, Id, S.Parent, Own); });
      Frames = Frames.drop_front(S.Length);
    }
  }

  void sums(llvm::StringLiteral Keyword, bool ScopePaths,
            const std::vector<StackStatsRows> &Groups) {
    for (const StackStatsRows &G : Groups) {
      line(Keyword, 1, [&] { mapStackStatsRows(Out, G); });
      rows("row", 2, G.Rows,
           [&](auto &R) { mapStackStats(Out, ScopePaths, R); });
    }
  }

  P &Out;
  uint32_t Given[NumRefs] = {};
};

} // namespace memkit::tracetext

#endif // MEMKIT_LIB_TRACETEXT_SECTIONLINES_H

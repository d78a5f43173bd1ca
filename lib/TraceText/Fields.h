// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of every record, for printers and parser alike.
//
// Each function lists the fields of one kind of line of the text form, in
// order, and passes them to a map. The printer writes the fields, the parser
// fills them from a line, the JSON writer makes attributes of them. Printer and
// parser cannot disagree, since neither contains a field's name.
//
// A map has the following functions. Those marked * are for values written
// without a name:
//   id(N)*                     an id, dense
//   key(Name, N)*              a number
//   refKey(Name, Kind, N)*     an id of the dictionary
//   time(N)*, thread(N)*
//   positional(Name, S)*       a text
//   word(Name, E)*             an enum
//   block(Name, N, Optional)*  an allocation id
//   num(Name, N, Default), hex(Name, N), flag(Name, B, Default),
//   choice(Name, E)
//   always(Name, N)            printed even if it has the default
//   optionalNum, optionalHex   a value that an event may lack
//   text(Name, S), texts, nums, bytes
//   ref(Name, Kind, N), refs(Name, Kind, List)   ids of the dictionary
//   allocationId(Name, N), newBlock(Name, N)
//   enclosing(Name, N)         allocation id + 1, 0 for none
//   clock(Name, C), locations(Name, L)

#ifndef MEMKIT_LIB_TRACETEXT_FIELDS_H
#define MEMKIT_LIB_TRACETEXT_FIELDS_H

#include "EnumNames.h"

namespace memkit::tracetext {

using Ref = IdKind;
inline constexpr unsigned NumRefs = NumIdKinds;

template <class M, class T> void mapHeader(M &Map, T &H) {
  // A text may be read by another version than the one that printed it.
  Map.always("container", H.Container);
  Map.always("format", H.Format);
  Map.text("tool", H.Tool);
  Map.texts("command", H.Command);
  Map.text("host", H.Host);
  Map.text("boot-id", H.BootId);
  Map.text("os", H.Os);
  Map.num("pid", H.Pid);
  Map.num("rank", H.Rank, -1);
  Map.num("world-size", H.WorldSize, -1);
  Map.texts("options", H.Options);
  Map.clock("start", H.Start);
  Map.num("tsc-hz", H.TscHz);
  Map.num("page-size", H.PageSize);
  Map.num("cpus", H.Cpus);
  Map.texts("machine", H.Machine);
  Map.texts("imported", H.Imported);
}

//===----------------------------------------------------------------------===//
// Dictionary
//===----------------------------------------------------------------------===//

template <class M, class N, class T> void mapString(M &Map, N &Id, T &S) {
  Map.id(Id);
  Map.positional("text", S);
}

template <class M, class N, class T> void mapDevice(M &Map, N &Id, T &D) {
  Map.id(Id);
  Map.bytes("uuid", D.Uuid);
  Map.text("pci", D.Pci);
  Map.text("name", D.Name);
  Map.text("space", D.Space);
  Map.num("bytes", D.Bytes);
}

template <class M, class N, class T> void mapBinary(M &Map, N &Id, T &Mod) {
  Map.id(Id);
  Map.ref("path", Ref::String, Mod.Path);
  Map.bytes("build-id", Mod.BuildId);
}

template <class M, class N, class T> void mapFunction(M &Map, N &Id, T &F) {
  Map.id(Id);
  Map.ref("name", Ref::String, F.Name);
  Map.ref("file", Ref::String, F.File);
  Map.num("line", F.Line);
}

template <class M, class N, class T> void mapFrame(M &Map, N &Id, T &F) {
  Map.id(Id);
  Map.word("kind", F.Kind);
  switch (F.Kind) {
  case FrameKind::Native:
    Map.ref("binary", Ref::Binary, F.Container);
    Map.hex("address", F.Address);
    break;
  case FrameKind::Python:
    Map.ref("function", Ref::Function, F.Container);
    Map.num("line", F.Address);
    break;
  case FrameKind::Named:
    Map.ref("function", Ref::Function, F.Container);
    Map.hex("address", F.Address);
    break;
  case FrameKind::Unknown:
    Map.num("container", F.Container);
    Map.hex("address", F.Address);
    break;
  }
}

template <class M, class N, class P, class L>
void mapStack(M &Map, N &Id, P &Parent, L &Frames) {
  Map.id(Id);
  Map.ref("node", Ref::Node, Parent);
  Map.refs("frames", Ref::Frame, Frames);
}

template <class M, class N, class T> void mapScope(M &Map, N &Id, T &S) {
  Map.id(Id);
  Map.word("kind", S.Kind);
  Map.ref("name", Ref::String, S.Name);
  Map.hex("color", S.Color);
}

template <class M, class N, class T> void mapScopePath(M &Map, N &Id, T &C) {
  Map.id(Id);
  Map.ref("parent", Ref::ScopePath, C.Parent);
  Map.ref("scope", Ref::Scope, C.Scope);
  Map.num("depth", C.Depth);
}

template <class M, class N, class T> void mapProcess(M &Map, N &Id, T &I) {
  Map.id(Id);
  Map.num("pid", I.Pid);
  Map.ref("parent", Ref::Process, I.Parent);
  Map.choice("origin", I.Origin);
  Map.ref("exe", Ref::String, I.Exe);
  Map.refs("command", Ref::String, I.Command);
  Map.ref("role", Ref::String, I.Role);
  Map.num("start", I.StartNs);
  Map.flag("recorded", I.Recorded, true);
  Map.ref("why-not", Ref::String, I.WhyNot);
  Map.num("rank", I.Place.Rank, -1);
  Map.num("world-size", I.Place.WorldSize, -1);
  Map.num("local-rank", I.Place.LocalRank, -1);
  Map.num("node", I.Place.Node, -1);
  Map.num("attempt", I.Place.Attempt, -1);
  Map.ref("job", Ref::String, I.Place.Job);
  Map.ref("host", Ref::String, I.Place.Host);
}

template <class M, class N, class T> void mapThread(M &Map, N &Id, T &Th) {
  Map.id(Id);
  Map.ref("process", Ref::Process, Th.Process);
  Map.num("tid", Th.Tid);
  Map.ref("name", Ref::String, Th.Name);
  Map.num("start", Th.StartNs);
}

template <class M, class N, class T> void mapHeap(M &Map, N &Id, T &H) {
  Map.id(Id);
  Map.ref("name", Ref::String, H.Name);
  Map.ref("space", Ref::Device, H.Space);
  Map.ref("parent", Ref::Heap, H.Parent);
  Map.num("flags", H.Flags);
  Map.num("sample-bytes", H.SampleBytes);
}

template <class M, class T> void mapLoad(M &Map, T &L) {
  Map.ref("process", Ref::Process, L.Process);
  Map.ref("binary", Ref::Binary, L.Binary);
  Map.hex("start", L.Start);
  Map.num("size", L.Size);
  Map.hex("bias", L.Bias);
  Map.num("time", L.TimeNs);
  Map.num("end", L.EndNs);
}

template <class M, class T> void mapSourceLine(M &Map, T &S) {
  Map.ref("file", Ref::String, S.File);
  Map.num("line", S.Line);
  Map.ref("text", Ref::String, S.Text);
}

template <class M, class T> void mapSymbols(M &Map, T &S) {
  Map.refKey("frame", Ref::Frame, S.Frame);
  Map.locations("locations", S.Locations);
}

//===----------------------------------------------------------------------===//
// Events and marks
//===----------------------------------------------------------------------===//

/// An event with its values of the optional columns.
struct EventRow {
  Event E;
  uint64_t Into = 0; ///< of a split: the allocation id of the new block
  uint64_t Address = 0, Enclosing = 0, Requested = 0, Weight = 0;
  uint32_t Stream = 0, Pool = 0;
};

template <class M, class T> void mapEvent(M &Map, T &R) {
  Map.time(R.E.TimeNs);
  Map.thread(R.E.Thread);
  Map.word("kind", R.E.Kind);
  Map.block("block", R.E.Block, R.E.Kind == EventKind::Allocate);
  if (R.E.Kind == EventKind::Split)
    Map.newBlock("into", R.Into);
  if (R.E.Kind != EventKind::Free)
    Map.always("size", R.E.Size);
  if (R.E.Kind != EventKind::Allocate)
    return;
  Map.ref("stack", Ref::Stack, R.E.Stack);
  Map.ref("heap", Ref::Heap, R.E.Heap);
  Map.ref("scope-path", Ref::ScopePath, R.E.ScopePath);
  Map.optionalHex("address", R.Address);
  Map.enclosing("in", R.Enclosing);
  Map.optionalNum("requested", R.Requested);
  Map.optionalNum("weight", R.Weight);
  Map.optionalNum("stream", R.Stream);
  Map.optionalNum("pool", R.Pool);
}

template <class M, class T> void mapEvents(M &Map, T &E) {
  Map.ref("process", Ref::Process, E.Process);
  // The defaults of these fields depend on the section before, which a printer
  // does not know.
  Map.always("epoch", E.Epoch);
  Map.always("allocation-id", E.FirstAllocationId);
}

template <class M, class T> void mapMark(M &Map, T &R) {
  Map.time(R.TimeNs);
  Map.word("kind", R.Kind);
  Map.ref("process", Ref::Process, R.Process);
  Map.ref("thread", Ref::Thread, R.Thread);
  Map.ref("name", Ref::String, R.Name);
  Map.num("id", R.Id);
  Map.ref("heap", Ref::Heap, R.Heap);
  Map.ref("stack", Ref::Stack, R.Stack);
  Map.ref("scope-path", Ref::ScopePath, R.ScopePath);
  Map.nums("values", R.Values);
  Map.clock("clock", R.Clock);
}

//===----------------------------------------------------------------------===//
// Intervals and snapshots
//===----------------------------------------------------------------------===//

template <class M, class T> void mapIntervals(M &Map, T &S) {
  Map.ref("process", Ref::Process, S.Process);
}

template <class M, class T> void mapInterval(M &Map, T &S) {
  Map.key("index", S.Index);
  Map.num("first-step", S.FirstStep);
  Map.num("last-step", S.LastStep);
  Map.num("begin", S.BeginNs);
  Map.num("end", S.EndNs);
  Map.choice("detail", S.Detail);
}

template <class M, class T> void mapIntervalRow(M &Map, T &R) {
  Map.ref("heap", Ref::Heap, R.Heap);
  Map.ref("stack", Ref::Stack, R.Stack);
  Map.num("blocks", R.LiveBlocks);
  Map.num("bytes", R.LiveBytes);
  Map.num("allocations", R.Allocations);
  Map.num("allocated-bytes", R.AllocatedBytes);
  Map.num("temporaries", R.Temporaries);
}

template <class M, class T> void mapLifetimes(M &Map, T &L) {
  Map.ref("process", Ref::Process, L.Process);
  Map.flag("last", L.Last, true);
}

template <class M, class T> void mapLifetimeCut(M &Map, T &C) {
  Map.num("space", C.Space);
  Map.num("intervals", C.Intervals);
}

template <class M, class T> void mapLifetimeRow(M &Map, T &R) {
  Map.ref("heap", Ref::Heap, R.Heap);
  Map.ref("stack", Ref::Stack, R.Stack);
}

template <class M, class T> void mapCohort(M &Map, T &C) {
  Map.num("interval", C.Interval);
  Map.num("last", C.Last);
  Map.num("blocks", C.Blocks);
  Map.num("bytes", C.Bytes);
}

template <class M, class T> void mapLateFrees(M &Map, T &F) {
  Map.num("steps", F.Age.Steps);
  Map.num("time", F.Age.Time);
  Map.num("intervals", F.Intervals);
  Map.num("blocks", F.Blocks);
  Map.num("bytes", F.Bytes);
}

template <class M, class T> void mapSnapshot(M &Map, T &K) {
  Map.ref("process", Ref::Process, K.Process);
  Map.num("time", K.TimeNs);
  Map.num("events", K.Events);
  Map.allocationId("next", K.NextAllocationId);
  Map.num("part", K.Part);
  Map.flag("last", K.Last, true);
}

template <class M, class T> void mapLiveBlock(M &Map, T &B) {
  Map.block("block", B.AllocationId, false);
  Map.ref("heap", Ref::Heap, B.Heap);
  Map.num("size", B.Size);
  Map.ref("stack", Ref::Stack, B.Stack);
  Map.ref("scope-path", Ref::ScopePath, B.ScopePath);
  Map.num("allocated", B.AllocatedNs);
  Map.optionalHex("address", B.Address);
  Map.enclosing("in", B.Enclosing);
  Map.optionalNum("weight", B.Weight);
}

template <class M, class T> void mapBlockCategories(M &Map, T &C) {
  Map.ref("process", Ref::Process, C.Process);
}

template <class M, class T> void mapBlockCategory(M &Map, T &R) {
  Map.block("block", R.AllocationId, false);
  Map.word("category", R.Category);
  Map.ref("dtype", Ref::String, R.Dtype);
}

template <class M, class T> void mapScopeTimes(M &Map, T &S) {
  Map.ref("process", Ref::Process, S.Process);
}

template <class M, class T> void mapDeviceSpans(M &Map, T &S) {
  Map.ref("process", Ref::Process, S.Process);
}

template <class M, class T> void mapThreadScopes(M &Map, T &S) {
  Map.ref("thread", Ref::Thread, S.Thread);
}

template <class M, class T> void mapScopeChange(M &Map, T &C) {
  Map.num("time", C.TimeNs);
  Map.ref("scope-path", Ref::ScopePath, C.ScopePath);
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

template <class M, class T> void mapSummary(M &Map, T &S) {
  Map.num("number", S.Number);
  Map.num("end", S.EndNs);
  Map.num("events", S.Events);
  Map.num("marks", S.Marks);
  Map.flag("complete", S.Complete, true);
}

template <class M, class T> void mapPartial(M &Map, T &P) {
  Map.num("number", P.Number);
  Map.num("end", P.EndNs);
  Map.flag("complete", P.Complete, true);
}

/// Maps one field of a row, by its RowField.
template <class Row, size_t I, class M, class T>
void mapRowField(M &Map, T &Value) {
  constexpr auto F = fieldAt<Row, I>;
  using V = std::remove_cv_t<T>;
  constexpr bool IsKey = F.Place == TextPlace::Key;
  if constexpr (IsKey && F.IsId)
    Map.refKey(F.Name, F.Ids, Value);
  else if constexpr (IsKey && std::is_enum_v<V>)
    Map.word(F.Name, Value);
  else if constexpr (IsKey)
    Map.key(F.Name, Value);
  else if constexpr (F.IsId)
    Map.ref(F.Name, F.Ids, Value);
  else if constexpr (std::is_enum_v<V>)
    Map.choice(F.Name, Value);
  else if constexpr (std::is_same_v<V, bool>)
    Map.flag(F.Name, Value, F.Default);
  else if constexpr (std::is_same_v<V, std::vector<uint64_t>>)
    Map.nums(F.Name, Value);
  else if constexpr (std::is_arithmetic_v<V>)
    Map.num(F.Name, Value, F.Default);
  else // printed on lines of their own
    static_assert(std::is_same_v<V, SpaceShares>);
}

/// Maps a row of a summary, by its fields().
template <class M, class T> void mapRow(M &Map, T &R) {
  using RowType = std::remove_cv_t<T>;
  auto MapAll = [&](auto Named) {
    forEachField<RowType>([&](auto I) {
      constexpr auto F = fieldAt<RowType, I>;
      if constexpr ((F.Place == TextPlace::Named) == Named)
        mapRowField<RowType, I>(Map, R.*F.Member);
    });
  };
  MapAll(std::false_type());
  MapAll(std::true_type());
}

template <class M, class T> void mapStackStatsRows(M &Map, T &S) {
  Map.ref("process", Ref::Process, S.Process);
}

template <class M, class T> void mapStackStats(M &Map, bool ScopePaths, T &R) {
  if (ScopePaths)
    Map.ref("scope-path", Ref::ScopePath, R.Key);
  else
    Map.ref("stack", Ref::Stack, R.Key);
  Map.ref("heap", Ref::Heap, R.Heap);
  mapRow(Map, R);
}

} // namespace memkit::tracetext

#endif // MEMKIT_LIB_TRACETEXT_FIELDS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace with every section and field.

#include "SampleTrace.h"
#include "gtest/gtest.h"
#include <random>

using namespace memkit;

Header sampleHeader() {
  Header H;
  H.Tool = "memrec 0.1.0";
  H.Command = {"python", "train.py", ""};
  H.Host = "box";
  H.BootId = "0f-1e";
  H.Os = "Linux 6.1";
  H.Pid = 4711;
  H.Rank = 3;
  H.WorldSize = 8;
  H.Options = {"max-depth=64"};
  H.Start = {1000, 2000, 3000};
  H.TscHz = 2596000000;
  H.PageSize = 4096;
  H.Cpus = 2;
  return H;
}

static Dictionary sampleDictionary() {
  Dictionary D;
  D.Strings = {"malloc", "", "/usr/bin/python", "caf\xc3\xa9 \xff",
               std::string("nul\0!", 5)};
  D.Devices = {{{1, 2, 3}, "0000:17:00.0", "H200", "cuda:0", 151000000000}};
  D.Binaries = {{3, {0xab, 0xcd}}, {1, {}}};
  D.Functions = {{1, 0, 0}, {4, 3, 17}, {5, 3, 4000000000u}};
  D.Frames = {{FrameKind::Named, 1, 0},
              {FrameKind::Native, 1, 0x7fff12345678},
              {FrameKind::Python, 2, 42},
              {FrameKind::Unknown, 0, ~uint64_t(0)}};
  // A chain too long for a byte, a stack at an inner node, one at the root, one
  // with a far parent.
  D.Stacks = {{0, 3}, {3, 300}, {2, 1}, {1, 0}, {0, 1}, {303, 2}, {0, 0}};
  for (unsigned I = 0; I != 307; ++I)
    D.NodeFrames.push_back(1 + I % 4);
  D.Scopes = {{ScopeKind::Layer, 1, 0}, {ScopeKind::Range, 4, 0xff00ff00}};
  D.ScopePaths = {{0, 1, 0}, {1, 2, 7}};
  D.Processes = {{4711, 0, ProcessOrigin::Start, 3, {3, 1}, 0, 0, true, 0, {}},
                 {4712,
                  1,
                  ProcessOrigin::Exec,
                  3,
                  {},
                  4,
                  500,
                  false,
                  1,
                  {13, 16, 5, 1, 2, 4, 3}}};
  D.Threads = {{1, 4711, 1, 0}, {1, 4720, 0, 100}, {2, 4712, 0, 500}};
  D.Heaps = {{1, 0, 0, HF_None, 0}, {4, 1, 1, HF_OutsideTotals, 524288}};
  D.Loads = {{1, 1, 0x1000, 0x2000, 0x1000, 5, 0}, {1, 2, 1, 2, 3, 4, 5}};
  D.SourceLines = {{3, 7, 1}, {3, 9, 4}};
  D.Symbols = {{2, {{2, 10}, {3, 0}}}, {1, {}}};
  return D;
}

Events randomEvents(uint64_t Seed, size_t Rows, unsigned Threads,
                    uint64_t &Next, uint64_t &TimeNs, bool Columns) {
  std::mt19937_64 Random(Seed);
  Events E;
  E.Process = 1;
  E.Epoch = uint32_t(Seed);
  E.FirstAllocationId = Next;
  for (size_t I = 0; I != Rows; ++I) {
    Event R;
    TimeNs += TimeUnitNs * (Random() % 20);
    if (Random() % 1000 == 0)
      TimeNs += TimeUnitNs * (uint64_t(1) << 33);
    R.TimeNs = TimeNs;
    R.Thread = 1 + uint32_t(Random() % Threads);
    unsigned What = Random() % 16;
    if (!Next || What < 8) {
      R.Size = Random() % 9 ? Random() % 4096 : Random();
      R.Block = Next++;
      R.Stack = uint32_t(Random() % 8);
      R.ScopePath = uint32_t(Random() % 3);
      R.Heap = uint16_t(1 + Random() % 2);
    } else {
      uint64_t Back = Random() % 8 ? Random() % 300 : Random();
      R.Block = Next - 1 - Back % Next;
      R.Kind = What < 14    ? EventKind::Free
               : What == 14 ? EventKind::Resize
                            : EventKind::Split;
      if (R.Kind != EventKind::Free)
        R.Size = Random() % 100;
      if (R.Kind == EventKind::Split)
        ++Next;
    }
    E.Rows.push_back(R);
  }
  if (!Columns)
    return E;
  EventColumns &C = E.Columns;
  C.Address.resize(Rows);
  C.Enclosing.resize(Rows);
  C.Requested.resize(Rows);
  C.Weight.resize(Rows);
  C.Stream.resize(Rows);
  C.Pool.resize(Rows);
  for (size_t I = 0; I != Rows; ++I) {
    const Event &R = E.Rows[I];
    if (R.Kind != EventKind::Allocate)
      continue;
    C.Address[I] = 0x550000000000 + Random() % 1000000 * 16;
    C.Enclosing[I] = Random() % 2 && R.Block ? Random() % R.Block + 1 : 0;
    C.Requested[I] = R.Size / 2;
    C.Stream[I] = uint32_t(Random() % 4);
    C.Pool[I] = uint32_t(Random());
  }
  return E;
}

static Summary sampleSummary() {
  Summary S;
  S.Number = 2;
  S.EndNs = 99;
  S.Events = 5;
  S.Marks = 6;
  S.Stacks = {{1,
               {{7, 1, 10, 1000, 0, 3, 2, 200, 150, 900, 4, 800, 3, 700},
                {2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3}}},
              {2, {}}};
  S.ScopePaths = {{1, {{2, 1, 5, 6, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0}}}};
  HeapStats H;
  H.Id = 1;
  H.Allocations = 11;
  H.PeakTimeNs = 12;
  H.ReservedKnown = true;
  H.ReservedPeakBytes = 1 << 20;
  H.Sizes = {1, 0, 3, 1ull << 60};
  S.Heaps = {H};
  S.Spaces = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
  S.Processes = {{1, 90, true, 137, 9, 1, 2, 3, 4, 5, 6}};
  S.Processes[0].Shares = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  S.Steps = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
  S.Steps[0].Shares = {{1, 9, 8, 7, 6, 5, 4, 3, 2}};
  S.Layers = {{1, 1, true, 1, 2, 3, 4, 5, 6, 7, 8}};
  S.Layers[0].Shares = {{0, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 2, 2, 2}};
  S.Layers[0].SelfNs = 2;
  S.Layers[0].Shapes = 2;
  S.Layers[0].Flops = 1ull << 50;
  S.Layers[0].DeviceNs = 1ull << 45;
  S.Layers[0].DeviceSelfNs = 9;
  S.Losses = {{1, LossKind::UnknownFree, 3}, {0, LossKind::Events, 4}};
  S.Categories = {{1, 1, TensorCategory::Gradient, 0, 2, 0, 3, 4096},
                  {1, 1, TensorCategory::Temporary, 1, 0, 1, 1, 1ull << 40}};
  S.Ooms = {{1, 1, 1, 1, 123400, 1, 1, 1ull << 50, 7}};
  S.OomHeaps = {{1, 1, 4, 4096 + (1ull << 40), true, 1ull << 41}};
  S.Parameters = {{1, 1, 2, true, 3, 1ull << 40, 1ull << 42}, {2}};
  S.DeviceTimes = {{1, 1, 1ull << 32, WorkKind::Graph, 2, 3, 1, 2, 4, 5, 6, 7,
                    8, 1ull << 50, 1},
                   {1, 1}};
  S.Threads = {{1, 2, 3}, {2, 1ull << 40, 1ull << 50}};
  return S;
}

std::vector<AnySection> sampleBlocks() {
  std::vector<AnySection> Out;
  Out.push_back(sampleDictionary());
  Marks M;
  for (unsigned K = 0; K != NumMarkKinds; ++K)
    M.Rows.push_back({MarkKind(K), 1, K * 10, 2, 1, K, 1, 3, 2, {K, 1}, {}});
  M.Rows[0].Clock = {7, 8, 9};
  M.Rows[3].Values.clear();
  Out.push_back(M);
  uint64_t Next = 0, Time = 300;
  Out.push_back(randomEvents(1, 100, 2, Next, Time, false));
  Out.push_back(randomEvents(2, 50, 1, Next, Time, true));
  Intervals S;
  S.Process = 1;
  S.Rows = {{0,
             1,
             1,
             0,
             100,
             IntervalDetail::Whole,
             {{1, 3, 2, 64, 5, uint64_t(1) << 40, 2}, {1, 1, 0, 0, 1, 9, 1}}},
            {1, 2, 4, 100, 200, IntervalDetail::Changed, {}},
            {2, 5, 5, 200, 250, IntervalDetail::None, {{2, 7, 1, 1}}}};
  Out.push_back(S);
  Snapshot K;
  K.Process = 1;
  K.TimeNs = Time;
  K.Events = 150;
  K.NextAllocationId = Next;
  K.Part = 1;
  K.Last = false;
  K.Blocks = {{0, 10, 300, 1, 2, 1, 0x1000, 0}, {5, 0, Time, 0, 0, 2, 0, 1}};
  Out.push_back(K);
  Dictionary More;
  More.Strings = {"late"};
  More.Stacks = {{306, 0}, {302, 1}};
  More.NodeFrames = {4};
  Out.push_back(More);
  Out.push_back(
      BlockCategories{1,
                      {{0, TensorCategory::Parameter},
                       {5, TensorCategory::Temporary, 2},
                       {6, TensorCategory::Temporary, 1},
                       {uint64_t(1) << 40, TensorCategory::Unknown}}});
  Out.push_back(
      ScopeTimes{1, {{1, 200, {0, 255, 16}, {1, 2, 0}}, {2, 300, {0}, {1}}}});
  Out.push_back(DeviceSpans{
      1,
      {{1, 7, WorkKind::Kernel, 2, 0, 1, 1ull << 40, 5},
       {1, 1ull << 32, WorkKind::Graph, 0, UINT32_MAX, 0, 3, 1ull << 41}}});
  Summary Sums = sampleSummary();
  Partial P;
  P.Number = 3;
  P.EndNs = 250;
  P.Complete = false;
  P.Processes = Sums.Processes;
  P.Layers = Sums.Layers;
  P.Categories = Sums.Categories;
  P.Ooms = Sums.Ooms;
  P.OomHeaps = Sums.OomHeaps;
  P.Parameters = Sums.Parameters;
  P.DeviceTimes = Sums.DeviceTimes;
  Out.push_back(P);
  Out.push_back(Sums);
  return Out;
}

std::string writeTrace(const Header &H, const std::vector<AnySection> &Blocks,
                       bool Complete) {
  std::string Out;
  StringSink To(Out);
  auto Writer = TraceWriter::create(To, H);
  EXPECT_TRUE(bool(Writer));
  for (const AnySection &B : Blocks) {
    llvm::Error E = std::visit(
        [&](const auto &X) -> llvm::Error {
          if constexpr (requires { (*Writer)->write(X); })
            return (*Writer)->write(X);
          else
            return llvm::Error::success();
        },
        B);
    EXPECT_FALSE(bool(E));
  }
  if (Complete) {
    EXPECT_FALSE(bool((*Writer)->finish()));
  }
  EXPECT_EQ((*Writer)->bytes(), Out.size());
  return Out;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heap profiles of a trace of Perfetto.

#include "PerfettoHeaps.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace llvm;

namespace memkit {

// Numbers of fields from Perfetto's profile_packet.proto, profile_common.proto
// and interned_data.proto.
namespace {

namespace interned_profile {
enum : unsigned { Frames = 6, Callstacks = 7, Mappings = 19 };
}
namespace interned_text {
enum : unsigned { Iid = 1, Text = 2 };
}
namespace stack_mapping {
enum : unsigned { Iid = 1, PathStringIds = 7 };
}
namespace stack_frame {
enum : unsigned {
  Iid = 1,
  FunctionNameId = 2,
  MappingId = 3,
  RelPc = 4,
  SourcePathIid = 5,
  LineNumber = 6,
};
}
namespace stack_path {
enum : unsigned { Iid = 1, FrameIds = 2 };
}
namespace profile_packet {
enum : unsigned { ProcessDumps = 5, Continued = 6, Index = 7 };
}
namespace heap_samples {
enum : unsigned {
  Pid = 1,
  Samples = 2,
  FromStartup = 3,
  TimestampNs = 9,
  HeapName = 11,
  SamplingIntervalBytes = 12,
  StartTimestampNs = 15,
};
}
namespace heap_sample {
enum : unsigned {
  CallstackId = 1,
  SelfAllocated = 2,
  SelfFreed = 3,
  AllocCount = 5,
  FreeCount = 6,
};
}

/// Rows of a packet: some 500 KB.
constexpr size_t MaxPacketRows = 20'000;

} // namespace

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

HeapPaths::HeapPaths(ShownTree T, const SelectedStats &S, size_t MaxFrames)
    : T(T), Names(T, FlameNames::Distinct::ByPlace), Paths(T, Names),
      PathOf(T.trace().numStacks() + size_t(1)) {
  for (uint32_t Stack = 0; Stack != PathOf.size(); ++Stack)
    PathOf[Stack] = Paths.of(T.view().leaf(Stack));
  std::vector<bool> IsKept = largest(S, MaxFrames);
  if (IsKept.empty())
    return;
  for (uint32_t &Path : PathOf)
    if (!IsKept[Path])
      Path = Paths.size();
}

/// Chooses the paths with the highest peaks. Empty: all paths fit.
std::vector<bool> HeapPaths::largest(const SelectedStats &S,
                                     size_t MaxFrames) const {
  std::vector<uint32_t> Depth(Paths.size(), 1);
  for (uint32_t Path = 1; Path < Paths.size(); ++Path)
    Depth[Path] = Depth[Paths.parent(Path)] + 1;
  std::vector<uint64_t> Bytes(Paths.size());
  std::vector<bool> IsUsed(Paths.size());
  size_t Sum = 0;
  S.forEach([&](uint32_t, const StackStats &R) {
    uint32_t Path = PathOf[R.Key];
    Bytes[Path] += R.PeakBytes;
    if (!IsUsed[Path])
      Sum += Depth[Path];
    IsUsed[Path] = true;
  });
  if (!MaxFrames || Sum <= MaxFrames)
    return {};
  std::vector<uint32_t> Order(Paths.size());
  std::iota(Order.begin(), Order.end(), 0);
  stable_sort(Order,
              [&](uint32_t A, uint32_t B) { return Bytes[A] > Bytes[B]; });
  std::vector<bool> IsKept(Paths.size());
  size_t Left = MaxFrames;
  for (uint32_t Path : Order) {
    if (!IsUsed[Path] || Depth[Path] > Left)
      continue;
    Left -= Depth[Path];
    IsKept[Path] = true;
  }
  return IsKept;
}

void HeapPaths::names(uint32_t Path, SmallVectorImpl<uint32_t> &Out) const {
  Out.clear();
  if (Path == Paths.size())
    return Out.push_back(FlameNames::Smaller);
  for (; Path; Path = Paths.parent(Path))
    Out.push_back(Paths.name(Path));
  if (Out.empty())
    Out.push_back(FlameNames::NoStack);
  std::reverse(Out.begin(), Out.end());
}

StringRef HeapPaths::binary(uint32_t Number) const {
  std::optional<uint32_t> Shown = name(Number).Shown;
  return Shown ? T.allShown()[*Shown].Binary : StringRef();
}

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

PerfettoHeaps::PerfettoHeaps(PerfettoWriter &Out, const Trace &T,
                             const HeapPaths &Paths)
    : Out(Out), T(T), Paths(Paths) {
  for (const ProcessRecord &P : T.processes())
    ++ProcessesOfPid[P.Pid];
}

uint64_t PerfettoHeaps::text(ProfileTexts &Of, StringRef Text) {
  auto [At, New] = Of.Ids.try_emplace(Text, Of.Ids.size() + 1);
  if (New)
    Interned.message(Of.Field, [&, Id = At->second](ProtoWriter &I) {
      I.number(interned_text::Iid, Id);
      I.text(interned_text::Text, Text);
    });
  return At->second;
}

/// A reader may drop the call stacks of a frame without a mapping.
uint64_t PerfettoHeaps::mapping(StringRef Binary) {
  auto [At, New] = Mappings.try_emplace(Binary, Mappings.size() + 1);
  uint64_t Id = At->second;
  if (!New)
    return Id;
  // Perfetto puts a slash before each part of the path.
  StringRef Path = Binary.empty() ? "[no binary]" : Binary.ltrim('/');
  uint64_t PathId = text(Binaries, Path);
  Interned.message(interned_profile::Mappings, [&](ProtoWriter &M) {
    M.number(stack_mapping::Iid, Id);
    M.number(stack_mapping::PathStringIds, PathId);
  });
  return Id;
}

/// Heap: 0 for frames that have a caller.
uint64_t PerfettoHeaps::frame(uint32_t Heap, uint32_t Name) {
  auto [At, New] = Frames.try_emplace({Heap, Name}, Frames.size() + 1);
  uint64_t Id = At->second;
  if (!New)
    return Id;
  const FlameNames::FlameName &N = Paths.name(Name);
  StringRef Binary = Paths.binary(Name);
  uint64_t Function = text(Functions, N.Function), Mapping = mapping(Binary);
  uint64_t Source =
      N.File.empty() || N.File == Binary ? 0 : text(Sources, N.File);
  Interned.message(interned_profile::Frames, [&](ProtoWriter &F) {
    F.number(stack_frame::Iid, Id);
    F.number(stack_frame::FunctionNameId, Function);
    F.number(stack_frame::MappingId, Mapping);
    // Not an address: what makes the frame different from others.
    F.number(stack_frame::RelPc, Id);
    if (Source)
      F.number(stack_frame::SourcePathIid, Source);
    if (Source && N.Line)
      F.number(stack_frame::LineNumber, N.Line);
  });
  return Id;
}

/// Perfetto keeps the sums of a process's call stack over all heaps, so each
/// heap has call stacks of its own: their outermost frames differ.
uint64_t PerfettoHeaps::callstack(uint32_t Heap, uint32_t Path) {
  auto [At, New] = Callstacks.try_emplace({Heap, Path}, Callstacks.size() + 1);
  uint64_t Id = At->second;
  if (!New)
    return Id;
  SmallVector<uint32_t, 64> Names;
  Paths.names(Path, Names);
  SmallVector<uint64_t, 64> Ids;
  for (uint32_t Name : Names)
    Ids.push_back(frame(Ids.empty() ? Heap : 0, Name));
  Interned.message(interned_profile::Callstacks, [&](ProtoWriter &C) {
    C.number(stack_path::Iid, Id);
    for (uint64_t Frame : Ids)
      C.number(stack_path::FrameIds, Frame);
  });
  return Id;
}

/// The processes of one number have one sequence of dumps. With the next
/// process the blocks of the process before are gone.
void PerfettoHeaps::startProcess(DumpedPid &Pid, uint32_t Process) {
  Pid.Process = Process;
  for (auto &[Of, Sum] : Pid.Sums) {
    HeapTotals Freed = Sum;
    Freed.FreedBytes = Sum.AllocatedBytes;
    Freed.Frees = Sum.Allocations;
    if (Freed != Sum)
      Pid.Gone[Of.first].push_back({Of.second, Freed});
    Sum = Freed;
  }
  Pid.Before = Pid.Sums;
}

/// The rows of a dump as sums over all processes of its number.
std::vector<HeapDumpRow> PerfettoHeaps::sums(DumpedPid &Pid,
                                             const HeapDump &D) const {
  std::vector<HeapDumpRow> Rows = D.Rows;
  for (HeapDumpRow &R : Rows) {
    HeapTotals Before = Pid.Before.lookup({D.Heap, R.Path});
    R.Totals.AllocatedBytes += Before.AllocatedBytes;
    R.Totals.FreedBytes += Before.FreedBytes;
    R.Totals.Allocations += Before.Allocations;
    R.Totals.Frees += Before.Frees;
    Pid.Sums[{D.Heap, R.Path}] = R.Totals;
  }
  // A path that the new process uses too has its row already.
  for (const HeapDumpRow &R : std::exchange(Pid.Gone[D.Heap], {}))
    if (Pid.Sums.lookup({D.Heap, R.Path}) == R.Totals)
      Rows.push_back(R);
  llvm::sort(Rows, [](const HeapDumpRow &A, const HeapDumpRow &B) {
    return A.Path < B.Path;
  });
  return Rows;
}

void PerfettoHeaps::writeDump(const HeapDump &D) {
  const ProcessRecord &P = T.processes()[D.Process - 1];
  DumpedPid &Pid = Pids[P.Pid];
  if (Pid.Process != D.Process)
    startProcess(Pid, D.Process);
  std::vector<HeapDumpRow> Rows =
      ProcessesOfPid[P.Pid] > 1 ? sums(Pid, D) : D.Rows;
  auto [Last, New] = Pid.LastNs.try_emplace(D.Heap, P.StartNs);
  uint64_t StartNs = std::min(Last->second, D.TimeNs);
  for (ArrayRef<HeapDumpRow> Left = Rows; !Left.empty();) {
    ArrayRef<HeapDumpRow> Some = Left.take_front(MaxPacketRows);
    Left = Left.drop_front(Some.size());
    writeRows(D, StartNs, Some, !Left.empty());
  }
  Last->second = D.TimeNs;
}

/// Continued: more rows of the dump come in the next packet.
void PerfettoHeaps::writeRows(const HeapDump &D, uint64_t StartNs,
                              ArrayRef<HeapDumpRow> Rows, bool Continued) {
  std::vector<uint64_t> Ids;
  for (const HeapDumpRow &R : Rows)
    Ids.push_back(callstack(D.Heap, R.Path));
  // Perfetto's page cuts the name of a heap at a colon.
  std::string Heap = T.heapName(D.Heap).str();
  std::replace(Heap.begin(), Heap.end(), ':', '_');
  auto WriteSamples = [&](ProtoWriter &Of) {
    Of.number(heap_samples::Pid, T.processes()[D.Process - 1].Pid);
    Of.number(heap_samples::FromStartup, 1);
    Of.number(heap_samples::TimestampNs, D.TimeNs);
    Of.number(heap_samples::StartTimestampNs, StartNs);
    Of.text(heap_samples::HeapName, Heap);
    if (uint64_t Bytes = T.heap(D.Heap).estimateBytes())
      Of.number(heap_samples::SamplingIntervalBytes, Bytes);
    for (auto [Id, R] : zip_equal(Ids, Rows))
      Of.message(heap_samples::Samples, [&, Id = Id, &R = R](ProtoWriter &S) {
        S.number(heap_sample::CallstackId, Id);
        S.number(heap_sample::SelfAllocated, R.Totals.AllocatedBytes);
        S.number(heap_sample::SelfFreed, R.Totals.FreedBytes);
        S.number(heap_sample::AllocCount, R.Totals.Allocations);
        S.number(heap_sample::FreeCount, R.Totals.Frees);
      });
  };
  Out.heapProfile(D.TimeNs, Interned.bytes(), [&](ProtoWriter &Profile) {
    Profile.message(profile_packet::ProcessDumps, WriteSamples);
    if (Continued)
      Profile.number(profile_packet::Continued, 1);
    Profile.number(profile_packet::Index, Index++);
  });
  Interned.clear();
}

void PerfettoHeaps::write(ArrayRef<HeapDump> Dumps) {
  for (const HeapDump &D : Dumps)
    writeDump(D);
}

} // namespace memkit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the memory map of a device.

#include "MapPrinter.h"
#include "Cli/Terminal.h"
#include "MapText.h"
#include "Support/Table.h"
#include "memkit/Support/Format.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace memkit;

static std::string counted(uint64_t Count, StringRef What) {
  return formatCount(Count) + " " + What.str() + (Count == 1 ? "" : "s");
}

namespace {
class MapPrinter {
public:
  MapPrinter(raw_ostream &OS, const Trace &T, function_ref<bool()> IsOver)
      : OS(OS), T(T), Asked(T), Own(T), Width(outputWidth()), IsOver(IsOver) {}
  void print(const DeviceMap &M);

private:
  void printHead(const DeviceMap &M);
  void printMeasures(const DeviceMap &M);
  void printOom(const DeviceMap &M);
  void printPools(const DeviceMap &M);
  void printSegment(const MappedSegment &S);
  void printBlock(const MappedBlock &B, unsigned Indent, bool WithHeap);
  void line(unsigned Indent, uint64_t Address, uint64_t Size, StringRef Text);
  /// Counts blocks outside the selection.
  struct Rest {
    uint64_t Blocks = 0, Bytes = 0;
    void add(const MappedBlock &B) {
      ++Blocks;
      Bytes += B.Size;
    }
  };
  void printRest(const Rest &R, unsigned Indent);
  std::string details(const MappedBlock &B) const;

  raw_ostream &OS;
  const Trace &T;
  Libraries Asked;
  OwnCode Own;
  unsigned Width;
  function_ref<bool()> IsOver;
  bool HasProcesses = false; ///< the trace has several processes
};
} // namespace

void MapPrinter::line(unsigned Indent, uint64_t Address, uint64_t Size,
                      StringRef Text) {
  std::string Line;
  raw_string_ostream Out(Line);
  Out.indent(Indent);
  if (Address)
    Out << format_hex(Address, 14);
  else
    Out << left_justify("?", 14);
  Out << "  " << right_justify(formatSize(Size), 9) << "  " << Text;
  OS << (Width ? shorten(Line, Width) : Line) << '\n';
}

std::string MapPrinter::details(const MappedBlock &B) const {
  std::string Text;
  if (HasProcesses)
    Text += "  " + T.processName(B.Process).str() + " (" +
            std::to_string(T.processes()[B.Process - 1].Pid) + ")";
  if (B.Stream)
    Text += "  stream " + std::to_string(B.Stream);
  if (B.Pool)
    Text += "  pool " + std::to_string(B.Pool);
  return Text;
}

void MapPrinter::printBlock(const MappedBlock &B, unsigned Indent,
                            bool WithHeap) {
  std::string Text = "#" + std::to_string(B.AllocationId);
  if (WithHeap)
    Text += "  " + T.heapName(B.Heap).str() + details(B);
  if (B.Requested && B.Requested != B.Size)
    Text += "  requested " + formatSize(B.Requested);
  std::string For = purposeOf(T, Asked, B.ScopePath, B.Stack);
  // For a stack of Python alone the library is the Python file.
  if (uint32_t Library = WithHeap ? Asked.of(B.Stack) : 0;
      Library && !StringRef(For).starts_with(Asked.name(Library)))
    Text += "  " + Asked.name(Library).str();
  if (!For.empty())
    Text += "  " + For;
  line(Indent, B.Address, B.Size, Text);
}

void MapPrinter::printRest(const Rest &R, unsigned Indent) {
  if (R.Blocks)
    OS.indent(Indent) << "and " << counted(R.Blocks, "block") << ", "
                      << formatSize(R.Bytes) << ", not selected\n";
}

void MapPrinter::printSegment(const MappedSegment &S) {
  std::string Text = "#" + std::to_string(S.Self.AllocationId) + "  " +
                     T.heapName(S.Self.Heap).str() + details(S.Self);
  if (S.IsExpandable)
    Text += "  expandable";
  if (!S.FreeBytes)
    Text += "  full";
  else if (S.FreeBytes == S.Self.Size)
    Text += "  all free";
  else
    Text += "  " + formatShare(freePpm(S.FreeBytes, S.Self.Size)) + " free";
  if (S.HasNoAddresses)
    Text += "; positions not recorded";
  line(0, S.Self.Address, S.Self.Size, Text);
  Rest Others;
  auto Hole = S.Holes.begin();
  for (const MappedBlock &B : S.Blocks) {
    for (; Hole != S.Holes.end() && Hole->Address < B.Address; ++Hole)
      line(2, Hole->Address, Hole->Size,
           S.IsInParts ? "free, or not mapped" : "free");
    if (B.IsChosen)
      printBlock(B, 2, false);
    else
      Others.add(B);
  }
  for (; Hole != S.Holes.end(); ++Hole)
    line(2, Hole->Address, Hole->Size,
         S.IsInParts ? "free, or not mapped" : "free");
  printRest(Others, 2);
}

/// The device's product name and size.
static std::string titleOf(const Trace &T, uint32_t Device) {
  const memkit::Device &D = T.devices()[Device - 1];
  std::string About = D.Name;
  if (D.Bytes)
    About += (About.empty() ? "" : ", ") + formatSize(D.Bytes);
  return T.spaceName(Device).str() + (About.empty() ? "" : " (" + About + ")");
}

void MapPrinter::printHead(const DeviceMap &M) {
  OS << titleOf(T, M.Device) << " at " << M.At.Text;
  if (!M.At.IsEnd)
    OS << ", " << formatTime(M.At.TimeNs);
  OS << '\n' << formatSize(M.HeldBytes) << " held";
  if (!M.Segments.empty()) {
    OS << ", " << formatSize(M.SegmentBytes) << " of it in "
       << counted(M.Segments.size(), "segment") << ": "
       << formatSize(M.FreeBytes) << " free";
    if (M.NumHoles)
      OS << " in " << counted(M.NumHoles, "hole") << ", the largest has "
         << formatSize(M.LargestHole);
    OS << "; fragmentation "
       << formatShare(freePpm(M.FreeBytes, M.SegmentBytes));
  }
  if (!M.Blocks.empty()) {
    uint64_t Bytes = 0;
    for (const MappedBlock &B : M.Blocks)
      Bytes += B.Size;
    OS << "; " << formatSize(Bytes) << " in "
       << counted(M.Blocks.size(), "block")
       << (M.Segments.empty() ? "" : " outside");
  }
  OS << '\n';
}

void MapPrinter::printMeasures(const DeviceMap &M) {
  for (const ReservedHeap &R : M.Reserved)
    OS << T.heapName(R.Heap) << " reserves " << formatSize(R.Reserved)
       << ", of it " << formatSize(R.Reserved - std::min(R.Reserved, R.Live))
       << " free\n";
  if (!M.Used)
    return;
  OS << "the device has " << formatSize(M.Used->Used);
  if (M.Used->Total)
    OS << " of " << formatSize(M.Used->Total);
  OS << " in use, by all processes";
  if (!M.At.IsEnd && M.At.TimeNs > M.Used->TimeNs)
    OS << ", " << formatTime(M.At.TimeNs - M.Used->TimeNs) << " before";
  OS << '\n';
}

void MapPrinter::printOom(const DeviceMap &M) {
  OomCause C = findCause(M);
  OS << formatSize(C.Requested) << " requested, ";
  OS << formatSize(C.FreeBytes) << " free in ";
  if (C.NumHoles)
    OS << counted(C.NumHoles, "hole") << ", the largest has "
       << formatSize(C.LargestHole);
  else
    OS << "segments";
  if (C.DeviceFree) {
    OS << (C.IsAtMost ? ", at most " : ", ") << formatSize(*C.DeviceFree)
       << " on the device";
    if (C.SampleAgeNs > 1)
      OS << ' ' << formatTime(C.SampleAgeNs) << " before";
  }
  OS << ": " << causeText(C.Why) << '\n';
  std::string Who = purposeOf(T, Asked, M.Oom->ScopePath, M.Oom->Stack);
  if (!Who.empty())
    OS << "requested from " << T.heapName(M.Oom->Heap) << " by " << Who << '\n';
}

void MapPrinter::printPools(const DeviceMap &M) {
  for (const MappedPool &P : findPools(M)) {
    OS << "pool " << P.Number;
    if (HasProcesses)
      OS << " of " << T.processName(P.Process) << " ("
         << T.processes()[P.Process - 1].Pid << ")";
    OS << ": " << formatSize(P.Bytes) << " in "
       << counted(P.Segments, "segment") << ", " << formatSize(P.FreeBytes)
       << " free";
    if (std::string Maker = makerOf(T, Asked, Own, P); !Maker.empty())
      OS << "; first used by " << Maker;
    OS << '\n';
  }
}

void MapPrinter::print(const DeviceMap &M) {
  auto IsOther = [&](const MappedBlock &B) {
    const MappedBlock &First =
        M.Segments.empty() ? M.Blocks.front() : M.Segments.front().Self;
    return B.Process != First.Process;
  };
  HasProcesses =
      any_of(M.Segments,
             [&](const MappedSegment &S) { return IsOther(S.Self); }) ||
      any_of(M.Blocks, IsOther);
  printHead(M);
  if (M.Oom)
    printOom(M);
  printMeasures(M);
  printPools(M);
  if (!M.Segments.empty() || !M.Blocks.empty())
    OS << '\n';
  for (const MappedSegment &S : M.Segments) {
    printSegment(S);
    if (IsOver())
      return;
  }
  Rest Others;
  for (const MappedBlock &B : M.Blocks) {
    if (B.IsChosen)
      printBlock(B, 0, true);
    else
      Others.add(B);
  }
  printRest(Others, 0);
}

void memkit::printMaps(raw_ostream &OS, const Trace &T,
                       ArrayRef<DeviceMap> Maps, function_ref<bool()> IsOver) {
  MapPrinter P(OS, T, IsOver);
  for (const DeviceMap &M : Maps) {
    if (&M != Maps.begin())
      OS << "\n\n";
    P.print(M);
  }
}

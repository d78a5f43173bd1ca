// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes what memsim reads of a trace.
//
// The input is the text form of a trace, as for ModelFuzzer. The device part is
// simulated with several settings; the commands of the host part must be what
// memkit-replay may run. Errors are fine, crashes are not.

#include "Simulate/HostRequests.h"
#include "Simulate/TorchSettings.h"
#include "TraceText/Assembler.h"
#include "llvm/ADT/BitVector.h"

using namespace memkit;
using namespace memkit::wire;
using namespace llvm;

static void require(bool Holds, const char *What) {
  if (Holds)
    return;
  errs() << What << '\n';
  abort();
}

static void simulateDevices(const Trace &T, const Selection &Sel) {
  std::vector<TorchConfig> Configs;
  for (const char *Text :
       {"", "expandable_segments:True", "max_split_size_mb:64",
        "roundup_power2_divisions:4",
        "per_process_memory_fraction:0.5,garbage_collection_threshold:0.6"})
    Configs.push_back(cantFail(TorchConfig::parse(Text)));
  for (uint64_t Device : {uint64_t(0), uint64_t(64) << 20}) {
    auto Targets = simulateTorch(T, Sel, Configs, Device);
    if (!Targets)
      return consumeError(Targets.takeError());
    for (const TargetResults &Of : *Targets)
      for (const TorchResult &R : Of.Results) {
        require(R.Allocated <= R.Reserved, "more allocated than reserved");
        require(R.LargestFree <= R.freeBytes(), "a hole larger than all holes");
        require(!Device || R.Reserved <= Device, "more than the device has");
      }
  }
}

namespace {
/// Commands, as memkit-replay runs them.
class CommandChecker {
public:
  explicit CommandChecker(const HostTarget &Of)
      : Of(Of), Live(Of.NumSlots), Ended(Of.NumThreads) {}
  void take(const ReplayCommand &C) {
    require(!HasEnded, "a command after the end");
    require(C.thread() < Of.NumThreads, "no such thread");
    require(!Ended[C.thread()], "a command of a thread that has ended");
    switch (C.op()) {
    case ReplayOp::Allocate:
    case ReplayOp::Zeroed:
    case ReplayOp::Aligned:
    case ReplayOp::PageAligned:
      require(C.Slot < Live.size() && !Live[C.Slot], "a slot twice");
      Live.set(C.Slot);
      break;
    case ReplayOp::Resize:
    case ReplayOp::Free:
      require(C.Slot < Live.size() && Live[C.Slot], "an empty slot");
      if (C.op() == ReplayOp::Free)
        Live.reset(C.Slot);
      break;
    case ReplayOp::EndThread:
      require(C.thread() != 0, "the main thread ends");
      Ended.set(C.thread());
      return;
    case ReplayOp::NotePeak:
      ++NumPeaks;
      return;
    case ReplayOp::NotePoint:
      ++NumPoints;
      return;
    case ReplayOp::End:
      HasEnded = true;
      return;
    }
    ++NumRequests;
  }
  void finish() const {
    require(HasEnded, "no end");
    require(NumRequests == Of.NumRequests, "another number of requests");
    require(NumPoints == MaxReplayPoints, "another number of intervals");
    require(NumPeaks <= 1, "several peaks");
  }

private:
  const HostTarget &Of;
  BitVector Live, Ended;
  bool HasEnded = false;
  uint64_t NumRequests = 0, NumPoints = 0, NumPeaks = 0;
};
} // namespace

static void readHost(const Trace &T, const Selection &Sel, uint32_t Scale) {
  Expected<HostTarget> Of = findHostTarget(T, Sel, Scale);
  if (!Of)
    return consumeError(Of.takeError());
  CommandChecker Check(*Of);
  // The first pass has read everything.
  cantFail(readHostRequests(T, *Of, [&](ArrayRef<ReplayCommand> Batch) {
    for (const ReplayCommand &C : Batch)
      Check.take(C);
    return true;
  }));
  Check.finish();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Text(reinterpret_cast<const char *>(Data), Size), Bytes;
  StringSink Out(Bytes);
  AssembleOptions Options;
  Options.Unchecked = true;
  consumeError(
      assemble(MemoryBufferRef(Text, "fuzz"), Out, Options).takeError());
  auto R = TraceReader::create(MemoryBuffer::getMemBuffer(Bytes, "t", false));
  if (!R)
    return consumeError(R.takeError()), 0;
  auto T = Trace::create(std::move(*R), TP_Totals | TP_Names | TP_Stacks);
  if (!T)
    return consumeError(T.takeError()), 0;
  Expected<Selection> Sel = Selection::create(**T, SelectionSpec());
  if (!Sel)
    return consumeError(Sel.takeError()), 0;
  simulateDevices(**T, *Sel);
  readHost(**T, *Sel, 1);
  readHost(**T, *Sel, 3);
  return 0;
}

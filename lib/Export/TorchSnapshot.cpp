// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces as memory snapshots of PyTorch, for memory_viz and other viewers.

#include "TorchSnapshot.h"
#include "TorchSnapshotEvents.h"
#include "TorchSnapshotFrames.h"
#include "TorchSnapshotRanges.h"
#include "TorchSnapshotSegments.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

namespace {

/// Writes the events of a device.
class SnapshotEventWriter : public TorchSnapshotVisitor {
public:
  SnapshotEventWriter(const Trace &T, const TorchSnapshotScan &Scan,
                      const TorchSnapshotDevice &Device, PickleWriter &To,
                      TorchSnapshotFrames &Frames)
      : T(T), Scan(Scan), Device(Device), To(To), Frames(Frames) {}

  void allocated(const TorchSnapshotBlock &B, uint64_t Block, uint64_t TimeNs,
                 bool IsBefore) override {
    bool IsSegment = B.Heap == Device.Segments;
    if (IsSegment && Scan.expands(Block))
      Expands.insert(B.Address);
    if (IsBefore)
      return;
    writeMarks(TimeNs);
    if (!IsSegment)
      return write("alloc", B, B.Address, B.Requested, TimeNs);
    write(Expands.contains(B.Address) ? "segment_map" : "segment_alloc", B,
          B.Address, B.Size, TimeNs);
  }

  void freed(const TorchSnapshotBlock &B, uint64_t TimeNs) override {
    writeMarks(TimeNs);
    if (B.Heap == Device.Segments)
      return write(Expands.contains(B.Address) ? "segment_unmap"
                                               : "segment_free",
                   B, B.Address, B.Size, TimeNs);
    write("free_requested", B, B.Address, B.Requested, TimeNs);
    write("free_completed", B, B.Address, B.Requested, TimeNs);
  }

  void resized(const TorchSnapshotBlock &B, uint64_t SizeBefore,
               uint64_t TimeNs) override {
    // Only segments are resized.
    if (B.Heap != Device.Segments || B.Size == SizeBefore)
      return;
    writeMarks(TimeNs);
    if (B.Size > SizeBefore)
      write("segment_map", B, B.Address + SizeBefore, B.Size - SizeBefore,
            TimeNs);
    else
      write("segment_unmap", B, B.Address + B.Size, SizeBefore - B.Size,
            TimeNs);
  }

  /// Writes the marks up to TimeNs, which come before events of this time.
  void writeMarks(uint64_t TimeNs) {
    for (;
         NextMark != Scan.Marks.size() && Scan.Marks[NextMark].TimeNs <= TimeNs;
         ++NextMark)
      writeMark(Scan.Marks[NextMark]);
  }

private:
  void begin(StringRef Action) { To.entry("action", Action); }
  void end(uint32_t Stack, uint32_t ScopePath, uint64_t TimeNs) {
    if (hasRealTimes(T))
      To.entry("time_us", realUs(T, TimeNs));
    TorchSnapshotLabels Labels = labelsOf(T, ScopePath);
    To.entry("compile_context", Labels.CompileContext);
    To.entry("user_metadata", Labels.Metadata);
    To.text("frames");
    Frames.write(Stack);
    To.next();
  }

  void write(StringRef Action, const TorchSnapshotBlock &B, uint64_t Address,
             uint64_t Size, uint64_t TimeNs) {
    To.dict([&] {
      begin(Action);
      To.entry("addr", Address);
      To.entry("size", Size);
      To.entry("stream", uint64_t(B.Stream));
      end(B.Stack, B.ScopePath, TimeNs);
    });
    To.next();
  }

  void writeMark(const Mark &M) {
    bool IsOom = M.Kind == MarkKind::Oom && M.Heap == Device.Tensors;
    bool IsSnapshot =
        M.Kind == MarkKind::User && T.string(M.Name) == "snapshot";
    if (!IsOom && !IsSnapshot)
      return;
    To.dict([&] {
      begin(IsOom ? "oom" : "snapshot");
      auto Value = [&](size_t I) {
        return I < M.Values.size() ? M.Values[I] : 0;
      };
      // The fourth value is what the device had free.
      if (IsOom)
        To.entry("device_free", Value(3));
      else
        To.entry("addr", uint64_t(0));
      To.entry("size", Value(0));
      To.entry("stream", uint64_t(0));
      end(M.Stack, M.ScopePath, M.TimeNs);
    });
    To.next();
  }

  const Trace &T;
  const TorchSnapshotScan &Scan;
  TorchSnapshotDevice Device;
  PickleWriter &To;
  TorchSnapshotFrames &Frames;
  DenseSet<uint64_t> Expands; ///< addresses of segments that expand
  size_t NextMark = 0;
};

class TorchSnapshotWriter {
public:
  TorchSnapshotWriter(raw_ostream &OS, const Trace &T, TorchSnapshotScan Scan,
                      function_ref<bool()> Failed)
      : T(T), Scan(std::move(Scan)), To(OS), Frames(T, To), Failed(Failed) {}

  Error run() {
    Error E = Error::success();
    To.dict([&] {
      To.text("device_traces");
      To.list([&] { E = writeTraces(); });
      To.next();
      if (E)
        return;
      To.text("segments");
      To.list([&] {
        for (const auto &[Index, Blocks] : Last)
          writeTorchSegments(To, Frames, Index, Scan.Devices[Index], Scan,
                             Blocks);
      });
      To.next();
      writeTorchSettings(To, T);
      To.text("external_annotations");
      To.list([&] { writeTorchAnnotations(To, T, Scan); });
      To.next();
    });
    To.finish();
    return E;
  }

private:
  /// A list for each device up to the last one.
  Error writeTraces() {
    uint32_t Next = 0;
    for (const auto &[Index, Device] : Scan.Devices) {
      for (; Next != Index; ++Next) {
        To.list([] {});
        To.next();
      }
      ++Next;
      Error E = Error::success();
      To.list([&] { E = writeTrace(Index, Device); });
      To.next();
      if (E)
        return E;
    }
    return Error::success();
  }

  Error writeTrace(uint32_t Index, const TorchSnapshotDevice &Device) {
    SnapshotEventWriter Writer(T, Scan, Device, To, Frames);
    Expected<TorchSnapshotBlocks> Live =
        visitTorchBlocks(T, Scan.Process, Device, Writer, Failed);
    if (!Live)
      return Live.takeError();
    Writer.writeMarks(UINT64_MAX);
    Last[Index] = std::move(*Live);
    return Error::success();
  }

  const Trace &T;
  TorchSnapshotScan Scan;
  PickleWriter To;
  TorchSnapshotFrames Frames;
  function_ref<bool()> Failed;
  std::map<uint32_t, TorchSnapshotBlocks> Last; ///< by the device's index
};

} // namespace

Error memkit::writeTorchSnapshot(raw_ostream &OS, const Trace &T,
                                 uint32_t Process,
                                 function_ref<bool()> Failed) {
  Expected<TorchSnapshotScan> Scan = scanForTorchSnapshot(T, Process);
  if (!Scan)
    return Scan.takeError();
  return TorchSnapshotWriter(OS, T, std::move(*Scan), Failed).run();
}

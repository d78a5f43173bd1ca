// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory map of a device, as JSON.

#include "Export/StackText.h"
#include "MapPrinter.h"
#include "MapText.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

namespace {
class MapWriter {
public:
  MapWriter(json::OStream &J, const Trace &T, function_ref<bool()> IsOver)
      : J(J), T(T), Asked(T), Own(T), IsOver(IsOver) {}
  void write(const DeviceMap &M);

private:
  void writePlace(const MappedBlock &B);
  void writeBlocks(ArrayRef<MappedBlock> Blocks);
  void writeSegment(const MappedSegment &S);
  void writeOom(const DeviceMap &M);
  void writePools(const DeviceMap &M);
  void writePurpose(uint32_t ScopePath, uint32_t Stack);

  json::OStream &J;
  const Trace &T;
  Libraries Asked;
  OwnCode Own;
  function_ref<bool()> IsOver;
};
} // namespace

/// A string, because JSON numbers of this size are not exact.
static json::Value addressValue(uint64_t Address) {
  return Address ? json::Value("0x" + utohexstr(Address, /*LowerCase=*/true))
                 : json::Value(nullptr);
}

static json::Value numberOrNull(uint64_t Number) {
  return Number ? json::Value(Number) : json::Value(nullptr);
}

void MapWriter::writePlace(const MappedBlock &B) {
  J.attribute("address", addressValue(B.Address));
  J.attribute("bytes", B.Size);
  J.attribute("block", B.AllocationId);
  J.attribute("heap", jsonText(T.heapName(B.Heap)));
  J.attribute("process", B.Process);
  J.attribute("stream", B.Stream);
  J.attribute("pool", B.Pool);
}

void MapWriter::writePurpose(uint32_t ScopePath, uint32_t Stack) {
  J.attribute("layer",
              jsonTextOrNull(innermostScope(T, ScopePath, ScopeKind::Layer)));
  J.attribute("operator", jsonTextOrNull(innermostScope(T, ScopePath,
                                                        ScopeKind::Operator)));
  J.attribute("scope_path", jsonTextOrNull(T.scopePathText(ScopePath)));
  J.attributeBegin("stack");
  writeStack(J, T, Stack);
  J.attributeEnd();
}

void MapWriter::writeBlocks(ArrayRef<MappedBlock> Blocks) {
  J.attributeArray("blocks", [&] {
    for (const MappedBlock &B : Blocks) {
      if (!B.IsChosen)
        continue;
      J.object([&] {
        writePlace(B);
        J.attribute("requested_bytes", numberOrNull(B.Requested));
        J.attribute("time_ns", B.AllocatedNs);
        uint32_t Library = Asked.of(B.Stack);
        J.attribute("library", Library ? jsonText(Asked.name(Library))
                                       : json::Value(nullptr));
        writePurpose(B.ScopePath, B.Stack);
      });
    }
  });
}

void MapWriter::writeSegment(const MappedSegment &S) {
  J.object([&] {
    writePlace(S.Self);
    J.attribute("expandable", S.IsExpandable);
    J.attribute("free_bytes", S.FreeBytes);
    J.attribute("largest_hole_bytes", S.HasNoAddresses
                                          ? json::Value(nullptr)
                                          : json::Value(S.LargestHole));
    J.attribute("has_unmapped", S.IsInParts);
    J.attributeArray("holes", [&] {
      for (const MappedHole &H : S.Holes)
        J.object([&] {
          J.attribute("address", addressValue(H.Address));
          J.attribute("bytes", H.Size);
        });
    });
    writeBlocks(S.Blocks);
  });
}

void MapWriter::writeOom(const DeviceMap &M) {
  if (!M.Oom)
    return J.attribute("oom", nullptr);
  OomCause C = findCause(M);
  J.attributeObject("oom", [&] {
    J.attribute("heap", jsonText(T.heapName(M.Oom->Heap)));
    J.attribute("process", M.Oom->Process);
    J.attribute("requested_bytes", C.Requested);
    J.attribute("device_free_bytes", C.DeviceFree ? json::Value(*C.DeviceFree)
                                                  : json::Value(nullptr));
    J.attribute("device_free_is_at_most", C.IsAtMost);
    J.attribute("cause", causeKey(C.Why));
    writePurpose(M.Oom->ScopePath, M.Oom->Stack);
  });
}

void MapWriter::writePools(const DeviceMap &M) {
  J.attributeArray("pools", [&] {
    for (const MappedPool &P : findPools(M))
      J.object([&] {
        J.attribute("pool", P.Number);
        J.attribute("process", P.Process);
        J.attribute("heap", jsonText(T.heapName(P.Heap)));
        J.attribute("segments", P.Segments);
        J.attribute("bytes", P.Bytes);
        J.attribute("free_bytes", P.FreeBytes);
        J.attribute("time_ns", P.MadeNs);
        J.attribute("first_used_by", jsonTextOrNull(makerOf(T, Asked, Own, P)));
        writePurpose(P.ScopePath, P.Stack);
      });
  });
}

void MapWriter::write(const DeviceMap &M) {
  const memkit::Device &D = T.devices()[M.Device - 1];
  J.attribute("name", jsonText(T.spaceName(M.Device)));
  J.attribute("uuid", D.Uuid.empty()
                          ? json::Value(nullptr)
                          : json::Value(toHex(D.Uuid, /*LowerCase=*/true)));
  J.attribute("product", jsonTextOrNull(D.Name));
  J.attribute("total_bytes", numberOrNull(D.Bytes));
  J.attribute("time_point", jsonText(M.At.Text));
  J.attribute("time_ns",
              M.At.IsEnd ? json::Value(nullptr) : json::Value(M.At.TimeNs));
  J.attribute("used_bytes",
              M.Used ? json::Value(M.Used->Used) : json::Value(nullptr));
  J.attribute("held_bytes", M.HeldBytes);
  J.attribute("segment_bytes", M.SegmentBytes);
  J.attribute("live_bytes", M.LiveBytes);
  J.attribute("free_bytes", M.FreeBytes);
  J.attribute("holes", M.NumHoles);
  J.attribute("largest_hole_bytes", M.LargestHole);
  J.attribute("fragmentation_ppm",
              M.SegmentBytes ? json::Value(freePpm(M.FreeBytes, M.SegmentBytes))
                             : json::Value(nullptr));
  writeOom(M);
  J.attributeArray("reserved", [&] {
    for (const ReservedHeap &R : M.Reserved)
      J.object([&] {
        J.attribute("heap", jsonText(T.heapName(R.Heap)));
        J.attribute("reserved_bytes", R.Reserved);
        J.attribute("live_bytes", R.Live);
      });
  });
  writePools(M);
  J.attributeArray("segments", [&] {
    for (const MappedSegment &S : M.Segments)
      if (!IsOver())
        writeSegment(S);
  });
  writeBlocks(M.Blocks);
}

void memkit::writeMapJson(raw_ostream &OS, const Trace &T,
                          ArrayRef<DeviceMap> Maps,
                          function_ref<bool()> IsOver) {
  json::OStream J(OS, /*IndentSize=*/1);
  MapWriter W(J, T, IsOver);
  J.object([&] {
    J.attributeArray("devices", [&] {
      for (const DeviceMap &M : Maps)
        J.object([&] { W.write(M); });
    });
  });
  OS << '\n';
}

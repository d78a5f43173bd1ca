// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads CUPTI's activity records of device work.

#include "Cuda/ActivityRecords.h"

#include "Cuda/Writer.h"

#include <cstddef>
#include <cstring>
#include <cupti_activity_deprecated.h>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::cuda;
using wire::CudaPlace;
using wire::DeviceWorkKind;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

namespace {
/// The first bytes of CUpti_ActivityKernel4 to CUpti_ActivityKernel10.
struct KernelRecord {
  uint32_t Kind;
  uint8_t Unread0[12];
  uint64_t Begin, End;
  uint64_t Completed;
  uint32_t Device, Context, Stream;
  uint8_t Unread1[40];
  uint32_t Correlation;
  int64_t Grid;
  const char *Name;
};
/// Of CUpti_ActivityMemcpy to CUpti_ActivityMemcpy6, and of the structures of
/// memsets, which have a value in place of CopyKind.
struct CopyRecord {
  uint32_t Kind;
  uint8_t CopyKind;
  uint8_t Unread[3];
  uint64_t Bytes;
  uint64_t Begin, End;
  uint32_t Device, Context, Stream;
  uint32_t Correlation;
};
/// Of CUpti_ActivityMemcpyPtoP to CUpti_ActivityMemcpyPtoP4.
struct PeerCopyRecord {
  uint32_t Kind;
  uint8_t Unread0[4];
  uint64_t Bytes;
  uint64_t Begin, End;
  uint32_t Device, Context, Stream;
  uint8_t Unread1[16];
  uint32_t Correlation;
};
/// Of CUpti_ActivityGraphTrace and CUpti_ActivityGraphTrace2.
struct GraphRecord {
  uint32_t Kind;
  uint32_t Correlation;
  uint64_t Begin, End;
  uint32_t Device, Graph, Context, Stream;
};
} // namespace

template <class Ours, class Theirs> constexpr bool hasPlaces() {
  bool Same = sizeof(Ours) <= sizeof(Theirs) &&
              offsetof(Ours, Begin) == offsetof(Theirs, start) &&
              offsetof(Ours, End) == offsetof(Theirs, end) &&
              offsetof(Ours, Device) == offsetof(Theirs, deviceId) &&
              offsetof(Ours, Stream) == offsetof(Theirs, streamId) &&
              offsetof(Ours, Correlation) == offsetof(Theirs, correlationId);
  if constexpr (requires(Theirs T) { T.name; })
    Same &= offsetof(Ours, Name) == offsetof(Theirs, name);
  if constexpr (requires(Theirs T) { T.bytes; })
    Same &= offsetof(Ours, Bytes) == offsetof(Theirs, bytes);
  return Same;
}
template <class Ours, class... Theirs> constexpr bool haveAllPlaces() {
  return (hasPlaces<Ours, Theirs>() && ...);
}
static_assert(haveAllPlaces<KernelRecord, CUpti_ActivityKernel4,
                            CUpti_ActivityKernel5, CUpti_ActivityKernel6,
                            CUpti_ActivityKernel7, CUpti_ActivityKernel8,
                            CUpti_ActivityKernel9, CUpti_ActivityKernel10>());
static_assert(haveAllPlaces<CopyRecord, CUpti_ActivityMemcpy,
                            CUpti_ActivityMemcpy3, CUpti_ActivityMemcpy4,
                            CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6>());
static_assert(offsetof(CopyRecord, CopyKind) ==
              offsetof(CUpti_ActivityMemcpy6, copyKind));
static_assert(
    haveAllPlaces<CopyRecord, CUpti_ActivityMemset, CUpti_ActivityMemset2,
                  CUpti_ActivityMemset3, CUpti_ActivityMemset4>());
static_assert(
    haveAllPlaces<PeerCopyRecord, CUpti_ActivityMemcpyPtoP,
                  CUpti_ActivityMemcpyPtoP2, CUpti_ActivityMemcpyPtoP3,
                  CUpti_ActivityMemcpyPtoP4>());
static_assert(haveAllPlaces<GraphRecord, CUpti_ActivityGraphTrace,
                            CUpti_ActivityGraphTrace2>());
static_assert(offsetof(GraphRecord, Graph) ==
              offsetof(CUpti_ActivityGraphTrace2, graphId));

bool cuda::isKnownActivityVersion(uint32_t Version) {
  // 13 is CUDA 11.0, 28 is 12.9. From 13.0 on: major, minor, patch, two digits
  // each.
  return (Version >= 13 && Version <= 28) ||
         (Version >= 130000 && Version < 140000);
}

const CUpti_ActivityKind cuda::WantedActivities[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_MEMCPY2,
    CUPTI_ACTIVITY_KIND_GRAPH_TRACE};
const unsigned cuda::NumWantedActivities =
    sizeof(WantedActivities) / sizeof(*WantedActivities);
const unsigned cuda::NumNeededActivities = 3;

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

uint32_t KernelNames::textOf(const char *Name) {
  if (!Name)
    return 0;
  NamePointer &Slot = Slots[(uintptr_t(Name) >> 4) % NumSlots];
  if (Slot.Name != Name)
    Slot = {Name,
            Memrec->Text(Name, strnlen(Name, size_t(wire::MaxTextBytes)))};
  return Slot.Text;
}

static DeviceWorkKind kindOfCopy(uint8_t Kind) {
  switch (Kind) {
  case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    return DeviceWorkKind::CopyToDevice;
  case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    return DeviceWorkKind::CopyToHost;
  case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
    return DeviceWorkKind::CopyOnDevice;
  case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
    return DeviceWorkKind::CopyBetweenDevices;
  default:
    return DeviceWorkKind::OtherCopy;
  }
}

/// The parts that all structures have. False: impossible.
template <class T>
static bool fill(const T &R, DeviceWorkKind Kind, ActivityWork &Out) {
  Out.Detail = {0, R.Stream, 0, 0};
  Out.What = {R.Begin, R.End - R.Begin, Kind, R.Correlation,
              CudaPlace::pack(R.Device, 0, 0)};
  // CUPTI gives 0 for a time that it could not measure.
  return R.Begin && R.Begin <= R.End && R.Device < wire::MaxCudaDevices;
}

static bool readKernel(const KernelRecord &R, KernelNames &Names,
                       ActivityWork &Out) {
  bool IsGood = fill(R, DeviceWorkKind::Kernel, Out);
  Out.Detail.Name = IsGood ? Names.textOf(R.Name) : 0;
  return IsGood;
}

static bool readCopy(const CopyRecord &R, DeviceWorkKind Kind,
                     ActivityWork &Out) {
  bool IsGood = fill(R, Kind, Out);
  Out.Detail.Bytes = R.Bytes;
  return IsGood;
}

static bool readPeerCopy(const PeerCopyRecord &R, ActivityWork &Out) {
  bool IsGood = fill(R, DeviceWorkKind::CopyBetweenDevices, Out);
  Out.Detail.Bytes = R.Bytes;
  return IsGood;
}

static bool readGraph(const GraphRecord &R, ActivityWork &Out) {
  bool IsGood = fill(R, DeviceWorkKind::Graph, Out);
  Out.Detail.Graph = R.Graph;
  return IsGood;
}

ActivityRead cuda::readActivity(const CUpti_Activity *R, const uint8_t *End,
                                KernelNames &Names, ActivityWork &Out) {
  auto *At = reinterpret_cast<const uint8_t *>(R);
  // Read copies the structure: records are aligned to 8 bytes only by CUPTI's
  // word.
  auto Read = [&](auto &To, auto Do) {
    if (size_t(End - At) < sizeof(To))
      return ActivityRead::Bad;
    memcpy(&To, At, sizeof(To));
    return Do(To) ? ActivityRead::Work : ActivityRead::Bad;
  };
  KernelRecord Kernel;
  CopyRecord Copy;
  PeerCopyRecord Peer;
  GraphRecord Graph;
  switch (R->kind) {
  case CUPTI_ACTIVITY_KIND_KERNEL:
  case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    return Read(Kernel,
                [&](const auto &K) { return readKernel(K, Names, Out); });
  case CUPTI_ACTIVITY_KIND_MEMCPY:
    return Read(Copy, [&](const auto &C) {
      return readCopy(C, kindOfCopy(C.CopyKind), Out);
    });
  case CUPTI_ACTIVITY_KIND_MEMSET:
    return Read(Copy, [&](const auto &C) {
      return readCopy(C, DeviceWorkKind::Set, Out);
    });
  case CUPTI_ACTIVITY_KIND_MEMCPY2:
    return Read(Peer, [&](const auto &P) { return readPeerCopy(P, Out); });
  case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
    return Read(Graph, [&](const auto &G) { return readGraph(G, Out); });
  default:
    return ActivityRead::Other;
  }
}

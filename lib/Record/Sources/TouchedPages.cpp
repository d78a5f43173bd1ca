// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: the pages that a process has touched of reserved address space.

#include "Sources/TouchedPages.h"
#include "Sources/BlockSnapshots.h"
#include "Sources/EventSink.h"
#include <optional>

using namespace llvm;
using namespace memkit;

/// Mappings with a block; a program with more is an allocator of its own kind.
static constexpr size_t MaxBlocks = 1 << 16;
/// Smaller changes, and smaller parts of a block, wait for a later sample.
static constexpr uint64_t MinChange = 64 << 10, MinPart = 100;

TouchedPages::TouchedPages(EventSink &Sink, BlockSnapshots &Snapshots)
    : Sink(Sink) {
  Snapshots.addOthers([this] { return size_t(Live.size()); },
                      [this](SmallVectorImpl<LiveEntry> &To) {
                        for (const auto &[Id, B] : Live)
                          To.push_back(B);
                      });
}

/// The ring of a thread that lives, for events of no thread.
static std::optional<uint32_t> anyRing(const EventSink &Sink) {
  const std::vector<RingThread> &Rings = Sink.rings();
  for (uint32_t I = 0; I != Rings.size(); ++I)
    if (Rings[I].Thread)
      return I;
  return std::nullopt;
}

void TouchedPages::sample(const LiveEntry &Reserved, const TouchedSample &S) {
  if (Left.contains(Reserved.AllocationId))
    return;
  auto It = Live.find(Reserved.AllocationId);
  uint64_t Before = It == Live.end() ? 0 : It->second.Size, Bytes = S.Bytes;
  if (Bytes == Before || (Bytes > Before) != S.Grow)
    return;
  uint64_t Change = Bytes > Before ? Bytes - Before : Before - Bytes;
  if (!S.Exact && Bytes && Change < std::max(MinChange, Before / MinPart))
    return;
  std::optional<uint32_t> Ring = anyRing(Sink);
  if (!Ring)
    return;
  RecordOrigin From{S.Tsc, *Ring};
  if (It != Live.end()) {
    setSize(It->second, Bytes, From);
    if (!Bytes)
      Live.erase(It);
    return;
  }
  if (!Sink.wanted().wants(HostHeapKind::Touched, Bytes) ||
      Live.size() >= MaxBlocks)
    return;
  LiveEntry B = Sink.newBlockIn(From, Sink.heaps().host(HostHeapKind::Touched),
                                Sink.stats().stackOf(Reserved.Row), Bytes, 0);
  Sink.allocate(From, B);
  Live[Reserved.AllocationId] = B;
}

void TouchedPages::leave(uint64_t ReservedId, RecordOrigin From) {
  if (Left.insert(ReservedId).second)
    shrink(ReservedId, 0, From);
}

void TouchedPages::shrink(uint64_t ReservedId, uint64_t Size,
                          RecordOrigin From) {
  auto It = Live.find(ReservedId);
  if (It == Live.end() || It->second.Size <= Size)
    return;
  setSize(It->second, Size, From);
  if (!Size)
    Live.erase(It);
}

/// Size 0: B ends.
void TouchedPages::setSize(LiveEntry &B, uint64_t Size, RecordOrigin From) {
  if (Size)
    return Sink.resize(From, B, Size);
  // No block names B as the one around it.
  Sink.free(From, B, 0);
}

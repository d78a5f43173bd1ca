// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of records in a ring.
//
// Some records belong together: a begin and its end, a detail and its record.
// Other records, for example of a signal handler, may come between them.
// RingOrder is the state machine of one ring, used by the recorder, the tests
// of libmemrec and the fuzzer.

#ifndef MEMKIT_LIB_WIRE_RECORDORDER_H
#define MEMKIT_LIB_WIRE_RECORDORDER_H

#include "Record.h"

namespace memkit::wire {

/// Checks each record of a ring against the records before it.
class RingOrder {
public:
  enum class Verdict : uint8_t {
    Fits,
    Alone,     ///< invalid without a certain record before it
    Forgotten, ///< valid, but an open operation has no end
  };

  /// Takes the next record of the ring, of kind K.
  constexpr Verdict take(RecordKind K) {
    Links P = placeOf(K);
    if (K == RecordKind::ThreadStart || K == RecordKind::ThreadEnd) {
      bool WasOpen = Open & MustEnd;
      Open = 0;
      return WasOpen ? Verdict::Forgotten : Verdict::Fits;
    }
    Verdict V = Verdict::Fits;
    if (P.Ends && !(Open & P.Ends) && P.IsEndOnly)
      V = Verdict::Alone;
    if (P.Begins & Open & MustEnd)
      V = Verdict::Forgotten;
    Open = uint8_t((Open & ~P.Ends) | P.Begins);
    return V;
  }

  /// Whether take() would return Fits.
  constexpr bool fits(RecordKind K) const {
    return RingOrder(*this).take(K) == Verdict::Fits;
  }

  /// The record that must come before a record of kind K; None if K needs none.
  static constexpr RecordKind beginOf(RecordKind K) {
    if (K == RecordKind::RemapEnd)
      return RecordKind::RemapBegin;
    if (K == RecordKind::DeviceWork)
      return RecordKind::DeviceWorkDetail;
    return K == RecordKind::DeviceReserved ? RecordKind::DeviceDetail
                                           : RecordKind::None;
  }

  /// Whether a realloc, a remap or an object's realloc runs.
  constexpr bool isOpen() const { return Open & MustEnd; }

private:
  /// The operations that can be open, one bit each.
  enum : uint8_t {
    Realloc = 1,
    ObjectRealloc = 2,
    Remap = 4,
    TensorDetail = 8,
    DeviceDetail = 16,
    PrivateResize = 32,
    DeviceWorkDetail = 64,
    MustEnd = Realloc | ObjectRealloc | Remap | PrivateResize,
  };
  struct Links {
    uint8_t Begins = 0, Ends = 0;
    bool IsEndOnly = false; ///< invalid alone
  };

  static constexpr Links placeOf(RecordKind K) {
    switch (K) {
    case RecordKind::ReallocBegin:
      return {Realloc, 0};
    case RecordKind::ReallocEnd: // valid alone: the end has enough data
      return {0, Realloc};
    case RecordKind::ObjectReallocBegin:
      return {ObjectRealloc, 0};
    case RecordKind::ObjectReallocEnd:
      return {0, ObjectRealloc};
    case RecordKind::PrivateResizeBegin:
      return {PrivateResize, 0};
    case RecordKind::PrivateResizeEnd: // valid alone, as ReallocEnd
      return {0, PrivateResize};
    case RecordKind::RemapBegin:
      return {Remap, 0};
    case RecordKind::RemapEnd:
      return {0, Remap, true};
    case RecordKind::TensorPool:
    case RecordKind::TensorRequest:
      return {TensorDetail, 0};
    case RecordKind::TensorAllocate:
    case RecordKind::TensorSegment:
    case RecordKind::TensorOom:
      return {0, TensorDetail};
    case RecordKind::DeviceDetail:
      return {DeviceDetail, 0};
    case RecordKind::DeviceReserved: // its detail has the pool
      return {0, DeviceDetail, true};
    case RecordKind::DeviceWorkDetail:
      return {DeviceWorkDetail, 0};
    case RecordKind::DeviceWork: // its detail has the name
      return {0, DeviceWorkDetail, true};
    case RecordKind::DeviceAllocate:
    case RecordKind::DeviceMap:
      return {0, DeviceDetail};
    default:
      return {};
    }
  }

  uint8_t Open = 0;
};

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_RECORDORDER_H

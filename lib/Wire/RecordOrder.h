// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which record may follow which in a ring.
//
// Some records belong together: a begin and its end, a detail and the record
// that the detail is of. Other records, also a signal handler's, may stand
// between them. RingOrder is the state machine of one ring; the recorder, the
// tests of libmemrec and the fuzzer ask it.

#ifndef MEMKIT_LIB_WIRE_RECORDORDER_H
#define MEMKIT_LIB_WIRE_RECORDORDER_H

#include "Record.h"

namespace memkit::wire {

/// Where a record may stand among the others of its ring.
class RingOrder {
public:
  enum class Verdict : uint8_t {
    Fits,
    Alone,     ///< makes no sense without the record that comes before it
    Forgotten, ///< fits, but something that was open has no end
  };

  /// The next record of the ring is of this kind.
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

  /// Whether take() would say Fits.
  constexpr bool fits(RecordKind K) const {
    return RingOrder(*this).take(K) == Verdict::Fits;
  }

  /// The record that makes sense of a record of kind K where K is Alone; None:
  /// K needs none.
  static constexpr RecordKind beginOf(RecordKind K) {
    if (K == RecordKind::RemapEnd)
      return RecordKind::RemapBegin;
    return K == RecordKind::DeviceReserved ? RecordKind::DeviceDetail
                                           : RecordKind::None;
  }

  /// Whether a realloc, a remap or an object's realloc runs.
  constexpr bool isOpen() const { return Open & MustEnd; }

private:
  /// What can be open, one bit each.
  enum : uint8_t {
    Realloc = 1,
    ObjectRealloc = 2,
    Remap = 4,
    TensorDetail = 8,
    DeviceDetail = 16,
    MustEnd = Realloc | ObjectRealloc | Remap,
  };
  struct Links {
    uint8_t Begins = 0, Ends = 0;
    bool IsEndOnly = false; ///< makes no sense alone
  };

  static constexpr Links placeOf(RecordKind K) {
    switch (K) {
    case RecordKind::ReallocBegin:
      return {Realloc, 0};
    case RecordKind::ReallocEnd: // alone: the end says enough
      return {0, Realloc};
    case RecordKind::ObjectReallocBegin:
      return {ObjectRealloc, 0};
    case RecordKind::ObjectReallocEnd:
      return {0, ObjectRealloc};
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
    case RecordKind::DeviceReserved: // of which pool
      return {0, DeviceDetail, true};
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

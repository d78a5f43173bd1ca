// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of blocks of private allocators, whose functions have detours.

#ifndef MEMKIT_LIB_WIRE_PRIVATERECORDS_H
#define MEMKIT_LIB_WIRE_PRIVATERECORDS_H

#include "Record.h"

namespace memkit::wire {

/// Pool: the text of the heap's name.
struct PrivateAllocateRecord {
  using Layout = RecordLayout<RecordKind::PrivateAllocate, InAddress, InSize,
                              InStack, InExtra>;
  uint64_t Address;
  uint64_t Size;  ///< bytes
  uint32_t Stack; ///< node; 0: none
  uint32_t Pool;
};

/// The block is about to be freed.
struct PrivateFreeRecord {
  using Layout = RecordLayout<RecordKind::PrivateFree, InAddress, InExtra>;
  uint64_t Address;
  uint32_t Pool;
};

/// The block is about to be resized. Only this thread may use it until the
/// PrivateResizeEndRecord that follows in the ring.
struct PrivateResizeBeginRecord {
  using Layout =
      RecordLayout<RecordKind::PrivateResizeBegin, InAddress, InExtra>;
  uint64_t Address;
  uint32_t Pool;
};

/// Address: the new block's; 0: the call failed, the old block lives on;
/// Unrecorded: the old block is gone, and the new block is not recorded.
struct PrivateResizeEndRecord {
  using Layout = RecordLayout<RecordKind::PrivateResizeEnd, InAddress, InSize,
                              InStack, InExtra>;
  uint64_t Address;
  uint64_t Size;
  uint32_t Stack;
  uint32_t Pool;
};

/// The program waits until the recorder has written the detours of a binary to
/// Control::Detours. Slot, Ticket: as of an AskRecord.
struct AskDetoursRecord {
  using Layout = RecordLayout<RecordKind::AskDetours, SizeBits<0, 8>,
                              SizeBits<8, 32>, InExtra>;
  uint32_t Slot;
  uint32_t Ticket;
  uint32_t Path; ///< text: of the binary's file
};

using PrivateRecords = RecordList<PrivateAllocateRecord, PrivateFreeRecord,
                                  PrivateResizeBeginRecord,
                                  PrivateResizeEndRecord, AskDetoursRecord>;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_PRIVATERECORDS_H

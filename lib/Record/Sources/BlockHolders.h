// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of Python that hold blocks.

#ifndef MEMKIT_LIB_RECORD_BLOCKHOLDERS_H
#define MEMKIT_LIB_RECORD_BLOCKHOLDERS_H

#include "Sources/EventSink.h"
#include "Wire/HolderRecords.h"

namespace memkit {

class HostHeap;
class PythonObjects;
class Tensors;

/// Turns the names that a walk through the program's objects reports into
/// marks. A name is of each live block that begins at the reported address, or
/// up to 48 bytes before it: of a tensor, of an object, of the block of malloc.
/// Belongs to the recorder's thread.
class BlockHolders {
public:
  BlockHolders(EventSink &Sink, const Tensors &Torch,
               const PythonObjects &Objects, const HostHeap &Host)
      : Sink(Sink), Torch(Torch), Objects(Objects), Host(Host) {}

  void take(const wire::BlockHeldRecord &Rec, RecordOrigin From);

private:
  void addMark(const LiveEntry &Block, uint32_t Name, uint8_t Flags,
               RecordOrigin From);

  EventSink &Sink;
  const Tensors &Torch;
  const PythonObjects &Objects;
  const HostHeap &Host;
  uint64_t Found = 0; ///< blocks of the walk so far
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_BLOCKHOLDERS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tensors are for, and which of them live when memory runs out.

#ifndef MEMKIT_LIB_RECORD_TENSORORIGINS_H
#define MEMKIT_LIB_RECORD_TENSORORIGINS_H

#include "Scopes/TensorCategories.h"
#include "Scopes/TensorFrames.h"
#include "Sources/LiveTable.h"
#include "Wire/TensorRecords.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

class EventSink;
class ProcessScopes;
struct Mark;

/// Keeps where each live tensor was made, so that its category is known when
/// the tensor is freed. Belongs to the recorder's thread.
class TensorOrigins {
public:
  /// Live: the tensors.
  TensorOrigins(EventSink &Sink, ProcessScopes &Scopes, const LiveTable &Live);

  /// A tensor lives, which the stats have counted. Node: its stack's.
  void made(uint64_t Address, uint32_t Heap, uint32_t Node, uint32_t Ring);
  /// A module or an optimizer says that the tensor is its own.
  void held(const wire::TensorHeldRecord &Rec);
  /// The ring's thread has freed the tensor.
  void freed(uint64_t Address, uint64_t Bytes, uint32_t Ring);
  /// The process or the recording ends: categories of the tensors that live.
  void finish();
  /// The allocator had no memory: keeps what lives, by category, layer and
  /// stack. Oom: the mark.
  void outOfMemory(const Mark &Oom);

private:
  EventSink &Sink;
  ProcessScopes &Scopes;
  const LiveTable &Live;
  TensorFrames Makers;
  llvm::DenseMap<uint64_t, TensorCategories::Origin> Origins; ///< by address
  uint64_t NextOomLook = 0; ///< not before this event of the process
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TENSORORIGINS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The purpose of tensors, and the live tensors at an out-of-memory event.

#ifndef MEMKIT_LIB_RECORD_TENSORORIGINS_H
#define MEMKIT_LIB_RECORD_TENSORORIGINS_H

#include "Output/CategoryTable.h"
#include "Scopes/TensorCategories.h"
#include "Scopes/TensorFrames.h"
#include "Sources/LiveTable.h"
#include "Wire/TensorRecords.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <vector>

namespace memkit {

class EventSink;
class ProcessScopes;

/// Keeps the origin of each live tensor, to find the tensor's category at the
/// free. Belongs to the recorder's thread.
class TensorOrigins {
public:
  /// Live: the table of tensors.
  TensorOrigins(EventSink &Sink, ProcessScopes &Scopes, const LiveTable &Live);

  /// The tensor Id was allocated, and counted in the stats. Node: of its stack.
  /// Layer: for LayerScopes::layerName().
  void made(uint64_t Address, uint64_t Id, uint32_t Heap, uint32_t Node,
            uint32_t Ring, uint32_t Layer);
  /// A module or an optimizer reports that it holds the tensor.
  void held(const wire::TensorHeldRecord &Rec);
  /// An operator has read the tensor, which shows its dtype.
  void typed(const wire::TensorDtypeRecord &Rec);
  /// The ring's thread has freed the tensor.
  void freed(uint64_t Address, uint64_t Bytes, uint32_t Ring);
  /// The process or the recording ends: counts the live tensors by category.
  void finish();
  /// Adds the categories of live tensors made since the last call to the
  /// recording, so that a trace that is cut off has the categories.
  void addLive();
  /// Counts the live tensors in a table, as if they were freed now.
  void addTo(CategoryTable &To);
  /// Adds the live tensors in the memory space of the event's heap to an
  /// out-of-memory event, by heap, category, layer and stack.
  void listAt(OomLog::OomTimePoint &M);

private:
  struct LiveTensor {
    TensorCategories::Origin B;
    uint64_t Id = 0;
    std::optional<TensorCategory> Noted; ///< as last added to the recording
    uint32_t Dtype = 0;                  ///< string
    uint32_t NotedDtype = 0;
  };
  void note(LiveTensor &T, TensorCategory Is);

  EventSink &Sink;
  ProcessScopes &Scopes;
  const LiveTable &Live;
  TensorFrames Makers;
  llvm::DenseMap<uint32_t, uint32_t> Dtypes;    ///< strings, by number
  llvm::DenseMap<uint64_t, LiveTensor> Origins; ///< by address
  /// The addresses of tensors made since the last addLive().
  std::vector<uint64_t> Recent;
  static constexpr size_t MaxRecent = 65536;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_TENSORORIGINS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of PyTorch's memory snapshots, and where their lists lie.

#ifndef MEMKIT_LIB_IMPORT_TORCHNAMES_H
#define MEMKIT_LIB_IMPORT_TORCHNAMES_H

#include "Import/Pickle/Pickle.h"

namespace memkit {

#define MEMKIT_TORCH_NAMES(X)                                                  \
  X(Segments, "segments")                                                      \
  X(DeviceTraces, "device_traces")                                             \
  X(ExternalAnnotations, "external_annotations")                               \
  X(AllocatorSettings, "allocator_settings")                                   \
  /* segments and blocks */                                                    \
  X(Device, "device")                                                          \
  X(Address, "address")                                                        \
  X(TotalSize, "total_size")                                                   \
  X(AllocatedSize, "allocated_size")                                           \
  X(ActiveSize, "active_size")                                                 \
  X(RequestedSize, "requested_size")                                           \
  X(Stream, "stream")                                                          \
  X(SegmentType, "segment_type")                                               \
  X(SegmentPoolId, "segment_pool_id")                                          \
  X(IsExpandable, "is_expandable")                                             \
  X(Frames, "frames")                                                          \
  X(Blocks, "blocks")                                                          \
  X(Size, "size")                                                              \
  X(State, "state")                                                            \
  X(History, "history")                                                        \
  X(RealSize, "real_size")                                                     \
  X(ActiveAllocated, "active_allocated")                                       \
  X(ActivePendingFree, "active_pending_free")                                  \
  X(ActiveAwaitingFree, "active_awaiting_free")                                \
  X(Inactive, "inactive")                                                      \
  X(Small, "small")                                                            \
  X(Large, "large")                                                            \
  /* events */                                                                 \
  X(Action, "action")                                                          \
  X(Addr, "addr")                                                              \
  X(TimeUs, "time_us")                                                         \
  X(DeviceFree, "device_free")                                                 \
  X(PoolId, "pool_id")                                                         \
  X(CompileContext, "compile_context")                                         \
  X(UserMetadata, "user_metadata")                                             \
  X(ForwardFrames, "forward_frames")                                           \
  /* actions, in the order of TorchAction */                                   \
  X(Alloc, "alloc")                                                            \
  X(FreeRequested, "free_requested")                                           \
  X(FreeCompleted, "free_completed")                                           \
  X(SegmentAlloc, "segment_alloc")                                             \
  X(SegmentFree, "segment_free")                                               \
  X(SegmentMap, "segment_map")                                                 \
  X(SegmentUnmap, "segment_unmap")                                             \
  X(Oom, "oom")                                                                \
  X(Snapshot, "snapshot")                                                      \
  X(UserDefined, "user_defined")                                               \
  /* frames */                                                                 \
  X(Filename, "filename")                                                      \
  X(NameOf, "name")                                                            \
  X(Line, "line")                                                              \
  X(FxNodeOp, "fx_node_op")                                                    \
  X(FxNodeName, "fx_node_name")                                                \
  X(FxNodeTarget, "fx_node_target")                                            \
  X(FxOriginalTrace, "fx_original_trace")                                      \
  /* annotations */                                                            \
  X(Stage, "stage")                                                            \
  X(Start, "START")                                                            \
  X(End, "END")

/// Indexes of PickleValue::name(), for switches.
struct TorchName {
  enum TorchWord : int32_t {
#define X(Name, Text) Name,
    MEMKIT_TORCH_NAMES(X)
#undef X
  };
};

/// What an event of a trace does.
enum class TorchAction : uint8_t {
  Alloc,
  FreeRequested, ///< the program frees; streams may still use the memory
  FreeCompleted, ///< the memory can be used again
  SegmentAlloc,
  SegmentFree,
  SegmentMap,
  SegmentUnmap,
  Oom,
  Snapshot,
  UserDefined, ///< a range of torch.profiler starts or ends
};
inline constexpr unsigned NumTorchActions = 10;

/// Roles of the lists and dicts whose places matter.
enum TorchRole : uint8_t {
  TorchTop = 1,
  TorchSegmentList,
  TorchSegmentDict,
  TorchBlockList,
  TorchTraceLists, ///< a list of events for each device
  TorchTrace,
  TorchAnnotations,
  TorchIgnored,
};

llvm::ArrayRef<llvm::StringLiteral> torchNames();
llvm::ArrayRef<PickleRule> torchRules();

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_TORCHNAMES_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a PyTorch snapshot holds, read but not yet understood.

#ifndef MEMKIT_LIB_IMPORT_TORCHDATA_H
#define MEMKIT_LIB_IMPORT_TORCHDATA_H

#include "TorchLog.h"
#include "TorchPlaces.h"
#include "TorchSizes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <string>

namespace memkit {

/// Sizes in bytes. Stacks, streams and pools: of TraceBuilder.
struct TorchBlock {
  enum BlockState : uint8_t {
    Inactive,  ///< free
    Allocated, ///< of a tensor
    Pending,   ///< freed, and streams still use it
  };
  uint64_t Address = 0; ///< 0: after the block before
  uint64_t Size = 0, Requested = 0;
  uint32_t Stack = 0;
  BlockState State = Inactive;
};

/// Memory that the allocator holds from the device.
struct TorchSegment {
  uint64_t Address = 0, Size = 0;
  uint32_t Stream = 0, Pool = 0, Stack = 0;
  bool Expands = false;           ///< the mapped part of a range of addresses
  std::vector<TorchBlock> Blocks; ///< without inactive ones
};

/// The events of one address, as far as what lived before the first event
/// follows from them.
struct TorchAddress {
  /// Of the first event if that is a free: the requested bytes.
  uint64_t FirstSize = 0;
  /// Of the first event if that is a free; else of the last allocation so far.
  uint32_t Stack = 0;
  uint32_t Allocations : 28 = 0;
  uint32_t First : 4 = 0; ///< TorchAction
};
using TorchAddresses = llvm::DenseMap<uint64_t, TorchAddress>;

/// A list of events.
struct TorchTraceData {
  TorchLog Log;
  TorchAddresses Addresses;
  /// A copy of the events of segments, of which there are few.
  std::vector<TorchEvent> SegmentEvents;
};

struct TorchDevice {
  TorchTraceData Trace;
  std::vector<TorchSegment> Segments;
};

/// A range of torch.profiler or of record_function.
struct TorchAnnotation {
  uint64_t TimeUs = 0;
  uint32_t Name = 0; ///< Label::Metadata of this label; 0: empty
  uint32_t Device = 0;
  bool IsEnd = false;
};

/// Texts that a program has given to events: the contexts of torch.compile, and
/// the user's own metadata.
class TorchLabels {
public:
  struct Label {
    std::string CompileContext, Metadata;
  };
  /// 0 if both are empty.
  uint32_t label(llvm::StringRef CompileContext, llvm::StringRef Metadata);
  const Label &get(uint32_t Label) const { return Labels[Label - 1]; }
  /// The name of an annotation.
  llvm::StringRef name(uint32_t Label) const {
    return Label ? llvm::StringRef(get(Label).Metadata) : llvm::StringRef();
  }
  size_t size() const { return Labels.size(); }

private:
  llvm::StringMap<uint32_t> Index;
  std::vector<Label> Labels;
};

struct TorchSettings {
  TorchSizes::SizeSettings Sizes;
  std::vector<std::string> Facts; ///< name=value
};

struct TorchSnapshotData {
  std::map<uint32_t, TorchDevice> Devices; ///< by the device's index
  std::vector<TorchAnnotation> Annotations;
  TorchLabels Labels;
  TorchSettings Settings;
  TorchPlaceMap Places; ///< of stacks
  bool HasSegments = false;
  bool HasTimes = false;
  bool HasStacks = false;
  bool HasRequests = false; ///< any FreeRequested
  /// Frees that come with the stack of their allocation, and with another one.
  uint64_t SameStacks = 0, OtherStacks = 0;
  uint64_t NumBad = 0;       ///< events of unknown actions, and broken frames
  std::string UnknownAction; ///< one of them
  std::vector<std::string> UnknownKeys; ///< at the top

  TorchDevice &device(uint32_t Index) { return Devices[Index]; }
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_TORCHDATA_H

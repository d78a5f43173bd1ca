// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder's side of a process's shared memory.

#ifndef MEMKIT_LIB_RECORD_SHAREDPROCESS_H
#define MEMKIT_LIB_RECORD_SHAREDPROCESS_H

#include "Shared/RobustLocks.h"
#include "Wire/Layout.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace memkit {

/// The settings that a process gets when it connects.
struct ProcessSettings {
  uint32_t Recording = wire::RB_On; ///< RecordingBits
  bool Wait = true;                 ///< wait on a full ring, else drop
  uint32_t WaitMs = 10000;
  uint32_t MaxDepth = 1024;
  bool Follow = true;
  uint32_t Heaps = wire::HB_All; ///< HeapBits
  uint64_t MinSize = 0;
  uint64_t SampleBytes = 0;
  uint64_t SampleSeed = 0;
  uint32_t Stacks = wire::SB_Mixed;
  bool PythonObjects = false;
  bool PrivateAllocators = false;
  uint32_t Torch = wire::TB_All;
  wire::CudaMode Cuda = wire::CudaMode::Off;
  uint32_t DeviceIntervalMs = 100; ///< 0: no samples of devices
  uint32_t Holders = 0;            ///< HolderBits
  uint32_t EndWaitUs = 0;          ///< as wire::Control
  bool MallocInfo = false;         ///< ask the allocator at the exit
  std::string PythonFolder;        ///< left out if too long
};

/// A sealed memfd and its mappings. The recorded program writes the memory:
/// values returned here are copies within their range, but may be wrong.
/// Belongs to the recorder's thread.
class SharedProcess {
public:
  /// Makes the memfd of process Id, named Tag, and maps the control region.
  static llvm::Expected<std::unique_ptr<SharedProcess>>
  create(uint32_t Id, const ProcessSettings &S, llvm::StringRef Tag);
  ~SharedProcess();

  int fd() const { return Fd; }
  uint64_t size() const { return R.Size; }
  /// Closes the descriptor; no further memory can be mapped.
  void closeFd();

  wire::Control &control() { return *Control; }
  uint32_t maxRings() const { return R.MaxRings; }
  /// The number of rings claimed so far: those with a lower number.
  uint32_t ringsUsed() const;
  /// The header of ring I, below maxRings().
  wire::RingHeader &ringHeader(uint32_t I) { return RingHeaders[I]; }
  /// The records of ring I; null if the ring cannot be mapped.
  const wire::Record *ring(uint32_t I);

  struct NodeInfo {
    uint32_t Parent, Code;
    /// A pair of the native path Parent and the Python path python().
    bool isPair() const { return Code & wire::PairBit; }
    uint32_t python() const { return Code ^ wire::PairBit; }
  };
  struct CodeInfo {
    uint64_t Address;
    uint32_t Container;
    wire::CodeKind Kind;
  };
  struct FunctionInfo {
    uint32_t File, Name; ///< texts
    uint32_t FirstLine;
  };
  struct BinaryInfo {
    uint64_t Start, End, Bias;
    std::vector<uint8_t> BuildId;
    std::string Path;
  };
  /// Each returns false if the entry was not written, is out of range or
  /// invalid. A node's parent is less than its id, and so is the Python path of
  /// a pair.
  bool node(uint32_t Id, NodeInfo &Out);
  bool code(uint32_t Id, CodeInfo &Out);
  bool binary(uint32_t Id, BinaryInfo &Out);
  bool function(uint32_t Id, FunctionInfo &Out);
  /// At most wire::MaxTextBytes; more if bytes were replaced to make it UTF-8.
  /// Text 0 is empty.
  bool text(uint32_t Id, std::string &Out);
  bool execPath(uint64_t Slot, std::string &Out);
  /// Writes the reply to request Ticket in a slot, unless the asking thread has
  /// given up. False: no such slot.
  bool answer(uint64_t Slot, uint32_t Ticket,
              llvm::function_ref<void(wire::Reply &)> Write);

private:
  SharedProcess() = default;
  /// A region that is mapped piece by piece.
  struct Region {
    uint64_t Offset = 0, Bytes = 0;
    std::vector<void *> Pieces;
  };
  /// The memory at Offset of the region; null if it cannot be mapped.
  const char *at(Region &G, uint64_t Offset);
  llvm::Error makeFile(llvm::StringRef Tag);
  llvm::Error mapControl();
  void layOut(uint64_t FileLimit);

  int Fd = -1;
  wire::Regions R{};
  char *Front = nullptr; ///< a private page, then the control region
  wire::Control *Control = nullptr;
  wire::RingHeader *RingHeaders = nullptr;
  uint64_t HeadersBytes = 0;
  bool Held = false;
  Region Rings, Nodes, Codes, Binaries, Functions, Texts;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SHAREDPROCESS_H

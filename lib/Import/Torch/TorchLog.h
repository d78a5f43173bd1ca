// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of one device of a PyTorch snapshot, in few bytes.

#ifndef MEMKIT_LIB_IMPORT_TORCHLOG_H
#define MEMKIT_LIB_IMPORT_TORCHLOG_H

#include "TorchNames.h"
#include <deque>
#include <vector>

namespace memkit {

struct TorchEvent {
  TorchAction Action = TorchAction::Alloc;
  uint64_t Address = 0; ///< of Oom: the bytes that the device has free
  uint64_t Size = 0;    ///< requested
  uint64_t TimeUs = 0;  ///< since 1970; 0: not known
  uint32_t Stream = 0;  ///< of TraceBuilder::stream()
  uint32_t Pool = 0;    ///< of TraceBuilder::pool(), plus 1; 0: not known
  uint32_t Stack = 0;   ///< of TraceBuilder
  /// What the program says about the event: of TorchLabels.
  uint32_t Label = 0;
  bool operator==(const TorchEvent &) const = default;
};

/// The events of a device in order. A snapshot has its segments before or after
/// the events, and all devices one after another, so the events must wait. They
/// take 10 to 15 bytes each: differences to the event before.
class TorchLog {
public:
  void append(const TorchEvent &E);
  uint64_t size() const { return Count; }
  bool empty() const { return !Count; }
  /// Bytes of the events.
  size_t bytes() const;

  /// Reads a log from its start. The log must not grow meanwhile.
  class Reader {
  public:
    explicit Reader(const TorchLog &Log) : Log(Log), Left(Log.Count) { next(); }
    bool atEnd() const { return IsEnd; }
    const TorchEvent &event() const { return Now; }
    void next();

  private:
    uint64_t number();

    const TorchLog &Log;
    uint64_t Left;
    size_t Chunk = 0, At = 0;
    TorchEvent Now;
    bool IsEnd = false;
  };

private:
  void number(uint64_t Value);

  static constexpr size_t ChunkBytes = size_t(1) << 18, MaxEventBytes = 64;
  std::deque<std::vector<uint8_t>> Chunks;
  TorchEvent Last;
  uint64_t Count = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_TORCHLOG_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the pickle of a PyTorch snapshot.

#ifndef MEMKIT_LIB_IMPORT_TORCHREADER_H
#define MEMKIT_LIB_IMPORT_TORCHREADER_H

#include "TorchData.h"
#include "TorchFrames.h"

namespace memkit {

/// Takes all generations of snapshots, with or without any key that a later
/// PyTorch has added. An event without an action, address or size is an error.
class TorchReader : public PickleConsumer {
public:
  TorchReader(llvm::StringRef File, TraceBuilder &To, TorchSnapshotData &Out)
      : File(File), To(To), Out(Out), Frames(To) {}

  llvm::Error element(uint8_t Role, uint64_t List, PickleValue V) override;
  llvm::Error root(PickleValue V) override;

  /// More devices are a damaged file.
  static constexpr uint64_t MaxDevices = 1024;
  // More than these are a file that uses few values very often.
  static constexpr uint64_t MaxSegments = uint64_t(1) << 24;
  static constexpr uint64_t MaxBlocks = uint64_t(1) << 25;
  static constexpr uint64_t MaxAnnotations = uint64_t(1) << 24;
  /// Elements of lists that the pickle uses again.
  static constexpr uint64_t MaxRepeated = uint64_t(1) << 22;

private:
  llvm::Error fail(PickleValue V, const llvm::Twine &What) const;
  llvm::Error elements(uint8_t Role, PickleValue List);
  llvm::Error event(TorchTraceData &Of, PickleValue V);
  void count(TorchTraceData &Of, const TorchEvent &E);
  void takeRange(TorchEvent &E, PickleValue List);
  llvm::Error trace(PickleValue List);
  llvm::Error block(PickleValue V, TorchBlock &B);
  void history(PickleValue V, TorchBlock &B);
  llvm::Error segment(PickleValue V);
  llvm::Error blocksOf(PickleValue List, TorchSegment &S);
  llvm::Error annotation(PickleValue V);
  void settings(PickleValue V);
  uint32_t pool(PickleValue V);
  uint32_t stream(PickleValue V);
  std::string labelText(PickleValue V);
  uint32_t label(PickleValue Context, PickleValue Metadata);

  std::string File;
  TraceBuilder &To;
  TorchSnapshotData &Out;
  TorchFrames Frames;
  /// Events and blocks whose list is not complete, by the list's offset.
  std::map<uint64_t, TorchTraceData> Traces;
  std::map<uint64_t, std::vector<TorchBlock>> Blocks;
  std::vector<std::string> MetadataTexts; ///< of values with a note
  uint64_t LastTrace = 0;
  TorchTraceData *InTrace = nullptr; ///< of the list LastTrace
  uint32_t NumTraces = 0;
  uint64_t NumSegments = 0, NumSegmentEvents = 0, NumBlocks = 0;
  uint64_t NumRepeated = 0;
  bool IsRead = false; ///< any list of a snapshot
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_TORCHREADER_H

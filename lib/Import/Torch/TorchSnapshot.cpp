// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory snapshots of PyTorch: torch.cuda.memory._dump_snapshot().
//
// A snapshot is a pickle of the segments and blocks that the caching allocator
// has, and of the allocator's last events, the oldest of which a ring may have
// dropped. TorchReader reads it, TorchReplay makes the trace.

#include "Import/Build/Formats.h"
#include "TorchReader.h"
#include "TorchReplay.h"

using namespace llvm;
using namespace memkit;

/// The first key is in the first bytes, whatever PyTorch has written it.
bool memkit::isTorchSnapshot(StringRef First) {
  return First.size() > 2 && First[0] == '\x80' && First[1] >= 2 &&
         First[1] <= 5 &&
         (First.contains("segments") || First.contains("device_traces") ||
          First.contains("segment_type"));
}

Error memkit::readTorchSnapshot(const ImportFile &File, TraceBuilder &To,
                                const ProgressCallback &OnProgress) {
  TorchSnapshotData Data;
  TorchReader Reader(File.name(), To, Data);
  if (Error E =
          readPickle(File, torchNames(), torchRules(), Reader, OnProgress))
    return E;
  TorchReplay(To, Data).run(OnProgress);
  return Error::success();
}

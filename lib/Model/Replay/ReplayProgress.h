// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Progress of a replay.

#ifndef MEMKIT_LIB_MODEL_REPLAYPROGRESS_H
#define MEMKIT_LIB_MODEL_REPLAYPROGRESS_H

#include "memkit/Model/Replay.h"
#include "memkit/Support/ProgressCallback.h"
#include <algorithm>
#include <map>
#include <string>

namespace memkit {

/// Reports the progress of a replay of all events to a caller. A replay from a
/// snapshot is short and reports nothing in between.
class ReplayProgress : public ReplayObserver {
public:
  ReplayProgress(const ProgressCallback &Tell, const TraceReader &R)
      : Tell(Tell), What(("replaying " + R.name()).str()) {
    for (const SectionInfo &B : R.sections())
      Total += B.Events;
    update(0);
  }
  ~ReplayProgress() override { update(Total); }
  ReplayProgress(const ReplayProgress &) = delete;
  ReplayProgress &operator=(const ReplayProgress &) = delete;
  uint64_t nextEventStop(uint32_t Process) override {
    return Next.try_emplace(Process, Every).first->second;
  }
  llvm::Error eventStop(uint32_t Process, uint64_t) override {
    Next[Process] += Every;
    update(std::min(Done += Every, Total));
    return llvm::Error::success();
  }

private:
  /// Events between two reports: a few milliseconds.
  static constexpr uint64_t Every = 1 << 18;
  void update(uint64_t Now) {
    if (Tell)
      Tell(What, Now, Total);
  }

  const ProgressCallback &Tell;
  std::string What;
  uint64_t Total = 0, Done = 0;
  std::map<uint32_t, uint64_t> Next; ///< by process
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_REPLAYPROGRESS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bar while events are replayed.

#ifndef MEMKIT_MODEL_REPLAYPROGRESS_H
#define MEMKIT_MODEL_REPLAYPROGRESS_H

#include "memkit/Model/Replay.h"
#include "memkit/Support/Progress.h"
#include <map>

namespace memkit {

/// Shows how far the replay of all events of a trace is. One that begins at a
/// snapshot is short and shows nothing.
class ReplayProgress : public ReplayObserver {
public:
  /// What: `replaying trace.fb`.
  ReplayProgress(const llvm::Twine &What, const TraceReader &R) : Bar(What) {
    for (const SectionInfo &B : R.sections())
      Total += B.Events;
  }
  uint64_t nextEventStop(uint32_t Process) override {
    return Next.try_emplace(Process, Every).first->second;
  }
  llvm::Error eventStop(uint32_t Process, uint64_t) override {
    Next[Process] += Every;
    Bar.update(Done += Every, Total);
    return llvm::Error::success();
  }

private:
  /// A few milliseconds.
  static constexpr uint64_t Every = 1 << 18;
  Progress Bar;
  uint64_t Total = 0, Done = 0;
  std::map<uint32_t, uint64_t> Next; ///< by process
};

} // namespace memkit

#endif // MEMKIT_MODEL_REPLAYPROGRESS_H

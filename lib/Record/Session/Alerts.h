// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Watches conditions while a program is recorded, and raises alerts.

#ifndef MEMKIT_LIB_RECORD_SESSION_ALERTS_H
#define MEMKIT_LIB_RECORD_SESSION_ALERTS_H

#include "Output/RecordingListener.h"
#include "Session/AlertActions.h"
#include "Session/AlertRules.h"
#include "Stats/MarkMetrics.h"
#include "memkit/Stats/LiveStats.h"
#include "memkit/Trace/Marks.h"
#include <functional>

namespace memkit {

class Recording;
struct RecordOptions;

/// Live bytes are compared with their bounds where LiveStats compares them with
/// the peak, so the time of an alert is that of the event. All other values are
/// compared when they are measured.
///
/// An alert is a line of O.Alert at once, a mark with the largest stacks of the
/// moment, read a part at a time, and the actions. After an alert its condition
/// rests until the value has fallen below the bound (AlertRule::mayArm).
/// Belongs to the recorder's thread.
class Alerts : RecordingListener {
public:
  Alerts(const RecordOptions &O, Recording &R);
  ~Alerts() override;

  bool isEmpty() const { return Rules.empty(); }
  /// Adds an alert of a process; the number of its alert, from 1. Errors:
  /// RequestError.
  llvm::Error add(llvm::StringRef Text, uint32_t Process, uint32_t Number);
  /// Forgets the alerts of a process that has ended.
  void removeOf(uint32_t Process);
  /// Called once a pass. Runs: what actions need.
  void take(uint64_t NowNs, AlertActions &Runs);
  /// Writes what waits, after the last event.
  void finish(AlertActions &Runs);
  /// Whether take() has work without an event.
  bool isReading() const { return Reads; }
  /// A heap of a memory space was added, before its first event.
  void addHeap(uint32_t Heap, llvm::StringRef Name, uint32_t Space,
               llvm::StringRef SpaceName);
  /// Warns of conditions whose heap never appeared.
  void warnOfMissing() const;
  /// Called for each alert that a process asked for: process, number, value,
  /// bound (alertAmount()).
  std::function<void(uint32_t, uint32_t, uint64_t, uint64_t)> OnProcessAlert;
  /// Called for each alert: the process whose event or sample crossed the
  /// bound.
  std::function<void(uint32_t)> OnAlert;

private:
  struct Fired {
    size_t Rule = 0;
    bool IsSpace = true; ///< as AlertTarget
    uint32_t Id = 0;
    double Value = 0, Bound = 0;
    uint64_t TimeNs = 0;
    uint32_t Process = 1;
    std::string Text;
    std::vector<MomentRow> Top; ///< the largest first
  };

  void addingMark(const Mark &M) override;
  void askedForAlert(uint32_t Process, uint32_t Number,
                     const std::string &Text) override;
  void setBounds();
  void setShares(AlertRule &R, AlertTarget &T);
  std::optional<double> wholeOf(const AlertRule &R, const AlertTarget &T) const;
  void takeCrossings();
  void look(const MarkMetric &V, uint64_t TimeNs, uint32_t Process);
  void sampleGrowth(uint64_t NowNs);
  void noteStep(const Mark &M);
  void fire(size_t Rule, AlertTarget &T, double Value, uint64_t TimeNs,
            uint32_t Process);
  void rearm(uint64_t NowNs);
  bool isGone(const Fired &F) const;
  void readTop();
  void addMark(const Fired &F);

  const RecordOptions &O;
  Recording &R;
  std::vector<AlertRule> Rules;
  bool HasNewBounds = true;
  std::vector<Fired> Pending; ///< the first is read now
  bool Reads = false;
  std::vector<MomentRow> Part;
  std::vector<Fired> Told; ///< of this pass, for the actions
  uint64_t NextSecondNs = 0, NextArmNs = 0;
  MarkMetrics Measured;
  uint64_t HostLimit = 0; ///< of the control group, else of the machine
  uint32_t SteppingProcess = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_ALERTS_H

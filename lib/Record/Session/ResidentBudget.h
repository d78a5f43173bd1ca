// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much time samples of the parts of resident memory may take.

#ifndef MEMKIT_LIB_RECORD_SESSION_RESIDENTBUDGET_H
#define MEMKIT_LIB_RECORD_SESSION_RESIDENTBUDGET_H

#include <algorithm>
#include <cstdint>

namespace memkit {

/// Resident memory of a process, in bytes.
struct RssHistory {
  uint64_t Last = 0;    ///< 0: no sample yet
  uint64_t Before = 0;  ///< the sample before Last
  uint64_t OfParts = 0; ///< Last at the last sample of its parts

  /// Since the last sample of the parts, by at least this.
  bool hasRisen(unsigned Percent = 5) const {
    return Last > OfParts + OfParts / 100 * Percent;
  }
  /// Whether the last sample is hardly higher than the sample before.
  bool hasStopped() const {
    constexpr uint64_t Small = 64;
    return Last - std::min(Last, Before) <= Last / Small;
  }
};

/// All samples may take a share of the run, samples out of turn as much again.
/// A long rise must not use up the first share before it ends: the less time is
/// left, the more resident memory must rise for a sample. The height that a
/// rise has reached, and a large rise, count as samples out of turn.
class ResidentBudget {
public:
  /// The reciprocal of a share. A short run may take GraceNs more.
  static constexpr uint64_t TimeShare = 200, GraceNs = 30'000'000;
  static constexpr unsigned LargeRise = 40; ///< percent

  void spend(uint64_t Ns) {
    SpentNs += Ns;
    ++NumSamples;
  }
  uint64_t spentNs() const { return SpentNs; }
  uint64_t numSamples() const { return NumSamples; }
  /// Of an alert, and of an exit.
  bool allowsAsked(uint64_t RunNs) const { return isWithin(2, RunNs); }
  bool allowsDue(const RssHistory &Of, uint64_t RunNs) const {
    bool IsHeight = Of.hasRisen() && Of.hasStopped();
    return isWithin(IsHeight || Of.hasRisen(LargeRise) ? 2 : 1, RunNs);
  }
  /// Whether memory has risen enough for a sample that allowsDue().
  bool isRise(const RssHistory &Of, uint64_t RunNs) const {
    uint64_t Quarters = 4 * SpentNs / (GraceNs + RunNs / TimeShare);
    return Of.hasRisen(Quarters < 4 ? 5u << Quarters : 5u);
  }

private:
  bool isWithin(uint64_t Shares, uint64_t RunNs) const {
    return SpentNs <= Shares * (GraceNs + RunNs / TimeShare);
  }
  uint64_t SpentNs = 0; ///< processor time of all samples so far
  uint64_t NumSamples = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_RESIDENTBUDGET_H

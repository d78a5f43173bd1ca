// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reserved memory of devices while scopes run.
//
// Measures for each scope how much the allocators of devices reserved, and the
// share without live blocks: the highest reserved bytes, and the mean of the
// share over time. As in ScopeStatsTable, scopes may overlap in any way.

#ifndef MEMKIT_LIB_RECORD_SCOPERESERVED_H
#define MEMKIT_LIB_RECORD_SCOPERESERVED_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace memkit {

class ScopeReserved {
public:
  struct ReservedRange {
    uint64_t Peak = 0;   ///< bytes reserved; 0: unknown
    double WastedNs = 0; ///< time multiplied by the share without live blocks
    double KnownNs = 0;
  };

  /// From TimeNs on, Live of Reserved bytes are live. TimeNs never falls.
  void set(uint64_t TimeNs, uint64_t NewLive, uint64_t NewReserved) {
    goTo(TimeNs);
    Reserved = NewReserved;
    Share = NewReserved > NewLive
                ? double(NewReserved - NewLive) / double(NewReserved)
                : 0;
    if (!Opens.empty())
      Opens.back().Peak = std::max(Opens.back().Peak, Reserved);
  }

  /// The scope Number starts. With more than MaxOpen scopes the oldest is
  /// dropped.
  void begin(uint64_t Number, uint64_t TimeNs) {
    goTo(TimeNs);
    if (Opens.size() == MaxOpen)
      Opens.erase(Opens.begin());
    Opens.push_back({Number, Reserved, WastedNs, KnownNs});
  }

  /// The scope Number ends; returns its span.
  ReservedRange end(uint64_t Number, uint64_t TimeNs) {
    goTo(TimeNs);
    for (size_t I = Opens.size(); I-- != 0;) {
      if (Opens[I].Number != Number)
        continue;
      ReservedRange S = {Opens[I].Peak, WastedNs - Opens[I].WastedNs,
                         KnownNs - Opens[I].KnownNs};
      for (size_t J = I + 1; J != Opens.size(); ++J)
        S.Peak = std::max(S.Peak, Opens[J].Peak);
      if (I)
        Opens[I - 1].Peak = std::max(Opens[I - 1].Peak, Opens[I].Peak);
      Opens.erase(Opens.begin() + ptrdiff_t(I));
      return S;
    }
    return {};
  }

  static constexpr size_t MaxOpen = 4096;

private:
  struct OpenReserved {
    uint64_t Number;
    uint64_t Peak;            ///< until the next scope starts
    double WastedNs, KnownNs; ///< at the start of the scope
  };

  void goTo(uint64_t TimeNs) {
    if (TimeNs > NowNs && Reserved) {
      double Ns = double(TimeNs - NowNs);
      KnownNs += Ns;
      WastedNs += Ns * Share;
    }
    NowNs = std::max(NowNs, TimeNs);
  }

  std::vector<OpenReserved> Opens; ///< in order of start
  uint64_t NowNs = 0, Reserved = 0;
  double Share = 0, WastedNs = 0, KnownNs = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SCOPERESERVED_H

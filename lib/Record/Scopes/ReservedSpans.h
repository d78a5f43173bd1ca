// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What scopes had reserved.
//
// How much the allocators of devices held while a scope ran, and which share of
// it was no live block: the highest of the one, the mean over time of the
// other. As SpanTable, for scopes that overlap as they like.

#ifndef MEMKIT_LIB_RECORD_RESERVEDSPANS_H
#define MEMKIT_LIB_RECORD_RESERVEDSPANS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace memkit {

class ReservedSpans {
public:
  struct Span {
    uint64_t Peak = 0;   ///< bytes reserved; 0: not known
    double WastedNs = 0; ///< time, by the share that was no live block
    double KnownNs = 0;
  };

  /// Live of Reserved bytes from TimeNs on, which never falls.
  void set(uint64_t TimeNs, uint64_t NewLive, uint64_t NewReserved) {
    goTo(TimeNs);
    Reserved = NewReserved;
    Share = NewReserved > NewLive
                ? double(NewReserved - NewLive) / double(NewReserved)
                : 0;
    if (!Opens.empty())
      Opens.back().Peak = std::max(Opens.back().Peak, Reserved);
  }

  /// The scope Number begins; of more than MaxOpen the oldest is forgotten.
  void begin(uint64_t Number, uint64_t TimeNs) {
    goTo(TimeNs);
    if (Opens.size() == MaxOpen)
      Opens.erase(Opens.begin());
    Opens.push_back({Number, Reserved, WastedNs, KnownNs});
  }

  /// It ends.
  Span end(uint64_t Number, uint64_t TimeNs) {
    goTo(TimeNs);
    for (size_t I = Opens.size(); I-- != 0;) {
      if (Opens[I].Number != Number)
        continue;
      Span S = {Opens[I].Peak, WastedNs - Opens[I].WastedNs,
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
  struct Open {
    uint64_t Number;
    uint64_t Peak;            ///< until the next one's begin
    double WastedNs, KnownNs; ///< at its begin
  };

  void goTo(uint64_t TimeNs) {
    if (TimeNs > NowNs && Reserved) {
      double Ns = double(TimeNs - NowNs);
      KnownNs += Ns;
      WastedNs += Ns * Share;
    }
    NowNs = std::max(NowNs, TimeNs);
  }

  std::vector<Open> Opens; ///< in the order of their begins
  uint64_t NowNs = 0, Reserved = 0;
  double Share = 0, WastedNs = 0, KnownNs = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RESERVEDSPANS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays the requests of a recorded program with other allocators.

#include "HostReplay.h"
#include "ReplayProcess.h"
#include "Support/Failure.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;
using namespace memkit::wire;

static ReplayStart startOf(const HostTarget &Of, const HostAllocator &A,
                           const HostReplayLimits &Limits) {
  // Reservations of allocators: jemalloc, mimalloc and arenas of glibc take far
  // more addresses than memory.
  constexpr uint64_t MoreAddresses = 64;
  constexpr uint64_t MinSample = 256 << 10, SamplesOfPeak = 256;
  ReplayStart Out;
  Out.NumSlots = Of.NumSlots;
  Out.NumThreads = Of.NumThreads;
  Out.MaxResidentBytes = Limits.MaxResidentBytes;
  Out.AddressBytes = Limits.MaxResidentBytes > UINT64_MAX / MoreAddresses
                         ? UINT64_MAX
                         : Limits.MaxResidentBytes * MoreAddresses;
  Out.SampleBytes = std::max(MinSample, Of.PeakBytes / SamplesOfPeak);
  Out.NeedsLibrary = !A.Library.empty();
  return Out;
}

Error memkit::checkHostAllocator(const HostAllocator &A,
                                 const HostReplayLimits &Limits) {
  Expected<ReplayProcess> P = ReplayProcess::start(A, Limits);
  if (!P)
    return P.takeError();
  ReplayStart Start = startOf(HostTarget(), A, Limits);
  ReplayCommand End = ReplayCommand::make(ReplayOp::End, 0);
  P->send(&Start, sizeof(Start)) && P->send(&End, sizeof(End));
  HostResult R = P->finish();
  if (R.Failure.empty())
    return Error::success();
  std::string Text = A.Library + ": " + R.Failure;
  if (!A.Package.empty())
    Text += "; Debian's package is " + A.Package;
  return makeError(Text);
}

Expected<HostResult> memkit::replayHost(const Trace &T, const HostTarget &Of,
                                        const HostAllocator &A,
                                        const HostReplayLimits &Limits) {
  Expected<ReplayProcess> P = ReplayProcess::start(A, Limits);
  if (!P)
    return P.takeError();
  ReplayStart Start = startOf(Of, A, Limits);
  if (P->send(&Start, sizeof(Start)))
    if (Error E = readHostRequests(T, Of, [&](ArrayRef<ReplayCommand> Batch) {
          return P->send(Batch.data(), Batch.size() * sizeof(Batch[0]));
        }))
      return std::move(E);
  return P->finish();
}

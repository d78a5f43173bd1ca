// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The used memory of devices, by purpose.
//
// Looks at a device have two origins. The program asks its driver after
// allocations and around the loading of modules. The recorder asks NVML: while
// a thread makes a context; at each look of the program, for the memory of
// other processes; and periodically. A periodic look becomes a mark only if a
// value has changed, and only if no block of the device was recorded shortly
// before: a driver call in progress may hold memory without a block yet.

#include "Devices/DeviceUses.h"
#include "Output/Recording.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;
using wire::DeviceTimePoint;

//===----------------------------------------------------------------------===//
// Contexts and modules
//===----------------------------------------------------------------------===//

void DeviceUses::seen(Context C, uint16_t Device) {
  auto [It, New] = Contexts.try_emplace(C);
  if (!New)
    return;
  It->second.Device = Device;
  // The context's memory must not be attributed to modules.
  Devices[Device].HasRest = false;
}

void DeviceUses::ended(Context C) {
  auto It = Contexts.find(C);
  if (It == Contexts.end())
    return;
  Devices[It->second.Device].HasRest = false;
  Contexts.erase(It);
}

void DeviceUses::processEnded(uint32_t Process) {
  // NVML's answer would no longer include the process.
  for (PendingRead &P : Asked)
    if (P.Why == PendingRead::Driver && P.W.L.Of.Process == Process) {
      markUnanswered(P);
      P.Why = PendingRead::Dropped;
    }
  for (auto It = Contexts.lower_bound({Process, 0});
       It != Contexts.end() && It->first.Process == Process;
       It = Contexts.erase(It))
    Devices[It->second.Device].HasRest = false;
  Begins.erase(Begins.lower_bound({Process, 0}),
               Begins.lower_bound({Process + 1, 0}));
}

/// Sums the bytes of the device's contexts. False: those of some context are
/// unknown.
bool DeviceUses::contextBytes(uint16_t Device, uint64_t &Bytes) const {
  bool AreKnown = true;
  Bytes = 0;
  for (const auto &[C, O] : Contexts)
    if (O.Device == Device) {
      AreKnown &= O.Bytes.has_value();
      Bytes += O.Bytes.value_or(0);
    }
  return AreKnown;
}

uint64_t DeviceUses::moduleBytes(uint16_t Device) const {
  uint64_t Sum = 0;
  for (const auto &[C, O] : Contexts)
    Sum += O.Device == Device ? O.ModuleBytes : 0;
  return Sum;
}

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

/// The values of a mark that need no answer of NVML.
DeviceUses::MarkValues DeviceUses::valuesOf(const Look &L) const {
  uint64_t OfContexts;
  bool AreKnown = contextBytes(L.Device, OfContexts);
  return {L.Used, L.Total, L.Accounted, AreKnown ? OfContexts : UnknownBytes,
          // Measured by the driver's figure, which counts the whole machine
          // if the device shares its memory.
          R.heaps().sharesMemory(L.Device) ? UnknownBytes
                                           : moduleBytes(L.Device),
          UnknownBytes, UnknownBytes};
}

void DeviceUses::mark(const Look &L, MarkValues V) {
  DeviceState &S = Devices[L.Device];
  // Only the memory of other processes is NVML's figure: the program has gone
  // on since its driver's look.
  if (S.Last) {
    V[5] = S.Last->Others.value_or(UnknownBytes);
    V[6] = S.Last->Own ? less(V[0], V[5]) : UnknownBytes;
  }
  S.Marked = V;
  S.MarkedNs = L.TimeNs;
  ++S.NumMarks;
  Mark M;
  M.Kind = MarkKind::DeviceUsed;
  M.Process = L.Of.Process;
  M.Thread = L.Thread;
  M.TimeNs = L.TimeNs;
  M.Id = R.heaps().cudaSpace(L.Device);
  M.Values.assign(V.begin(), V.end());
  if (S.Last && S.Last->Available)
    M.Values.push_back(*S.Last->Available);
  R.addMark(std::move(M));
}

/// A bound for the program's figures; no device has this much memory.
static constexpr int64_t MaxRest = int64_t(1) << 60;

/// Adds the growth of Rest since the last look to the modules of the context,
/// or subtracts its decrease.
void DeviceUses::takeModules(Context Of, int64_t &Rest, const DeviceState &S) {
  auto It = Contexts.find(Of);
  if (!S.HasRest || It == Contexts.end())
    return;
  uint64_t &Bytes = It->second.ModuleBytes;
  int64_t By =
      std::clamp(Rest - S.Rest, -int64_t(Bytes), MaxRest - int64_t(Bytes));
  Bytes += uint64_t(By);
  Rest -= By;
}

/// A look of the driver at a device that shares the machine's memory. The
/// driver's figure counts all memory of the machine that is not free, with the
/// pages of files: only NVML's answer becomes a mark.
void DeviceUses::takeShared(const Look &L) {
  DeviceState &S = Devices[L.Device];
  S.EveryNs = OftenNs;
  S.NextNs = std::min(S.NextNs, L.TimeNs + OftenNs);
  if (IsGivenUp || S.IsUnknown)
    missed("CUDA: the used memory of a device that shares the machine's memory "
           "is unknown without NVML");
  // A program that is never quiet gets a mark each second.
  else if (less(L.TimeNs, S.MarkedNs) >= SeldomNs)
    ask({PendingRead::Driver, {L, 0, 0, 0, {}}, valuesOf(L)});
}

void DeviceUses::take(Look L, DeviceTimePoint At) {
  DeviceState &S = Devices[L.Device];
  L.Accounted = R.heaps().cudaAccounted(L.Device);
  if (R.heaps().sharesMemory(L.Device))
    return takeShared(L);
  uint64_t OfContexts;
  contextBytes(L.Device, OfContexts);
  uint64_t Others = S.Last ? S.Last->Others.value_or(0) : 0;
  int64_t Rest = std::clamp(int64_t(L.Used - L.Accounted - OfContexts -
                                    moduleBytes(L.Device) - Others),
                            -MaxRest, MaxRest);
  if (At == DeviceTimePoint::Modules)
    takeModules(L.Of, Rest, S);
  S.Rest = Rest;
  S.HasRest = true;
  S.EveryNs = OftenNs;
  S.NextNs = std::min(S.NextNs, L.TimeNs + OftenNs);
  MarkValues V = valuesOf(L);
  // Looks around modules are frequent: one mark each interval, unless the
  // modules' bytes change.
  if (At != DeviceTimePoint::Any && V[4] == S.Marked[4] &&
      (!OftenNs || less(L.TimeNs, S.MarkedNs) < OftenNs))
    return;
  if (!ask({PendingRead::Driver, {L, 0, 0, 0, {}}, V}))
    mark(L, V);
}

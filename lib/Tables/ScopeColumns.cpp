// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of layers, operators, scopes and steps.

#include "Columns.h"
#include "ShareColumns.h"
#include "TraceText/EnumNames.h"
#include "Values.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Layers, operators, scopes
//===----------------------------------------------------------------------===//

static uint64_t mean(uint64_t Sum, uint64_t Calls) {
  return Calls ? Sum / Calls : 0;
}

static uint64_t freedBytes(const LayerStats &L) {
  uint64_t Sum = 0;
  for (const SpaceShare &S : L.Shares)
    Sum += S.FreedBytes;
  return Sum;
}

/// Older recorders did not write what a scope freed on the host.
static MaybeNumber hostFreed(const LayerStats &L) {
  auto It = find_if(L.Shares, [](const SpaceShare &S) { return S.Space == 0; });
  return It == L.Shares.end() ? std::nullopt : MaybeNumber(It->FreedBytes);
}

static StringRef kindOf(const LayerStats &L) {
  if (L.Kind == ScopeKind::Operator)
    return L.Backward ? "node" : "operator";
  return L.Kind == ScopeKind::Range ? "range" : "scope";
}

/// The shares of all spaces, including the host's, which are in fields of L.
static SpaceShares sharesOf(const LayerStats &L) {
  SpaceShares Shares;
  if (!countsTensors(L.Kind))
    Shares.push_back({0, L.Allocations, L.Frees, L.AllocatedBytes,
                      /*FreedBytes=*/0, /*LiveBytes=*/0, L.PeakBytes,
                      L.RiseBytes});
  append_range(Shares, L.Shares);
  return Shares;
}

static uint32_t spaceOf(const LayerStats &L) {
  return L.Shares.empty() ? 0 : L.Shares.front().Space;
}

std::vector<LayerStats> rowsOfSpaces(ArrayRef<LayerStats> All) {
  std::vector<LayerStats> Rows;
  for (const LayerStats &L : All)
    append_range(Rows, rowsOfSpaces(L));
  return Rows;
}

/// What a row is of.
static void addNames(const Trace &T, TableMaker<LayerStats> &To) {
  using L = LayerStats;
  auto Name = [&T](const L &R) { return T.string(R.Name).str(); };
  To.name("name", Name)
      .text("name_if_any", Name)
      .name("name_and_phase",
            [=](const L &R) {
              return Name(R) + (R.Backward ? " (backward)" : "");
            })
      .flag("backward", [](const L &R) { return R.Backward; })
      .choice("phase",
              [](const L &R) -> StringRef {
                return R.Backward ? "backward" : "forward";
              })
      .choice("kind", kindOf)
      .choice("scope_kind", [](const L &R) { return enumName(R.Kind); })
      .text("shapes", [&T](const L &R) { return T.string(R.Shapes).str(); })
      .choice("space", [&T](const L &R) { return T.spaceName(spaceOf(R)); })
      .choice("space_if_any",
              [&T](const L &R) {
                return R.Shares.empty() && countsTensors(R.Kind)
                           ? StringRef()
                           : T.spaceName(spaceOf(R));
              })
      .list("layer_spaces",
            [&T](const L &R) { return shareRows(T, R.Shares, ShareOf::Layer); })
      .list("spaces", [&T](const L &R) {
        return shareRows(T, sharesOf(R), ShareOf::Scope);
      });
}

TableMaker<LayerStats> scopeColumns(const Trace &T, ArrayRef<LayerStats> All) {
  using L = LayerStats;
  // Layers whose operators are all in inner layers have no time of their own;
  // imported layers have none at all.
  bool HasSelf = any_of(All, [](const L &R) { return R.SelfNs != 0; });
  // Only recordings with --cuda=time have times of devices.
  bool HasDevice = any_of(All, [](const L &R) { return R.DeviceNs != 0; });
  TableMaker<L> M;
  addNames(T, M);
  M.field("calls", &L::Calls)
      .field("duration_ns", &L::DurationNs)
      .number("mean_duration_ns",
              [](const L &R) { return mean(R.DurationNs, R.Calls); })
      .field("self_ns", &L::SelfNs)
      .maybe("self_if_any_ns",
             [=](const L &R) { return ifKnown(HasSelf, R.SelfNs); })
      .maybe("device_ns",
             [=](const L &R) { return ifKnown(HasDevice, R.DeviceNs); })
      .maybe("device_self_ns",
             [=](const L &R) { return ifKnown(HasDevice, R.DeviceSelfNs); })
      .field("allocations", &L::Allocations)
      .field("frees", &L::Frees)
      .field("allocated_bytes", &L::AllocatedBytes)
      .maybe(
          "mean_bytes",
          [](const L &R) { return meanBytes(R.AllocatedBytes, R.Allocations); })
      .number("mean_allocated_bytes",
              [](const L &R) { return mean(R.AllocatedBytes, R.Calls); })
      .number("freed_bytes", freedBytes)
      .maybe("host_freed_bytes", hostFreed)
      .field("rise_bytes", &L::RiseBytes)
      .field("peak_bytes", &L::PeakBytes)
      .maybe("reserved_peak_bytes",
             [](const L &R) { return ifAny(R.ReservedPeakBytes); })
      .maybe("fragmentation_ppm",
             [](const L &R) {
               return ifKnown(R.ReservedPeakBytes, R.FragmentationPpm);
             })
      .maybe("flops", [](const L &R) { return ifAny(R.Flops); })
      .field("tensor_allocations", &L::TensorAllocations)
      .field("tensor_frees", &L::TensorFrees)
      .field("tensor_allocated_bytes", &L::TensorAllocatedBytes)
      .field("tensor_freed_bytes", &L::TensorFreedBytes)
      .field("tensor_peak_bytes", &L::TensorPeakBytes);
  return M;
}

void addDeviceColumns(const Trace &T, ArrayRef<LayerStats> All,
                      TableMaker<LayerStats> &To) {
  static constexpr std::pair<StringLiteral, uint64_t SpaceShare::*> Fields[] = {
      {"allocations", &SpaceShare::Allocations},
      {"allocated_bytes", &SpaceShare::AllocatedBytes},
      {"peak_bytes", &SpaceShare::PeakBytes}};
  std::set<uint32_t> Devices;
  for (const LayerStats &L : All)
    for (const SpaceShare &D : L.Shares)
      if (D.Space)
        Devices.insert(D.Space);
  for (uint32_t Device : Devices)
    for (auto [Key, Field] : Fields)
      To.number((T.spaceName(Device) + "_" + Key).str(),
                [Device, Field = Field](const LayerStats &L) {
                  auto At = find_if(L.Shares, [&](const SpaceShare &S) {
                    return S.Space == Device;
                  });
                  return At == L.Shares.end() ? 0 : (*At).*Field;
                });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

TableMaker<StepRow> stepColumns(const Trace &T) {
  using R = StepRow;
  auto Share = [](uint64_t SpaceShare::*Field) {
    return [Field](const R &S) { return S.Share.*Field; };
  };
  auto Step = [](uint64_t StepStats::*Field) {
    return [Field](const R &S) { return S.Of->*Field; };
  };
  TableMaker<R> M;
  M.id("process", [&T](const R &S) { return pidOf(T, S.Of->Process); })
      .id("process_id", [](const R &S) { return S.Of->Process; })
      .text("process_name",
            [&T](const R &S) { return T.processName(S.Of->Process).str(); })
      .maybe("rank",
             [&T](const R &S) { return rankOfProcess(T, S.Of->Process); })
      .number("step", Step(&StepStats::Step))
      .number("begin_ns", Step(&StepStats::BeginNs))
      .number("end_ns", Step(&StepStats::EndNs))
      .number("duration_ns",
              [](const R &S) {
                return S.Of->EndNs - std::min(S.Of->BeginNs, S.Of->EndNs);
              })
      .flag("until_process_end", [](const R &S) { return S.Of->IsOpen; })
      .text("open_step",
            [](const R &S) {
              return (S.Of->IsOpen ? "*" : "") + std::to_string(S.Of->Step);
            })
      .choice("space", [&T](const R &S) { return T.spaceName(S.Share.Space); })
      .number("allocations", Share(&SpaceShare::Allocations))
      .number("frees", Share(&SpaceShare::Frees))
      .number("allocated_bytes", Share(&SpaceShare::AllocatedBytes))
      .number("freed_bytes", Share(&SpaceShare::FreedBytes))
      .integer("growth_bytes",
               [](const R &S) {
                 return int64_t(S.Share.AllocatedBytes - S.Share.FreedBytes);
               })
      .number("live_bytes", Share(&SpaceShare::LiveBytes))
      .number("peak_bytes", Share(&SpaceShare::PeakBytes))
      .list("spaces", [&T](const R &S) {
        return shareRows(T, allShares(*S.Of), ShareOf::Step);
      });
  return M;
}

std::vector<StepRow> stepsBySpace(ArrayRef<StepReport> Steps) {
  std::vector<StepRow> Rows;
  for (const StepReport &S : Steps)
    for (const SpaceShare &Share : allShares(S))
      Rows.push_back({&S, Share});
  return Rows;
}

std::vector<StepRow> stepsInAll(ArrayRef<StepReport> Steps) {
  std::vector<StepRow> Rows;
  for (const StepReport &S : Steps)
    Rows.push_back({&S,
                    {0, S.Allocations, S.Frees, S.AllocatedBytes, S.FreedBytes,
                     S.LiveBytes, S.PeakBytes}});
  return Rows;
}

} // namespace memkit

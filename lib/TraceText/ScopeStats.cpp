// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes, layers and operators, by name.

#include "ReportPrinters.h"
#include "Support/CsvField.h"
#include "Support/Json.h"
#include "Support/Table.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/SummaryStats.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include <set>

using namespace llvm;
using namespace memkit;

namespace {

enum class Unit { Count, Time, Size, Millionths };

/// A number of a row, with its name in each format.
struct Number {
  /// In the table for people; empty if the table does not have it.
  StringRef Title;
  StringRef Key; ///< in JSON and CSV; empty if they do not have it
  Unit U;
  uint64_t (*Of)(const LayerStats &);
  /// Whether the number is known for a row. If not, the cell is empty and JSON
  /// has null. The table drops a column known for no row. Null: always known.
  bool (*IsKnown)(const LayerStats &) = nullptr;

  bool isKnown(const LayerStats &L) const { return !IsKnown || IsKnown(L); }
  /// The table shows the number only if the trace has tensors.
  bool OfTensors = false;
  /// If the number is known for a row, it is known for all rows: layers whose
  /// operators are all in inner layers have no time of their own.
  bool IsOfAll = false;
};

/// The columns for scopes, for layers or for operators.
struct ShownColumns {
  StringRef List; ///< the name of the list in JSON
  StringRef Name; ///< the heading of the names
  bool HasPhase;  ///< a name has a row for forward and another for backward
  bool HasKind;   ///< of the names, as kindOf()
  bool HasShapes; ///< of the inputs; the table has them if there are any
  ShareOf Shares;
  ArrayRef<Number> Numbers;
  ArrayRef<Number> Late; ///< columns after the phase
};

} // namespace

static uint64_t mean(uint64_t Sum, uint64_t Calls) {
  return Calls ? Sum / Calls : 0;
}

template <uint64_t LayerStats::*Field>
static uint64_t field(const LayerStats &L) {
  return L.*Field;
}

template <uint64_t LayerStats::*Field>
static uint64_t fieldMean(const LayerStats &L) {
  return mean(L.*Field, L.Calls);
}

static uint64_t freedBytes(const LayerStats &L) {
  uint64_t Sum = 0;
  for (const SpaceShare &S : L.Shares)
    Sum += S.FreedBytes;
  return Sum;
}

/// Imported layers have no self time.
static bool hasSelf(const LayerStats &L) { return L.SelfNs; }
/// Older recorders did not write what a scope freed on the host.
static const SpaceShare *hostShare(const LayerStats &L) {
  auto It = find_if(L.Shares, [](const SpaceShare &S) { return S.Space == 0; });
  return It == L.Shares.end() ? nullptr : &*It;
}
static bool hasHost(const LayerStats &L) { return hostShare(L); }
static uint64_t hostFreed(const LayerStats &L) {
  return hasHost(L) ? hostShare(L)->FreedBytes : 0;
}
static bool hasReserved(const LayerStats &L) { return L.ReservedPeakBytes; }
static bool hasFlops(const LayerStats &L) { return L.Flops; }

static const Number ScopeNumbers[] = {
    {"calls", "calls", Unit::Count, field<&LayerStats::Calls>},
    {"time", "duration_ns", Unit::Time, field<&LayerStats::DurationNs>},
    {"mean time", "", Unit::Time, fieldMean<&LayerStats::DurationNs>},
    {"allocations", "allocations", Unit::Count,
     field<&LayerStats::Allocations>},
    {"", "frees", Unit::Count, field<&LayerStats::Frees>},
    {"allocated", "allocated_bytes", Unit::Size,
     field<&LayerStats::AllocatedBytes>},
    {"mean", "mean_allocated_bytes", Unit::Size,
     fieldMean<&LayerStats::AllocatedBytes>},
    {"freed", "freed_bytes", Unit::Size, hostFreed, hasHost},
    {"rise", "", Unit::Size, field<&LayerStats::RiseBytes>},
    {"peak", "peak_bytes", Unit::Size, field<&LayerStats::PeakBytes>},
    {"", "rise_bytes", Unit::Size, field<&LayerStats::RiseBytes>},
    {"", "mean_duration_ns", Unit::Time, fieldMean<&LayerStats::DurationNs>},
    {"tensors", "tensor_allocations", Unit::Count,
     field<&LayerStats::TensorAllocations>, nullptr, true},
    {"deleted", "tensor_frees", Unit::Count, field<&LayerStats::TensorFrees>,
     nullptr, true},
    {"tensor bytes", "tensor_allocated_bytes", Unit::Size,
     field<&LayerStats::TensorAllocatedBytes>, nullptr, true},
    {"", "tensor_freed_bytes", Unit::Size, field<&LayerStats::TensorFreedBytes>,
     nullptr, true},
    {"tensor peak", "tensor_peak_bytes", Unit::Size,
     field<&LayerStats::TensorPeakBytes>, nullptr, true},
    {"", "reserved_peak_bytes", Unit::Size,
     field<&LayerStats::ReservedPeakBytes>, hasReserved}};

// A layer runs from its first recorded operator to its last. The duration is
// time of the processor, not of a device.
static const Number LayerNumbers[] = {
    {"calls", "calls", Unit::Count, field<&LayerStats::Calls>},
    {"CPU time", "duration_ns", Unit::Time, field<&LayerStats::DurationNs>},
    {"self", "self_ns", Unit::Time, field<&LayerStats::SelfNs>, hasSelf,
     /*OfTensors=*/false, /*IsOfAll=*/true},
    {"allocations", "allocations", Unit::Count,
     field<&LayerStats::Allocations>},
    {"frees", "frees", Unit::Count, field<&LayerStats::Frees>},
    {"allocated", "allocated_bytes", Unit::Size,
     field<&LayerStats::AllocatedBytes>},
    {"peak", "peak_bytes", Unit::Size, field<&LayerStats::PeakBytes>}};

// Columns of devices, whose allocators report reserved memory.
static const Number LateLayerNumbers[] = {
    {"reserved", "reserved_peak_bytes", Unit::Size,
     field<&LayerStats::ReservedPeakBytes>, hasReserved},
    {"of it free", "fragmentation_ppm", Unit::Millionths,
     [](const LayerStats &L) { return uint64_t(L.FragmentationPpm); },
     hasReserved},
    {"flops", "flops", Unit::Count, field<&LayerStats::Flops>, hasFlops}};

static const Number OperatorNumbers[] = {
    {"calls", "calls", Unit::Count, field<&LayerStats::Calls>},
    {"self", "self_ns", Unit::Time, field<&LayerStats::SelfNs>},
    {"CPU time", "duration_ns", Unit::Time, field<&LayerStats::DurationNs>},
    {"a call", "mean_duration_ns", Unit::Time,
     fieldMean<&LayerStats::DurationNs>},
    {"allocations", "allocations", Unit::Count,
     field<&LayerStats::Allocations>},
    {"", "frees", Unit::Count, field<&LayerStats::Frees>},
    {"allocated", "allocated_bytes", Unit::Size,
     field<&LayerStats::AllocatedBytes>},
    {"freed", "freed_bytes", Unit::Size, freedBytes},
    {"rise", "rise_bytes", Unit::Size, field<&LayerStats::RiseBytes>},
    {"peak", "peak_bytes", Unit::Size, field<&LayerStats::PeakBytes>},
    {"flops", "flops", Unit::Count, field<&LayerStats::Flops>, hasFlops}};

static const ShownColumns Scopes = {"scopes", "scope",  false,        true,
                                    false,    SO_Scope, ScopeNumbers, {}};
static const ShownColumns Layers = {"layers",     "layer",         true,
                                    false,        false,           SO_Layer,
                                    LayerNumbers, LateLayerNumbers};
static const ShownColumns Operators = {
    "operators", "operator",  false,           true,
    true,        SO_Operator, OperatorNumbers, {}};

static std::string format(Unit U, uint64_t N) {
  switch (U) {
  case Unit::Count:
    return formatCount(N);
  case Unit::Time:
    return formatTime(N);
  case Unit::Size:
    return formatSize(N);
  case Unit::Millionths:
    return formatShare(uint32_t(N));
  }
  llvm_unreachable("all units are handled");
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

/// The space of a row from rowsOfSpaces().
static StringRef spaceOf(const Trace &T, const LayerStats &Row) {
  if (!Row.Shares.empty())
    return T.spaceName(Row.Shares.front().Space);
  return countsTensors(Row.Kind) ? "" : "host";
}

/// Numbers, with IsOfAll answered for these rows.
static std::vector<Number> numbersFor(ArrayRef<Number> Numbers,
                                      ArrayRef<LayerStats> Rows) {
  std::vector<Number> Out(Numbers);
  for (Number &N : Out)
    if (N.IsOfAll)
      N.IsKnown = any_of(Rows, N.IsKnown) ? nullptr : +[](const LayerStats &) {
        return false;
      };
  return Out;
}

static void writeJson(json::OStream &J, const Trace &T, const ShownColumns &W,
                      ArrayRef<LayerStats> Rows) {
  auto Write = [&](ArrayRef<Number> Numbers, const LayerStats &L) {
    for (const Number &N : Numbers)
      if (!N.Key.empty())
        J.attribute(N.Key, N.isKnown(L) ? json::Value(N.Of(L)) : nullptr);
  };
  std::vector<Number> Numbers = numbersFor(W.Numbers, Rows);
  J.attributeArray(W.List, [&] {
    for (const LayerStats &L : Rows)
      J.object([&] {
        J.attribute("name", jsonText(T.string(L.Name)));
        Write(Numbers, L);
        if (W.HasPhase)
          J.attribute("backward", L.Backward);
        Write(W.Late, L);
        if (W.HasKind)
          J.attribute("kind", kindOf(L));
        if (W.HasShapes)
          J.attribute("shapes", jsonTextOrNull(T.string(L.Shapes)));
        writeSpaces(J, T, sharesOf(L), W.Shares);
      });
  });
}

static void printTable(raw_ostream &OS, const Trace &Of, const ShownColumns &W,
                       ArrayRef<LayerStats> Joined, unsigned Width) {
  bool HasSpaces = hasDevices(Joined);
  std::vector<LayerStats> Rows;
  for (const LayerStats &L : Joined)
    append_range(Rows, HasSpaces ? rowsOfSpaces(L) : std::vector{L});
  std::vector<Table::Column> Columns = {
      {W.Name.str(), Table::Side::Left, true}};
  if (W.HasPhase)
    Columns.push_back({"phase", Table::Side::Left});
  if (HasSpaces)
    Columns.push_back({"space", Table::Side::Left});
  bool HasTensors = any_of(
      Rows, [](const LayerStats &L) { return L.TensorAllocations != 0; });
  std::vector<Number> Titled;
  for (ArrayRef<Number> Numbers : {W.Numbers, W.Late})
    copy_if(numbersFor(Numbers, Rows), std::back_inserter(Titled),
            [&](const Number &N) {
              return !N.Title.empty() &&
                     (!N.IsKnown || any_of(Rows, N.IsKnown)) &&
                     (HasTensors || !N.OfTensors);
            });
  for (const Number &N : Titled)
    Columns.push_back({N.Title.str(), Table::Side::Right});
  bool HasShapes = W.HasShapes && any_of(Rows, [](const LayerStats &L) {
                     return L.Shapes != 0;
                   });
  if (HasShapes)
    Columns.push_back({"shapes", Table::Side::Left});
  Table T(Columns);
  for (const LayerStats &L : Rows) {
    std::vector<std::string> Cells = {Of.string(L.Name).str()};
    if (W.HasPhase)
      Cells.push_back(L.Backward ? "backward" : "forward");
    if (HasSpaces)
      Cells.push_back(spaceOf(Of, L).str());
    for (const Number &N : Titled)
      Cells.push_back(N.isKnown(L) ? format(N.U, N.Of(L)) : "");
    if (HasShapes)
      Cells.push_back(Of.string(L.Shapes).str());
    T.add(std::move(Cells));
  }
  T.print(OS, Width);
}

/// The devices for which any row has a share; each device has a few columns.
static std::vector<uint32_t> devicesOf(ArrayRef<LayerStats> Rows) {
  std::set<uint32_t> Devices;
  for (const LayerStats &L : Rows)
    for (const SpaceShare &D : L.Shares)
      if (D.Space)
        Devices.insert(D.Space);
  return {Devices.begin(), Devices.end()};
}

static void printDeviceKeys(raw_ostream &OS, const Trace &T,
                            ArrayRef<uint32_t> Devices) {
  for (uint32_t D : Devices)
    for (StringRef Key : {"_allocations", "_allocated_bytes", "_peak_bytes"}) {
      OS << ',';
      printField(OS, (T.spaceName(D) + Key).str());
    }
}

static void printDeviceValues(raw_ostream &OS, const LayerStats &L,
                              ArrayRef<uint32_t> Devices) {
  for (uint32_t D : Devices) {
    auto At =
        find_if(L.Shares, [&](const SpaceShare &S) { return S.Space == D; });
    SpaceShare Of = At == L.Shares.end() ? SpaceShare() : *At;
    OS << ',' << Of.Allocations << ',' << Of.AllocatedBytes << ','
       << Of.PeakBytes;
  }
}

static void printCsv(raw_ostream &OS, const Trace &T, const ShownColumns &W,
                     ArrayRef<LayerStats> Rows) {
  std::vector<uint32_t> Devices = devicesOf(Rows);
  auto Keys = [&](ArrayRef<Number> Numbers) {
    for (const Number &N : Numbers)
      if (!N.Key.empty())
        OS << ',' << N.Key;
  };
  auto Values = [&](ArrayRef<Number> Numbers, const LayerStats &L) {
    for (const Number &N : Numbers)
      if (!N.Key.empty())
        OS << ',' << (N.isKnown(L) ? std::to_string(N.Of(L)) : "");
  };
  std::vector<Number> Numbers = numbersFor(W.Numbers, Rows);
  OS << "name";
  Keys(W.Numbers);
  OS << (W.HasPhase ? ",backward" : "");
  Keys(W.Late);
  OS << (W.HasKind ? ",kind" : "") << (W.HasShapes ? ",shapes" : "");
  printDeviceKeys(OS, T, Devices);
  OS << '\n';
  for (const LayerStats &L : Rows) {
    printField(OS, T.string(L.Name));
    Values(Numbers, L);
    if (W.HasPhase)
      OS << (L.Backward ? ",true" : ",false");
    Values(W.Late, L);
    if (W.HasKind)
      OS << ',' << kindOf(L);
    if (W.HasShapes) {
      OS << ',';
      printField(OS, T.string(L.Shapes));
    }
    printDeviceValues(OS, L, Devices);
    OS << '\n';
  }
}

void memkit::writeScopesJson(json::OStream &J, const Trace &T,
                             ArrayRef<LayerStats> Rows) {
  writeJson(J, T, Scopes, Rows);
}

void memkit::printScopes(raw_ostream &OS, const Trace &T,
                         ArrayRef<LayerStats> Rows, unsigned Width) {
  printTable(OS, T, Scopes, Rows, Width);
}

void memkit::printScopesCsv(raw_ostream &OS, const Trace &T,
                            ArrayRef<LayerStats> Rows) {
  printCsv(OS, T, Scopes, Rows);
}

void memkit::writeLayersJson(json::OStream &J, const Trace &T,
                             ArrayRef<LayerStats> Rows) {
  writeJson(J, T, Layers, Rows);
}

std::string memkit::whyNoLayers(const Trace &T) {
  bool HasTensors = false;
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    HasTensors |= T.heapName(Heap).starts_with("torch.") ||
                  T.heapName(Heap).starts_with("tf.");
  return HasTensors
             ? "no layers: no module of PyTorch or Keras made tensors while it "
               "ran; memkit.trace(model) names the modules of a model; a "
               "recording of PyTorch's heaps alone has no layers"
             : "no layers: no tensors of PyTorch or TensorFlow were recorded";
}

void memkit::printLayers(raw_ostream &OS, const Trace &T,
                         ArrayRef<LayerStats> Rows, unsigned Width) {
  if (Rows.empty())
    OS << whyNoLayers(T) << '\n';
  else
    printTable(OS, T, Layers, Rows, Width);
}

void memkit::printLayersCsv(raw_ostream &OS, const Trace &T,
                            ArrayRef<LayerStats> Rows) {
  printCsv(OS, T, Layers, Rows);
}

void memkit::writeOperatorsJson(json::OStream &J, const Trace &T,
                                ArrayRef<LayerStats> Rows) {
  writeJson(J, T, Operators, Rows);
}

void memkit::printOperators(raw_ostream &OS, const Trace &T,
                            ArrayRef<LayerStats> Rows, unsigned Width) {
  printTable(OS, T, Operators, Rows, Width);
}

void memkit::printOperatorsCsv(raw_ostream &OS, const Trace &T,
                               ArrayRef<LayerStats> Rows) {
  printCsv(OS, T, Operators, Rows);
}

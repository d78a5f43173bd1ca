// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the memory of a program follows from a quantity.

#include "Laws.h"
#include "Cli/ToolMain.h"
#include "Simulate/DeviceFit.h"
#include "memkit/Analysis/PlaceStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;
using namespace memkit;

Expected<std::vector<VariedTrace>>
memkit::parseVaried(ArrayRef<std::string> Inputs) {
  std::vector<VariedTrace> Traces;
  std::set<double> Different;
  for (const std::string &Text : Inputs) {
    auto [Value, Path] = StringRef(Text).split('=');
    VariedTrace T;
    if (Path.empty() || Value.getAsDouble(T.Quantity) || T.Quantity < 0 ||
        T.Quantity > 1e15)
      return makeUsageError("with --vary each recording comes with its value, "
                            "as 8=a.fb: '" +
                            Text + "'");
    T.Path = Path.str();
    Different.insert(T.Quantity);
    Traces.push_back(std::move(T));
  }
  if (Different.size() < 2)
    return makeUsageError("--vary needs recordings of two different values, as "
                          "8=a.fb 16=b.fb");
  llvm::sort(Traces, [](const VariedTrace &A, const VariedTrace &B) {
    return A.Quantity < B.Quantity;
  });
  return Traces;
}

namespace {

/// Bytes at the peak of a memory space.
struct SpaceMaximum {
  uint64_t Bytes = 0;
  std::map<std::string, uint64_t> Places;
};
/// Of one recording, by the space's name.
using SpaceMaxima = std::map<std::string, SpaceMaximum>;

} // namespace

static void addPlaces(const SelectedStats &S, SpaceMaxima &To) {
  Places Where(S);
  for (const PlaceStats &P : statPlaces(S, Where)) {
    SpaceMaximum &Of = To[S.trace().spaceName(P.Space).str()];
    Of.Bytes += P.PeakBytes;
    Of.Places[Where.text(Where.place(P.Place))] += P.PeakBytes;
  }
}

/// The bytes that PyTorch's allocator would reserve for the CPU's tensors.
static Expected<uint64_t> reservedOf(const Trace &T, const Selection &Sel,
                                     const LawRequest &R) {
  auto Fit = fitDevice(T, Sel, R.Config, R.DeviceBytes);
  if (!Fit)
    return Fit.takeError();
  if (!*Fit)
    return makeError(T.name() +
                     ": no allocation of a tensor of PyTorch is in the trace "
                     "or the selection; memrec records them with their events");
  return (**Fit).Unlimited.Reserved;
}

static constexpr char OfDevice[] = "reserved on a device";

static Expected<SpaceMaxima> readPeaks(const VariedTrace &Of,
                                       const LawRequest &R) {
  auto T = Trace::open(Of.Path);
  if (!T)
    return T.takeError();
  for_each((*T)->warnings(), [](const std::string &W) { warn(W); });
  SelectionSpec Spec = R.Spec;
  if (R.OnDevice && Spec.Heaps.empty())
    Spec.Heaps = {"torch.cpu"};
  Expected<Selection> Sel = Selection::create(**T, Spec);
  if (!Sel)
    return Sel.takeError();
  std::optional<uint64_t> Reserved;
  if (R.OnDevice)
    if (Error E = reservedOf(**T, *Sel, R).moveInto(Reserved.emplace()))
      return std::move(E);
  Expected<SelectedStats> S = SelectedStats::create(**T, std::move(*Sel));
  if (!S)
    return S.takeError();
  SpaceMaxima Peaks;
  addPlaces(*S, Peaks);
  if (!Reserved)
    return Peaks;
  SpaceMaximum OnDevice;
  OnDevice.Bytes = *Reserved;
  for (auto &[Name, P] : Peaks)
    for (auto &[Place, Bytes] : P.Places)
      OnDevice.Places[Place] += Bytes;
  return SpaceMaxima{{OfDevice, OnDevice}};
}

/// Places whose peaks do not change with the value are in the constant.
static void fitPlaces(QuantityLaws &L, ArrayRef<SpaceMaxima> Peaks,
                      const LawRequest &R) {
  std::set<std::string> Names;
  for (const SpaceMaxima &P : Peaks)
    for (const auto &[Place, Bytes] : P.at(L.Of).Places)
      Names.insert(Place);
  for (const std::string &Name : Names) {
    PlaceLaw P{Name, {}, {}};
    for (auto &&[Of, T] : zip_equal(Peaks, R.Traces)) {
      const auto &All = Of.at(L.Of).Places;
      auto It = All.find(Name);
      P.Runs.push_back({T.Quantity, It == All.end() ? 0 : double(It->second)});
    }
    P.Law = fitLaw(P.Runs);
    L.Places.push_back(std::move(P));
  }
  stable_sort(L.Places, [](const PlaceLaw &A, const PlaceLaw &B) {
    return A.Runs.back().Bytes > B.Runs.back().Bytes;
  });
}

Expected<std::vector<QuantityLaws>> memkit::findLaws(const LawRequest &R) {
  std::vector<SpaceMaxima> Peaks;
  for (const VariedTrace &T : R.Traces)
    if (Error E = readPeaks(T, R).moveInto(Peaks.emplace_back()))
      return std::move(E);
  std::vector<QuantityLaws> All;
  for (const auto &[Space, First] : Peaks.front()) {
    if (!all_of(Peaks, [&](const SpaceMaxima &P) { return P.count(Space); }))
      continue;
    QuantityLaws L;
    L.Name = R.Name;
    L.Of = Space;
    L.DeviceBytes = R.DeviceBytes;
    for (auto &&[Of, T] : zip_equal(Peaks, R.Traces))
      L.Runs.push_back({T.Quantity, double(Of.at(Space).Bytes)});
    L.Law = fitLaw(L.Runs);
    fitPlaces(L, Peaks, R);
    All.push_back(std::move(L));
  }
  if (All.empty())
    return makeError("the recordings have no memory in common");
  return All;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stats of runs by heap and place.

#include "DiffCells.h"
#include "Model/Query/ArenaStacks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace llvm;

namespace memkit {

namespace {

/// Stands for the key of a node; any constant serves.
constexpr uint64_t ArenasKey = 0x3a7e9a5a7e9a5a11;

/// The places found so far, by the key of their node. Keys lose their highest
/// bit, because the table reserves two keys.
class PlaceTable {
public:
  /// The number of a place; 0 for no place (and for the root).
  uint32_t find(uint64_t Key) const { return ByKey.lookup(Key << 1 >> 1); }
  uint32_t add(uint64_t Key, uint32_t Parent, DiffPlace Shown) {
    auto [At, New] = ByKey.try_emplace(Key << 1 >> 1, Places.size());
    if (New)
      Places.push_back({Parent, Shown});
    return At->second;
  }
  std::vector<DiffCells::Spot> Places{{}};

private:
  DenseMap<uint64_t, uint32_t> ByKey;
};

/// Makes the cells of one run.
class RunCells {
public:
  RunCells(const DiffRuns &Runs, size_t Run, const FindingOptions &Options)
      : Runs(Runs), Run(Run), S(Runs.run(Run)), V(S.trace().view()),
        Options(Options), Outer(S.selection().isOuterView()) {}

  /// Call first; calls for different runs may be concurrent.
  void findLarge();
  void addPlaces(PlaceTable &Table) const;
  void makeCells(const PlaceTable &Table);
  /// Sets the places of this run's nodes to show these nodes.
  void showMine(PlaceTable &Table) const;
  std::vector<DiffCell> Cells;

private:
  float shareOfNoise(const StackStats &R) const;
  void findPlaces(const PlaceTable &Table);
  std::vector<uint32_t> placesOfStacks(const PlaceTable &Table) const;

  const DiffRuns &Runs;
  size_t Run;
  const SelectedStats &S;
  const StackView &V;
  const FindingOptions &Options;
  bool Outer;
  std::unique_ptr<StackKeyer> Keyer;
  std::vector<uint64_t> Keys;  ///< by node, where computed
  std::vector<uint32_t> Large; ///< nodes, the lowest first
  std::vector<bool> Arenas;    ///< by stack: whether the stack allocates arenas
  bool HasLargeArenas = false;
  /// By node, twice the number of its place, or of the place of the nearest
  /// node above with a place. Plus one if the place is the node's own.
  std::vector<uint32_t> PlaceOf;
  std::vector<std::pair<uint32_t, uint32_t>> Mine; ///< places and nodes
};

} // namespace

/// How many times a value reaches the noise. Shares of several metrics are
/// added up, so the result is never too small.
float RunCells::shareOfNoise(const StackStats &R) const {
  StackMetrics M = metricsOfRow(R, Outer);
  auto Noise = float(Options.NoiseOfHeap[Runs.heapNumber(Run, R.Heap)]);
  float Share = 0;
  for (Metric By : Options.Metrics) {
    float Value = metricOf(M, By);
    Share += Noise > 0 ? Value / Noise : Value;
  }
  return Share;
}

void RunCells::findLarge() {
  // Leaves room for rounding errors in sums of floats.
  const float Enough = 0.99f;
  ArenaStacks Of(S);
  for (size_t Stack = 0; Stack != V.Leaves.size(); ++Stack)
    Arenas.push_back(Of.isArena(uint32_t(Stack)));
  float ArenasShare = 0;
  std::vector<float> Shares(V.numNodes() + 1);
  S.forEach([&](uint32_t, const StackStats &R) {
    if (Runs.isHidden(Run, R.Key))
      return;
    if (float Share = shareOfNoise(R))
      (Arenas[R.Key] ? ArenasShare : Shares[V.leaf(R.Key)]) += Share;
  });
  HasLargeArenas = ArenasShare >= Enough;
  for (uint32_t N = V.numNodes(); N != 0; --N)
    Shares[V.parent(N)] += Shares[N];
  KeyRules Rules = Runs.rules(Run);
  if (!Options.Counterparts.empty())
    Rules.Counterparts = Options.Counterparts[Run];
  Keyer = std::make_unique<StackKeyer>(S.trace(), SameFrame::Function, Rules);
  Keys.resize(V.numNodes() + 1);
  for (uint32_t N = 1; N <= V.numNodes(); ++N) {
    if (!(Shares[N] >= Enough))
      continue;
    Keys[N] = Keyer->key(N, Keys);
    Large.push_back(N);
  }
}

void RunCells::addPlaces(PlaceTable &Table) const {
  for (uint32_t N : Large) {
    // All turns of a recursion are one place.
    uint64_t Above = Keys[V.parent(N)];
    if (Keys[N] != Above)
      Table.add(Keys[N], Table.find(Above), {uint32_t(Run), N});
  }
  if (HasLargeArenas)
    Table.add(ArenasKey, 0, {uint32_t(Run), 0, /*IsArenas=*/true});
}

void RunCells::findPlaces(const PlaceTable &Table) {
  PlaceOf.resize(V.numNodes() + 1);
  PlaceOf[0] = 1;
  for (uint32_t N = 1; N <= V.numNodes(); ++N) {
    uint32_t Above = PlaceOf[V.parent(N)];
    PlaceOf[N] = Above & ~1u;
    if (!(Above & 1))
      continue;
    Keys[N] = Keyer->key(N, Keys);
    uint32_t Place = Table.find(Keys[N]);
    if (!Place && Keys[N] != 0)
      continue;
    PlaceOf[N] = Place << 1 | 1;
    if (Place != Above >> 1)
      Mine.push_back({Place, N});
  }
}

/// As PlaceOf, by stack.
std::vector<uint32_t> RunCells::placesOfStacks(const PlaceTable &Table) const {
  uint32_t OfArenas = Table.find(ArenasKey);
  OfArenas = OfArenas ? OfArenas << 1 | 1 : 0;
  std::vector<uint32_t> OfStack(V.Leaves.size());
  for (size_t Stack = 0; Stack != OfStack.size(); ++Stack)
    OfStack[Stack] = Arenas[Stack] ? OfArenas : PlaceOf[V.leaf(Stack)];
  return OfStack;
}

void RunCells::makeCells(const PlaceTable &Table) {
  findPlaces(Table);
  Keyer.reset();
  Keys = {};
  // Rows come heap by heap, with stacks from the whole tree. Look-ups by stack
  // touch less memory than look-ups by node.
  std::vector<uint32_t> OfStack = placesOfStacks(Table);
  PlaceOf = {};
  // By place, the cell + 1 in the current heap. A heap that appears again gets
  // other cells, which are added up by their users.
  std::vector<uint32_t> CellOf(Table.Places.size());
  size_t Begin = 0;
  uint32_t Heap = 0;
  S.forEach([&](uint32_t, const StackStats &R) {
    if (Runs.isHidden(Run, R.Key))
      return;
    if (R.Heap != Heap) {
      for (; Begin != Cells.size(); ++Begin)
        CellOf[Cells[Begin].Place] = 0;
      Heap = R.Heap;
    }
    uint32_t Place = OfStack[R.Key];
    uint32_t &Cell = CellOf[Place >> 1];
    if (!Cell) {
      Cells.push_back(
          {Runs.heapNumber(Run, R.Heap), Place >> 1, uint32_t(Run), false, {}});
      Cell = Cells.size();
    }
    DiffCell &C = Cells[Cell - 1];
    C.IsInner |= !(Place & 1);
    C.Sum.add(metricsOfRow(R, Outer));
  });
}

void RunCells::showMine(PlaceTable &Table) const {
  // From the last to the first: if several nodes share a place, the first one
  // is shown.
  for (auto [Place, Node] : reverse(Mine))
    Table.Places[Place].Shown = {uint32_t(Run), Node};
}

DiffCells makeDiffCells(const DiffRuns &Runs, const FindingOptions &Options) {
  std::vector<RunCells> All;
  for (size_t R = 0; R != Runs.size(); ++R)
    All.emplace_back(Runs, R, Options);
  Runs.forEachRun([&](size_t R) { All[R].findLarge(); });
  PlaceTable Table;
  for (const RunCells &R : All)
    R.addPlaces(Table);
  Runs.forEachRun([&](size_t R) { All[R].makeCells(Table); });
  DiffCells Out;
  for (RunCells &R : All) {
    R.showMine(Table);
    Out.Cells.insert(Out.Cells.end(), R.Cells.begin(), R.Cells.end());
    R.Cells = {};
  }
  llvm::sort(Out.Cells, [](const DiffCell &A, const DiffCell &B) {
    return std::tie(A.Heap, B.Place, A.Run) < std::tie(B.Heap, A.Place, B.Run);
  });
  Out.Places = std::move(Table.Places);
  return Out;
}

} // namespace memkit

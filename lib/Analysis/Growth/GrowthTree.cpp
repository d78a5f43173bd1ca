// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the nodes to test for growth.

#include "GrowthTree.h"
#include "Support/RunBoth.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <functional>

using namespace llvm;

namespace memkit {

namespace {

constexpr uint32_t None = GrowthNode::None;
/// Only this many rows, and the paths from the root to them, are visited.
constexpr size_t MaxRising = size_t(1) << 18;

/// A node at or above a row that rises. Parents come before their children, and
/// the places of a group after those of lower groups. There may be millions.
struct TreePlace {
  double Rise = 0; ///< sum over all rows at and below the node
  uint32_t Node = 0;
  uint32_t Parent = None;
  uint32_t LiveStacks = 0;
  uint8_t Children = 0; ///< 2: two or more
  bool HasRows = false; ///< stacks of rows end at the node
};

/// The nodes of a view at and above all rows that rise, numbered anew from the
/// root's 0. Far fewer than all nodes, so that they stay in the cache. A
/// parent's number is lower.
struct RisingTree {
  std::vector<uint32_t> Nodes{0};   ///< in the view
  std::vector<uint32_t> Parents{0}; ///< numbers here
  /// By node of the view: the number of the lowest of Nodes at or above it.
  std::vector<uint32_t> Above;

  /// Of: numbers of rows.
  RisingTree(const StackView &V, ArrayRef<GrowthRow> Rows,
             ArrayRef<uint32_t> Of, double Min);
};

/// Makes the places of some groups. Belongs to one thread.
class PlaceMaker {
public:
  /// NumRows: of all groups that will be added.
  PlaceMaker(const StackView &V, const RisingTree &Tree,
             ArrayRef<GrowthRow> Rows, size_t NumRows)
      : V(V), Tree(Tree), Rows(Rows), PlaceOf(Tree.Nodes.size(), None) {
    constexpr size_t UsualDepth = 4; // of places that a row adds
    Places.reserve(NumRows * UsualDepth);
  }

  size_t numPlaces() const { return Places.size(); }
  /// Adds a group with rows Of. PlaceOfRow: takes the rows' places.
  void addGroup(ArrayRef<uint32_t> Of, double Min,
                MutableArrayRef<uint32_t> PlaceOfRow);
  std::vector<TreePlace> takePlaces() { return std::move(Places); }

private:
  void prefetch(ArrayRef<uint32_t> Of, size_t At) const;
  /// The number of the lowest node of the tree at or above the row's stack.
  uint32_t nodeOf(uint32_t Row) const {
    return Tree.Above[V.leaf(Rows[Row].Stack)];
  }
  void addWay(uint32_t Node);
  uint32_t nearest(uint32_t Node);
  /// Whether the node of the tree has a place in the group.
  bool isPlaced(uint32_t Node) const {
    return PlaceOf[Node] != None && PlaceOf[Node] >= FirstOfGroup;
  }

  const StackView &V;
  const RisingTree &Tree;
  ArrayRef<GrowthRow> Rows;
  /// By node of the tree; valid from FirstOfGroup on.
  std::vector<uint32_t> PlaceOf;
  uint32_t FirstOfGroup = 0;
  std::vector<TreePlace> Places;
  std::vector<uint32_t> Way; ///< scratch
};

class Chooser {
public:
  Chooser(const StackView &V, ArrayRef<GrowthRow> Rows)
      : V(V), Rows(Rows), PlaceOfRow(Rows.size(), None) {}
  GrowthNodes run(uint32_t NumGroups, uint64_t Min, size_t Max);

private:
  void sortByGroup(uint32_t NumGroups);
  double minRise() const;
  std::vector<TreePlace> placesOf(const RisingTree &Tree, uint32_t FirstGroup,
                                  uint32_t EndGroup, double MinOfRow);
  void makePlaces(double MinOfRow);
  bool isCandidate(const TreePlace &P, double Min) const {
    return P.Rise >= Min && (P.HasRows || (P.Node && P.Children > 1));
  }

  const StackView &V;
  ArrayRef<GrowthRow> Rows;
  std::vector<TreePlace> Places;
  std::vector<uint32_t> PlaceOfRow;
  std::vector<uint32_t> Order, Begin; ///< rows by group
  std::vector<uint32_t> EndOfGroup;   ///< in Places, by group
};

/// Sorts the rows to visit by group.
void Chooser::sortByGroup(uint32_t NumGroups) {
  auto IsSeen = [](const GrowthRow &R) {
    return R.Group != GrowthRow::NoGroup && (R.Moved || R.Gained);
  };
  Begin.assign(NumGroups + size_t(1), 0);
  for (const GrowthRow &R : Rows)
    if (IsSeen(R))
      ++Begin[R.Group + 1];
  for (size_t G = 1; G < Begin.size(); ++G)
    Begin[G] += Begin[G - 1];
  std::vector<uint32_t> Next = Begin;
  Order.resize(Begin.back());
  for (uint32_t R = 0; R != Rows.size(); ++R)
    if (IsSeen(Rows[R]))
      Order[Next[Rows[R].Group]++] = R;
}

/// The rise above which a row is among the MaxRising highest.
double Chooser::minRise() const {
  std::vector<double> Rises;
  for (uint32_t R : Order)
    if (Rows[R].rise() > 0)
      Rises.push_back(Rows[R].rise());
  if (Rises.size() <= MaxRising)
    return 0;
  std::nth_element(Rises.begin(), Rises.begin() + MaxRising, Rises.end(),
                   std::greater<>());
  return Rises[MaxRising];
}

RisingTree::RisingTree(const StackView &V, ArrayRef<GrowthRow> Rows,
                       ArrayRef<uint32_t> Of, double Min)
    : Above(V.Parents.size()) {
  std::vector<uint8_t> IsIn(V.Parents.size());
  IsIn[0] = 1;
  std::vector<uint32_t> Leaves;
  for (uint32_t R : Of)
    if (Rows[R].rise() > Min)
      Leaves.push_back(V.leaf(Rows[R].Stack));
  // Neighbours have the same callers.
  llvm::sort(Leaves);
  for (uint32_t Leaf : Leaves)
    for (uint32_t N = Leaf; !IsIn[N]; N = V.parent(N))
      IsIn[N] = 1;
  size_t Size = llvm::count(IsIn, 1);
  Nodes.resize(Size + 1);
  Parents.resize(Size + 1);
  uint32_t Next = 1;
  // Writes also the nodes that are not in the tree, because a branch would be
  // wrong half of the time.
  for (uint32_t N = 1; N < Above.size(); ++N) {
    uint32_t Parent = Above[V.parent(N)];
    Nodes[Next] = N;
    Parents[Next] = Parent;
    Above[N] = IsIn[N] ? Next : Parent;
    Next += IsIn[N];
  }
  Nodes.resize(Size);
  Parents.resize(Size);
}

/// Asks the processor to fetch what a later row needs.
void PlaceMaker::prefetch(ArrayRef<uint32_t> Of, size_t At) const {
  constexpr size_t Ahead = 8;
  if (At + 3 * Ahead >= Of.size())
    return;
  __builtin_prefetch(&Rows[Of[At + 3 * Ahead]]);
  __builtin_prefetch(&V.Leaves[Rows[Of[At + 2 * Ahead]].Stack]);
  __builtin_prefetch(&Tree.Above[V.leaf(Rows[Of[At + Ahead]].Stack)]);
}

void PlaceMaker::addWay(uint32_t Node) {
  Way.clear();
  for (; !isPlaced(Node); Node = Tree.Parents[Node]) {
    Way.push_back(Node);
    if (Node == 0)
      break;
  }
  uint32_t Parent = isPlaced(Node) ? PlaceOf[Node] : None;
  for (size_t I = Way.size(); I-- != 0;) {
    if (Parent != None)
      Places[Parent].Children = Places[Parent].Children ? 2 : 1;
    PlaceOf[Way[I]] = static_cast<uint32_t>(Places.size());
    TreePlace P;
    P.Node = Tree.Nodes[Way[I]];
    P.Parent = Parent;
    Parent = PlaceOf[Way[I]];
    Places.push_back(P);
  }
}

/// The lowest place of the group at or above Node, or None. Call after the
/// group's last addWay(). Nodes without a place take the place above them, so
/// each node is visited once.
uint32_t PlaceMaker::nearest(uint32_t Node) {
  uint32_t Top = Node;
  while (Top && !isPlaced(Top))
    Top = Tree.Parents[Top];
  if (!isPlaced(Top))
    return None;
  for (; Node != Top; Node = Tree.Parents[Node])
    PlaceOf[Node] = PlaceOf[Top];
  return PlaceOf[Top];
}

void PlaceMaker::addGroup(ArrayRef<uint32_t> Of, double Min,
                          MutableArrayRef<uint32_t> PlaceOfRow) {
  FirstOfGroup = static_cast<uint32_t>(Places.size());
  for (uint32_t R : Of)
    if (Rows[R].rise() > Min)
      addWay(nodeOf(R));
  for (size_t I = 0; I != Of.size(); ++I) {
    prefetch(Of, I);
    uint32_t R = Of[I];
    uint32_t At = nearest(nodeOf(R));
    if (At == None)
      return; // no row of the group rises
    PlaceOfRow[R] = At;
    // A row that does not move changes no series.
    Places[At].HasRows |= Rows[R].Moved;
    Places[At].LiveStacks += Rows[R].Gained != 0;
    Places[At].Rise += Rows[R].rise();
  }
  for (size_t P = Places.size(); P-- > FirstOfGroup;)
    if (uint32_t Parent = Places[P].Parent; Parent != None) {
      Places[Parent].Rise += Places[P].Rise;
      Places[Parent].LiveStacks += Places[P].LiveStacks;
    }
}

/// Thread-safe for different groups.
std::vector<TreePlace> Chooser::placesOf(const RisingTree &Tree,
                                         uint32_t FirstGroup, uint32_t EndGroup,
                                         double MinOfRow) {
  if (Begin[FirstGroup] == Begin[EndGroup])
    return {}; // the ends stay 0
  PlaceMaker Maker(V, Tree, Rows, Begin[EndGroup] - Begin[FirstGroup]);
  for (uint32_t G = FirstGroup; G != EndGroup; ++G) {
    Maker.addGroup(ArrayRef(Order).slice(Begin[G], Begin[G + 1] - Begin[G]),
                   MinOfRow, PlaceOfRow);
    EndOfGroup[G] = static_cast<uint32_t>(Maker.numPlaces());
  }
  return Maker.takePlaces();
}

/// Half of the rows on each of two threads.
void Chooser::makePlaces(double MinOfRow) {
  auto NumGroups = static_cast<uint32_t>(Begin.size() - 1);
  auto Half = static_cast<uint32_t>(llvm::upper_bound(Begin, Order.size() / 2) -
                                    Begin.begin() - 1);
  Half = std::min(Half, NumGroups);
  RisingTree Tree(V, Rows, Order, MinOfRow);
  std::vector<TreePlace> Second;
  EndOfGroup.assign(NumGroups, 0);
  runBoth([&] { Places = placesOf(Tree, 0, Half, MinOfRow); },
          [&] { Second = placesOf(Tree, Half, NumGroups, MinOfRow); });
  auto Before = static_cast<uint32_t>(Places.size());
  for (uint32_t G = Half; G != NumGroups; ++G)
    EndOfGroup[G] += Before;
  for (TreePlace &P : Second)
    P.Parent += P.Parent == None ? 0 : Before;
  for (uint32_t R : ArrayRef(Order).drop_front(Begin[Half]))
    PlaceOfRow[R] += PlaceOfRow[R] == None ? 0 : Before;
  llvm::append_range(Places, Second);
}

GrowthNodes Chooser::run(uint32_t NumGroups, uint64_t MinBytes, size_t Max) {
  sortByGroup(NumGroups);
  makePlaces(minRise());
  GrowthNodes Out;
  auto Min = static_cast<double>(std::max<uint64_t>(MinBytes, 1));
  std::vector<double> Rises;
  size_t Ties = SIZE_MAX;
  for (const TreePlace &P : Places)
    if (isCandidate(P, Min))
      Rises.push_back(P.Rise);
  if (Rises.size() > Max) {
    Out.LeftOut = Rises.size() - Max;
    std::nth_element(Rises.begin(), Rises.begin() + Max, Rises.end(),
                     std::greater<>());
    Min = Out.LeftOutBelow = Rises[Max];
    // Of the places that gained just Min, as many as there is room for.
    Ties = Max - llvm::count_if(ArrayRef(Rises).take_front(Max),
                                [&](double R) { return R > Min; });
  }
  // By place: in Out.Nodes, the node itself or the nearest above.
  std::vector<uint32_t> Chosen(Places.size(), None);
  uint32_t Group = 0;
  for (uint32_t I = 0; I != Places.size(); ++I) {
    const TreePlace &P = Places[I];
    while (EndOfGroup[Group] <= I)
      ++Group;
    if (P.Parent != None)
      Chosen[I] = Chosen[P.Parent];
    if (!isCandidate(P, Min) || (P.Rise <= Min && Ties == 0))
      continue;
    Ties -= P.Rise <= Min;
    Out.Nodes.push_back({Group, P.Node, Chosen[I], P.LiveStacks, P.HasRows});
    Chosen[I] = static_cast<uint32_t>(Out.Nodes.size() - 1);
  }
  Out.OfRow.assign(Rows.size(), None);
  for (uint32_t R : Order)
    if (PlaceOfRow[R] != None)
      Out.OfRow[R] = Chosen[PlaceOfRow[R]];
  return Out;
}
} // namespace

GrowthNodes chooseGrowthNodes(const StackView &V, uint32_t NumGroups,
                              ArrayRef<GrowthRow> Rows, uint64_t Min,
                              size_t Max) {
  return Chooser(V, Rows).run(NumGroups, Min, Max);
}

} // namespace memkit

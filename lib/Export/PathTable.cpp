// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several profiles, by path of names.

#include "PathTable.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace llvm;

namespace memkit {

std::string pathName(StringRef Function) {
  std::string Name = Function.str();
  for (char &C : Name)
    if (C == ';')
      C = ':';
    else if (C == '\n' || C == '\r')
      C = ' ';
  return Name;
}

/// Finds the place of each node.
std::vector<uint32_t> PathTable::canonical(ShownTree T) {
  const StackView &V = T.view();
  std::vector<uint32_t> PlaceOf(V.numNodes() + 1);
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Known;
  for (uint32_t N = 1; N <= V.numNodes(); ++N) {
    uint32_t At = PlaceOf[V.parent(N)];
    for (const ShownFrame &F : reverse(T.shown(V.frameOf(N)))) {
      uint32_t Name = Names.find(&F - T.allShown().data());
      auto [Found, New] = Known.try_emplace({At, Name}, Places.size());
      if (New)
        Places.push_back({At, Name});
      At = Found->second;
    }
    PlaceOf[N] = At;
  }
  return PlaceOf;
}

PathTable::PathTable(ShownTree T, ArrayRef<Profile> Profiles)
    : Names(T, FlameNames::Distinct::ByFunction),
      Values(T, Profiles, canonical(T)) {}

void PathTable::forEach(
    function_ref<void(StringRef Path, ArrayRef<uint64_t>)> Do) const {
  std::vector<std::string> Texts;
  for (const FlameNames::FlameName &N : Names.names())
    Texts.push_back(pathName(N.Function));
  std::vector<size_t> Order(Values.size());
  std::iota(Order.begin(), Order.end(), 0);
  stable_sort(Order, [&](size_t A, size_t B) {
    return std::lexicographical_compare(
        Values.values(B).begin(), Values.values(B).end(),
        Values.values(A).begin(), Values.values(A).end());
  });
  std::string Path;
  std::vector<uint32_t> Up;
  for (size_t Row : Order) {
    Up.clear();
    for (uint32_t P = Values.node(Row); P; P = Places[P].Parent)
      Up.push_back(Places[P].Name);
    if (Up.empty())
      Up.push_back(FlameNames::NoStack);
    Path.clear();
    for (uint32_t Name : reverse(Up))
      (Path += Path.empty() ? "" : ";") += Texts[Name];
    Do(Path, Values.values(Row));
  }
}

} // namespace memkit

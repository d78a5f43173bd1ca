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

PathTable::PathTable(ShownTree T, ArrayRef<Profile> Profiles)
    : Names(T, FlameNames::Distinct::ByFunction), Paths(T, Names),
      Values(T, Profiles, Paths.byNode()) {}

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
    for (uint32_t P = Values.node(Row); P; P = Paths.parent(P))
      Up.push_back(Paths.name(P));
    if (Up.empty())
      Up.push_back(FlameNames::NoStack);
    Path.clear();
    for (uint32_t Name : reverse(Up))
      (Path += Path.empty() ? "" : ";") += Texts[Name];
    Do(Path, Values.values(Row));
  }
}

} // namespace memkit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several profiles, by node.

#include "NodeValues.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

NodeValues::NodeValues(ShownTree T, ArrayRef<Profile> Profiles,
                       ArrayRef<uint32_t> Canonical)
    : Width(Profiles.size()) {
  const StackView &V = T.view();
  uint32_t Max = V.numNodes();
  if (!Canonical.empty())
    Max = *std::max_element(Canonical.begin(), Canonical.end());
  std::vector<uint32_t> RowOf(Max + size_t(1)); // + 1; 0: none yet
  for (size_t Column = 0; Column != Width; ++Column)
    for (const KeyValue &K : Profiles[Column].Values) {
      uint32_t Node = V.leaf(K.Key);
      if (!Canonical.empty())
        Node = Canonical[Node];
      uint32_t &Row = RowOf[Node];
      if (!Row) {
        Nodes.push_back(Node);
        Values.resize(Values.size() + Width);
        Row = Nodes.size();
      }
      Values[(Row - 1) * Width + Column] += K.Value;
    }
}

} // namespace memkit

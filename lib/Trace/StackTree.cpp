// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The coding of new stacks.

#include "StackTree.h"

using namespace memkit;

void StackRows::clear() {
  Pops.clear();
  FarParent.clear();
  Length.clear();
  FarLength.clear();
}

void StackTreeWriter::append(const NewStack &S) {
  // A malformed trace may name a node that does not exist.
  uint32_t Parent = S.Parent <= nodes() ? S.Parent : 0;
  Tree.append(Parent, S.Length);
  LastLeaf = S.Length ? nodes() : Parent;
}

void StackTreeWriter::encode(llvm::ArrayRef<NewStack> Stacks, StackRows &Out) {
  for (const NewStack &S : Stacks) {
    uint32_t Node = LastLeaf;
    unsigned Pops = 0;
    while (Node > S.Parent && Pops != StackTree::Far) {
      Node = Tree.parent(Node);
      ++Pops;
    }
    if (Node == S.Parent && Pops != StackTree::Far) {
      Out.Pops.push_back(uint8_t(Pops));
    } else {
      Out.Pops.push_back(StackTree::Far);
      Out.FarParent.push_back(nodes() - S.Parent);
    }
    if (S.Length < StackTree::Far) {
      Out.Length.push_back(uint8_t(S.Length));
    } else {
      Out.Length.push_back(StackTree::Far);
      Out.FarLength.push_back(S.Length);
    }
    append(S);
  }
}

bool StackTree::decode(const StackRows &Rows, uint32_t Nodes,
                       std::vector<NewStack> &Out) {
  size_t FarParents = 0, FarLengths = 0;
  uint32_t Next = Parents.size(), End = Next + Nodes;
  Parents.resize(End);
  Out.clear();
  Out.reserve(Rows.Pops.size());
  for (size_t I = 0, E = Rows.Pops.size(); I != E; ++I) {
    NewStack S;
    if (Rows.Pops[I] == Far) {
      if (FarParents == Rows.FarParent.size() ||
          Rows.FarParent[FarParents] >= Next)
        return false;
      S.Parent = Next - 1 - Rows.FarParent[FarParents++];
    } else {
      S.Parent = LastLeaf;
      for (unsigned K = Rows.Pops[I]; K; --K) {
        if (!S.Parent)
          return false;
        S.Parent = Parents[S.Parent];
      }
    }
    S.Length = Rows.Length[I];
    if (S.Length == Far) {
      if (FarLengths == Rows.FarLength.size())
        return false;
      S.Length = Rows.FarLength[FarLengths++];
    }
    if (S.Length > End - Next)
      return false;
    LastLeaf = S.Parent;
    for (uint32_t K = 0; K != S.Length; ++K) {
      Parents[Next] = LastLeaf;
      LastLeaf = Next++;
    }
    Out.push_back(S);
  }
  return Next == End && FarParents == Rows.FarParent.size() &&
         FarLengths == Rows.FarLength.size();
}

//===- Sums.cpp - The sums of a part of a trace -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Model/Sums.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

Expected<Sums> Sums::create(const Trace &T, Selection Selected) {
  Sums S(T, std::move(Selected));
  for (const Summary &Part : T.summary())
    for (const SumRows &R : Part.Stacks)
      if (S.Sel.hasImage(R.Image))
        S.Rows.push_back(&R);
  stable_sort(S.Rows, [](const SumRows *A, const SumRows *B) {
    return A->Image < B->Image;
  });
  return S;
}

void Sums::forEach(function_ref<void(uint32_t Image, const SumRow &)> F) const {
  for (const SumRows *Part : Rows)
    for (const SumRow &R : Part->Rows)
      if (Sel.hasHeap(R.Heap) && Sel.hasStack(R.Key))
        F(Part->Image, R);
}

} // namespace memkit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Known leaks and changes that are not reported.

#include "memkit/Analysis/Suppressions.h"
#include "memkit/Model/Patterns.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

Suppressions Suppressions::ofUser(const Rules &R) {
  Suppressions S;
  for (const Rules::LeakRule &L : R.leaks())
    if (L.IsUsers) {
      S.Patterns.push_back(L.Pattern);
      S.Heaps.push_back(L.Heap);
    }
  return S;
}

/// Whether a rule for a heap holds in T; of no heap, in all traces.
static bool holdsIn(const Trace &T, StringRef Heap) {
  return Heap.empty() || any_of(T.heaps(), [&](const memkit::Heap &H) {
           return T.string(H.Name) == Heap;
         });
}

Suppressions Suppressions::ofChanges(const Rules &R) {
  Suppressions S;
  S.Patterns = R.changes().vec();
  return S;
}

Suppressions Suppressions::byDefault(const Trace &T) {
  Suppressions S;
  for (const Rules::LeakRule &L : Rules::builtIn().leaks())
    if (holdsIn(T, L.Heap))
      S.Patterns.push_back(L.Pattern);
  S.HidesInitializers = true;
  return S;
}

/// By frame, whether its binary has the pattern.
static std::vector<bool> framesOf(const Trace &T, StringRef Binary) {
  std::vector<bool> Out(T.numFrames() + 1);
  for (uint32_t F = 1; F <= T.numFrames(); ++F)
    Out[F] = any_of(T.unfolded(F), [&](const ShownFrame &S) {
      return matchPattern(Binary, S.Binary);
    });
  return Out;
}

/// Adds the initializers of the C++ library: its functions that the loader
/// calls. They allocate the memory for exceptions when there is no other. No
/// pattern can tell: in a library without symbols they have no names.
void Suppressions::addInitializers(const Trace &T,
                                   std::vector<uint32_t> &OfNode) const {
  std::vector<bool> OfLibrary = framesOf(T, "/libstdc++.so"),
                    OfLoader = framesOf(T, "/ld-*.so");
  for (uint32_t N = 1; N <= T.numNodes(); ++N) {
    uint32_t Caller = T.parent(N);
    if (OfNode[N])
      continue;
    bool IsInitializer =
        Caller && OfLibrary[T.frameOf(N)] && OfLoader[T.frameOf(Caller)];
    OfNode[N] = IsInitializer ? Patterns.size() + 1 : OfNode[Caller];
  }
}

std::vector<uint32_t> Suppressions::matchNodes(const Trace &T) const {
  NamePatterns Match;
  for (uint32_t P = 0; P != Patterns.size(); ++P)
    if (P >= Heaps.size() || holdsIn(T, Heaps[P]))
      Match.add(Patterns[P], P);
  std::vector<uint32_t> OfFrame(T.numFrames() + 1);
  for (uint32_t F = 1; F <= T.numFrames(); ++F) {
    uint32_t Best = UINT32_MAX;
    for (const ShownFrame &S : T.unfolded(F))
      Best = std::min(
          Best,
          Match.find({S.Function, S.File, S.Binary}).value_or(UINT32_MAX));
    OfFrame[F] = Best + 1;
  }
  std::vector<uint32_t> OfNode(T.numNodes() + 1);
  for (uint32_t N = 1; N <= T.numNodes(); ++N) {
    uint32_t Outer = OfNode[T.parent(N)];
    OfNode[N] = Outer ? Outer : OfFrame[T.frameOf(N)];
  }
  if (HidesInitializers)
    addInitializers(T, OfNode);
  return OfNode;
}

} // namespace memkit

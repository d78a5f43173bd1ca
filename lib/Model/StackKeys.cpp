//===- StackKeys.cpp - Stacks that mean the same -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Model/StackKeys.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace memkit {

/// Order matters: mix(A, B) is not mix(B, A). The folded product of wyhash.
static uint64_t mix(uint64_t Before, uint64_t Next) {
  unsigned __int128 Product =
      static_cast<unsigned __int128>(Before ^ 0xA0761D6478BD642Fu) *
      (Next ^ 0xE7037ED1A0B428DBu);
  return static_cast<uint64_t>(Product) ^ static_cast<uint64_t>(Product >> 64);
}

static bool isCloneWord(StringRef Word) {
  return StringSwitch<bool>(Word)
      .Cases("isra", "part", "constprop", "cold", "llvm", "lto_priv", true)
      .Default(!Word.empty() &&
               Word.find_first_not_of("0123456789") == StringRef::npos);
}

StringRef withoutCloneSuffix(StringRef Function) {
  // Demanglers put them in brackets behind the name.
  while (Function.ends_with("]") || Function.ends_with(")")) {
    size_t At = Function.rfind(Function.back() == ']' ? '[' : '(');
    if (At == StringRef::npos || At == 0 || Function[At - 1] != ' ')
      break;
    StringRef Inside = Function.drop_front(At + 1);
    if (!Inside.starts_with("clone ") && !Inside.starts_with("."))
      break;
    Function = Function.take_front(At - 1);
  }
  while (true) {
    // No farther back than such words reach: names are long, and most have
    // none.
    size_t Dot = Function.size();
    while (Dot && (isLower(Function[Dot - 1]) || isDigit(Function[Dot - 1]) ||
                   Function[Dot - 1] == '_'))
      --Dot;
    if (Dot < 2 || Function[Dot - 1] != '.' ||
        !isCloneWord(Function.drop_front(Dot)))
      return Function;
    Function = Function.take_front(Dot - 1);
  }
}

static uint64_t shownKey(const ShownFrame &F, SameFrame How) {
  StringRef Owner = F.Module.empty() ? F.File : F.Module;
  if (How == SameFrame::Function)
    return mix(xxh3_64bits(withoutCloneSuffix(F.Function)),
               xxh3_64bits(baseName(Owner)));
  return mix(mix(xxh3_64bits(F.Function), xxh3_64bits(F.Module)),
             mix(xxh3_64bits(F.File), F.Line));
}

std::vector<uint64_t> nodeKeys(const Trace &T, SameFrame How) {
  // Frame F shows FrameKeys[First[F - 1]..First[F]), outermost first. Inlined
  // functions count like others: whether one is inlined differs by build.
  std::vector<uint64_t> FrameKeys;
  std::vector<uint32_t> First{0};
  for (uint32_t F = 1; F <= T.numFrames(); ++F) {
    for (const ShownFrame &Shown : reverse(T.shown(F)))
      FrameKeys.push_back(shownKey(Shown, How));
    First.push_back(FrameKeys.size());
  }
  const StackView &V = T.view();
  std::vector<uint64_t> Keys(V.numNodes() + 1);
  for (uint32_t N = 1; N <= V.numNodes(); ++N) {
    uint32_t Frame = V.frameOf(N);
    uint64_t Key = Keys[V.parent(N)];
    for (uint32_t I = First[Frame - 1]; I != First[Frame]; ++I)
      Key = mix(Key, FrameKeys[I]);
    Keys[N] = Key;
  }
  return Keys;
}

} // namespace memkit

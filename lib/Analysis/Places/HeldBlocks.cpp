// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of Python that hold blocks.

#include "memkit/Analysis/HeldBlocks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace memkit {

/// Value number I of a mark; 0 if the mark has fewer.
static uint64_t valueOf(const Mark &M, size_t I) {
  return I < M.Values.size() ? M.Values[I] : 0;
}

static HolderSearch searchOf(const Mark &M) {
  uint64_t Us = valueOf(M, 2);
  return {M.Process,     M.TimeNs,
          valueOf(M, 0), Us < UINT64_MAX / 1000 ? Us * 1000 : UINT64_MAX,
          valueOf(M, 3), static_cast<uint8_t>(valueOf(M, 1))};
}

Expected<HeldBlocks> findHeldBlocks(const Trace &T) {
  HeldBlocks Out;
  if (!T.hasReader())
    return Out;
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, HeldBlock> Last;
  Error E = T.forEachMark([&](const Mark &M) {
    if (M.Kind != MarkKind::HeldBy)
      return;
    if (!M.Name)
      return Out.Searches.push_back(searchOf(M));
    if (!M.Heap || !M.Process)
      return;
    Last[{M.Process, M.Heap, M.Id}] = {
        M.Id,   valueOf(M, 0), M.TimeNs, M.Process,
        M.Heap, M.Stack,       M.Name,   static_cast<uint8_t>(valueOf(M, 1))};
  });
  if (E)
    return std::move(E);
  for (auto &[Key, Block] : Last)
    Out.Blocks.push_back(Block);
  return Out;
}

//===----------------------------------------------------------------------===//
// Common paths
//===----------------------------------------------------------------------===//

/// The end of the bracket that opens at From: the index of `]`, or the text's
/// size. A quoted key may have brackets.
static size_t endOfBracket(StringRef Path, size_t From) {
  char Quote = 0;
  for (size_t I = From + 1; I < Path.size(); ++I) {
    char C = Path[I];
    if (Quote) {
      if (C == '\\')
        ++I;
      else if (C == Quote)
        Quote = 0;
    } else if (C == '\'' || C == '"') {
      Quote = C;
    } else if (C == ']') {
      return I;
    }
  }
  return Path.size();
}

/// Splits `a[1].b[2]` into the texts outside, `a[`, `].b[`, `]`, joined, and
/// the texts within brackets.
static std::string splitPath(StringRef Path, SmallVectorImpl<StringRef> &In) {
  std::string Outside;
  size_t At = 0;
  while (At < Path.size()) {
    size_t Open = std::min(Path.find('[', At), Path.size());
    Outside += Path.slice(At, Open).str();
    if (Open == Path.size())
      break;
    size_t Close = endOfBracket(Path, Open);
    In.push_back(Path.slice(Open + 1, Close));
    Outside += '[';
    At = Close;
  }
  return Outside;
}

namespace {
/// Paths with the same text outside of brackets.
struct SamePaths {
  std::string Outside;
  SmallVector<StringRef, 4> In; ///< `*` where the paths differ
  uint8_t Bits = 0;
  std::map<uint32_t, HeldPath> Sums; ///< by heap
};
} // namespace

static std::string joinPath(const SamePaths &S) {
  std::string Path;
  size_t N = 0;
  for (char C : S.Outside) {
    Path += C;
    if (C == '[' && N < S.In.size())
      Path += S.In[N++].str();
  }
  return Path;
}

std::vector<HeldPath> commonPaths(const Trace &T, ArrayRef<HeldBlock> Blocks) {
  std::map<std::pair<std::string, uint8_t>, SamePaths> Groups;
  for (const HeldBlock &B : Blocks) {
    SmallVector<StringRef, 4> In;
    std::string Outside = splitPath(T.string(B.Name), In);
    SamePaths &S = Groups[{Outside, B.Bits}];
    if (S.Sums.empty()) {
      S.Outside = Outside;
      S.In = In;
      S.Bits = B.Bits;
    }
    ++S.Sums[B.Heap].Blocks;
    S.Sums[B.Heap].Bytes += B.Bytes;
    for (size_t I = 0; I != In.size(); ++I)
      if (S.In[I] != In[I])
        S.In[I] = "*";
  }
  std::vector<HeldPath> Out;
  for (auto &[Key, S] : Groups) {
    HeldPath Most;
    for (const auto &[Heap, Sum] : S.Sums)
      if (Sum.Bytes >= Most.Bytes)
        Most = Sum;
    Most.Path = joinPath(S);
    Most.Bits = S.Bits;
    Out.push_back(std::move(Most));
  }
  stable_sort(Out, [](const HeldPath &A, const HeldPath &B) {
    return A.Bytes > B.Bytes;
  });
  return Out;
}

std::string heldByText(const HeldPath &P) {
  if (P.Bits & HeldByCycle)
    return "only a cycle, " + P.Path + "; gc.collect() frees it";
  if (P.Bits & HeldByNoName)
    return "no Python name, but " + P.Path;
  return P.Path;
}

} // namespace memkit

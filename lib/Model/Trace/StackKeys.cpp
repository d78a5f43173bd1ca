// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys by which stacks of different traces are equal.

#include "memkit/Model/StackKeys.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace memkit {

/// A hash that depends on the order: mix(A, B) is not mix(B, A). The folded
/// product of wyhash.
static uint64_t mix(uint64_t Before, uint64_t Next) {
  unsigned __int128 Product =
      static_cast<unsigned __int128>(Before ^ 0xA0761D6478BD642Fu) *
      (Next ^ 0xE7037ED1A0B428DBu);
  return static_cast<uint64_t>(Product) ^ static_cast<uint64_t>(Product >> 64);
}

static uint64_t functionNameKey(StringRef Function, const KeyRules &Rules) {
  std::string Room, NewRoom, NewerRoom;
  StringRef Name = steadyFunction(Function, Room);
  if (Rules.Renamed)
    Name = steadyFunction(Rules.Renamed->function(Name, NewRoom), NewerRoom);
  return xxh3_64bits(Name);
}

uint64_t functionFrameKey(StringRef Function, StringRef Binary, StringRef File,
                          const KeyRules &Rules) {
  std::string In = steadyFileName(Binary.empty() ? File : Binary, Rules);
  return mix(functionNameKey(Function, Rules), xxh3_64bits(In));
}

/// The keys of the lines shown for each frame, outermost first.
class StackKeyer::FrameKeys {
public:
  FrameKeys(const Trace &T, SameFrame How, const KeyRules &Rules)
      : T(T), Rules(Rules), OfFunction(T.numFunctions() + 1),
        OfBinary(T.binaries().size() + 1) {
    Keys.reserve(T.allShown().size());
    First.reserve(T.numFrames() + 1);
    First.push_back(0);
    // Inlined functions count like others, since inlining differs between
    // builds.
    for (uint32_t F = 1; F <= T.numFrames(); ++F) {
      for (const ShownFrame &Shown : reverse(T.shown(F)))
        Keys.push_back(How == SameFrame::Function ? steadyKey(F, Shown)
                                                  : placeKey(Shown));
      First.push_back(Keys.size());
    }
  }

  ArrayRef<uint64_t> of(uint32_t Frame) const {
    return ArrayRef(Keys).slice(First[Frame - 1],
                                First[Frame] - First[Frame - 1]);
  }

private:
  static uint64_t placeKey(const ShownFrame &F) {
    return mix(mix(xxh3_64bits(F.Function), xxh3_64bits(F.Binary)),
               mix(xxh3_64bits(F.File), F.Line));
  }

  uint64_t steadyKey(uint32_t Id, const ShownFrame &Shown) {
    const Frame &F = T.frame(Id);
    bool HasBinary = F.Kind == FrameKind::Native && F.Container;
    if (HasBinary && isOf(Rules.Nameless, F.Container))
      return binaryKey(F.Container);
    if (!Shown.FunctionId) {
      if (!HasBinary)
        return 1;
      return isOf(Rules.Moved, F.Container)
                 ? binaryKey(F.Container)
                 : mix(binaryKey(F.Container), F.Address);
    }
    if (Shown.FunctionId < Rules.Counterparts.size())
      if (uint64_t Key = Rules.Counterparts[Shown.FunctionId])
        return Key;
    return HasBinary ? mix(functionKey(Shown), binaryKey(F.Container))
                     : mix(functionKey(Shown), fileKey(Shown.File));
  }

  uint64_t functionKey(const ShownFrame &Shown) {
    uint64_t &Key = OfFunction[Shown.FunctionId];
    if (!Key)
      Key = functionNameKey(Shown.Function, Rules);
    return Key;
  }

  uint64_t fileKey(StringRef Path) const {
    return xxh3_64bits(steadyFileName(Path, Rules));
  }

  uint64_t binaryKey(uint32_t Binary) {
    uint64_t &Key = OfBinary[Binary];
    if (!Key)
      Key = fileKey(T.string(T.binaries()[Binary - 1].Path));
    return Key;
  }

  bool isOf(const StringSet<> *Names, uint32_t Binary) const {
    StringRef Path = T.string(T.binaries()[Binary - 1].Path);
    return Names && !Names->empty() &&
           Names->contains(steadyFileName(Path, Rules));
  }

  const Trace &T;
  KeyRules Rules;
  std::vector<uint64_t> OfFunction, OfBinary; ///< 0: not yet known
  std::vector<uint64_t> Keys;
  std::vector<uint32_t> First{}; ///< frame F has Keys[First[F - 1]..First[F])
};

StackKeyer::StackKeyer(const Trace &T, SameFrame How, const KeyRules &Rules)
    : V(T.view()), Folds(How == SameFrame::Function),
      Frames(std::make_unique<FrameKeys>(T, How, Rules)) {}
StackKeyer::~StackKeyer() = default;

/// Whether the Length nodes from A upwards show the same frames as those from
/// B.
bool StackKeyer::isTurn(uint32_t A, uint32_t B, unsigned Length) const {
  for (; Length; --Length, A = V.parent(A), B = V.parent(B)) {
    if (!B)
      return false;
    uint32_t FrameA = V.frameOf(A), FrameB = V.frameOf(B);
    if (FrameA != FrameB && Frames->of(FrameA) != Frames->of(FrameB))
      return false;
  }
  return true;
}

/// Finds a turn of a recursion that ends at N: the node above N such that the
/// frames from there to N repeat the frames above. N if there is none.
uint32_t StackKeyer::beforeTurn(uint32_t N) const {
  const unsigned Longest = 3;
  uint32_t Above = V.parent(N);
  for (unsigned Length = 1; Length <= Longest && Above; ++Length) {
    if (isTurn(N, Above, Length))
      return Above;
    Above = V.parent(Above);
  }
  return N;
}

uint64_t StackKeyer::key(uint32_t N, ArrayRef<uint64_t> Keys) const {
  if (uint32_t Before = Folds ? beforeTurn(N) : N; Before != N)
    return Keys[Before];
  uint32_t Parent = V.parent(N);
  uint64_t Key = Keys[Parent];
  uint64_t Last = Folds && Parent ? Frames->of(V.frameOf(Parent)).back() : 0;
  for (uint64_t Next : Frames->of(V.frameOf(N))) {
    if (Next != Last)
      Key = mix(Key, Next);
    Last = Folds ? Next : 0;
  }
  return Key;
}

std::vector<uint64_t> nodeKeys(const Trace &T, SameFrame How,
                               const KeyRules &Rules) {
  StackKeyer Keyer(T, How, Rules);
  std::vector<uint64_t> Keys(T.view().numNodes() + 1);
  for (uint32_t N = 1; N < Keys.size(); ++N)
    Keys[N] = Keyer.key(N, Keys);
  return Keys;
}

uint64_t heapKey(StringRef Name, const KeyRules &Rules) {
  return xxh3_64bits(Rules.Renamed ? Rules.Renamed->name(Name) : Name);
}

std::string steadyFileName(StringRef Path, const KeyRules &Rules) {
  std::string Room, NewRoom;
  StringRef Name = steadyFile(Path, Room);
  if (Rules.Renamed) {
    StringRef Whole = baseName(Path), New = Rules.Renamed->name(Whole);
    if (New.data() == Whole.data())
      New = Rules.Renamed->name(Name);
    // A rename by the user takes precedence over a detected one.
    if (New.data() != Name.data())
      return steadyFile(New, NewRoom).str();
  }
  return (Rules.Mains ? Rules.Mains->name(Name) : Name).str();
}

StringSet<> movedBinaries(ArrayRef<const Trace *> Traces,
                          ArrayRef<KeyRules> Rules) {
  StringMap<std::vector<uint8_t>> Builds;
  StringSet<> Moved;
  for (size_t I = 0; I != Traces.size(); ++I)
    for (const Binary &M : Traces[I]->binaries()) {
      std::string Name = steadyFileName(Traces[I]->string(M.Path),
                                        Rules.empty() ? KeyRules() : Rules[I]);
      if (M.BuildId.empty() || Name.empty())
        continue;
      if (Builds.try_emplace(Name, M.BuildId).first->second != M.BuildId)
        Moved.insert(Name);
    }
  return Moved;
}

StringSet<> namelessBinaries(ArrayRef<const Trace *> Traces,
                             ArrayRef<KeyRules> Rules) {
  StringMap<unsigned> Kinds; // bits: with symbols in a trace, without in one
  for (size_t I = 0; I != Traces.size(); ++I) {
    const Trace &T = *Traces[I];
    std::vector<uint32_t> Frames(T.binaries().size() + 1), Named = Frames;
    for (uint32_t F = 1; F <= T.numFrames(); ++F)
      if (T.frame(F).Kind == FrameKind::Native) {
        ++Frames[T.frame(F).Container];
        Named[T.frame(F).Container] += T.shown(F).front().FunctionId != 0;
      }
    for (uint32_t B = 1; B < Frames.size(); ++B) {
      // Functions that a stripped binary exports keep their names.
      bool HasSymbols = 2 * Named[B] > Frames[B], HasNone = !Named[B];
      StringRef Path = T.string(T.binaries()[B - 1].Path);
      if (Frames[B])
        Kinds[steadyFileName(Path, Rules[I])] |= HasSymbols + 2 * HasNone;
    }
  }
  StringSet<> Out;
  for (const auto &Kind : Kinds)
    if (Kind.second == 3)
      Out.insert(Kind.first());
  return Out;
}

} // namespace memkit

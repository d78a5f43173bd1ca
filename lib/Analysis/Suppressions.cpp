// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Known leaks that are not reported.

#include "memkit/Analysis/Suppressions.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

bool matchSuppression(StringRef Pattern, StringRef Text) {
  if (Text.empty())
    return false;
  bool AtBegin = Pattern.consume_front("^");
  bool AtEnd = Pattern.consume_back("$");
  SmallVector<StringRef, 4> Pieces;
  Pattern.split(Pieces, '*');
  // Each piece matches at its first occurrence, which leaves the most text for
  // later pieces.
  for (size_t I = 0; I != Pieces.size(); ++I) {
    bool Last = I + 1 == Pieces.size();
    if (Last && AtEnd)
      return (I == 0 && AtBegin) ? Text == Pieces[I]
                                 : Text.ends_with(Pieces[I]);
    if (I == 0 && AtBegin) {
      if (!Text.consume_front(Pieces[I]))
        return false;
      continue;
    }
    size_t At = Text.find(Pieces[I]);
    if (At == StringRef::npos)
      return false;
    Text = Text.drop_front(At + Pieces[I].size());
  }
  return true;
}

Error Suppressions::parse(StringRef Text, StringRef File) {
  unsigned Number = 0;
  for (StringRef Line : split(Text, '\n')) {
    ++Number;
    Line = Line.trim();
    if (Line.empty() || Line.starts_with("#"))
      continue;
    StringRef Pattern = Line;
    if (!Pattern.consume_front("leak:") || Pattern.trim().empty())
      return makeError(File + ":" + Twine(Number) + ": '" + Line +
                       "' is not of the form leak:PATTERN");
    Patterns.push_back(Pattern.trim().str());
  }
  return Error::success();
}

Error Suppressions::parseFile(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer =
      MemoryBuffer::getFileOrSTDIN(Path, /*IsText=*/true);
  if (!Buffer)
    return makeError(Path + ": " + Buffer.getError().message());
  return parse((*Buffer)->getBuffer(), Path);
}

namespace {
/// Finds the first pattern that matches a frame. Patterns bound at both ends
/// are looked up; the built-in list has only such patterns.
class PatternFinder {
public:
  explicit PatternFinder(ArrayRef<std::string> Patterns) : Patterns(Patterns) {
    for (uint32_t P = 0; P != Patterns.size(); ++P) {
      StringRef Text = Patterns[P];
      if (Text.size() > 1 && Text.consume_front("^") &&
          Text.consume_back("$") && !Text.contains('*'))
        Exact.try_emplace(Text, P);
      else
        Others.push_back(P);
    }
  }

  /// The number of the first matching pattern + 1, or 0.
  uint32_t find(ArrayRef<ShownFrame> Frames) const {
    uint32_t Best = UINT32_MAX;
    for (const ShownFrame &F : Frames)
      for (StringRef Text : {F.Function, F.File, F.Binary})
        if (auto At = Exact.find(Text); !Text.empty() && At != Exact.end())
          Best = std::min(Best, At->second);
    for (uint32_t P : Others)
      if (P < Best && any_of(
                          Frames,
                          [&](const ShownFrame &F) {
                            return matchSuppression(Patterns[P], F.Function) ||
                                   matchSuppression(Patterns[P], F.File) ||
                                   matchSuppression(Patterns[P], F.Binary);
                          })) {
        Best = P;
        break;
      }
    return Best + 1;
  }

private:
  ArrayRef<std::string> Patterns;
  StringMap<uint32_t> Exact;    ///< the first pattern with each text
  std::vector<uint32_t> Others; ///< rising
};
} // namespace

std::vector<uint32_t> Suppressions::matchNodes(const Trace &T) const {
  PatternFinder Match(Patterns);
  std::vector<uint32_t> OfFrame(T.numFrames() + 1);
  for (uint32_t F = 1; F <= T.numFrames(); ++F)
    OfFrame[F] = Match.find(T.shown(F));
  std::vector<uint32_t> OfNode(T.numNodes() + 1);
  for (uint32_t N = 1; N <= T.numNodes(); ++N) {
    uint32_t Outer = OfNode[T.parent(N)];
    OfNode[N] = Outer ? Outer : OfFrame[T.frameOf(N)];
  }
  return OfNode;
}

} // namespace memkit

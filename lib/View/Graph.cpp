// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trees in which the page draws profiles.

#include "Graph.h"

using namespace llvm;

namespace memkit {

StringRef ownerWord(CodeOwner O) {
  static constexpr StringLiteral Words[] = {"own", "library", "import",
                                            "group"};
  return Words[static_cast<size_t>(O)];
}

CodeOwner ownerOfPlace(PlaceKind K) {
  switch (K) {
  case PlaceKind::Line:
  case PlaceKind::Function:
    return CodeOwner::User;
  case PlaceKind::Import:
    return CodeOwner::Import;
  case PlaceKind::Library:
    return CodeOwner::Library;
  case PlaceKind::Category:
    return CodeOwner::Other;
  }
  llvm_unreachable("all kinds are handled");
}

SourceTexts::SourceTexts(const Places &Of) {
  for (uint32_t Id = 0; Id != Of.size(); ++Id) {
    const Place &P = Of.place(Id);
    if (P.Kind == PlaceKind::Line && !P.Source.empty())
      Texts[{P.File, P.Line}] = P.Source;
  }
}

uint32_t lineIn(StringRef Text, StringRef File) {
  uint32_t Line = 0;
  if (!Text.consume_front(baseName(File)) || !Text.consume_front(":") ||
      Text.consumeInteger(10, Line))
    return 0;
  return Line;
}

Expected<std::unique_ptr<Graph>>
Graph::create(const SelectedStats &S, const Places &Where, GraphSpec Spec) {
  std::unique_ptr<StackGroups> Groups;
  if (Spec.By == GroupBy::Heap || Spec.By == GroupBy::Library ||
      Spec.By == GroupBy::Category) {
    Expected<StackGroups> Made = StackGroups::create(S.trace(), Spec.By);
    if (!Made)
      return Made.takeError();
    Groups = std::make_unique<StackGroups>(std::move(*Made));
  }
  return std::make_unique<Graph>(S, Where, Spec, std::move(Groups));
}

Graph::Graph(const SelectedStats &S, const Places &Where, GraphSpec Spec,
             std::unique_ptr<StackGroups> Groups)
    : Spec(Spec), T(S.trace()), Groups(std::move(Groups)), Own(S.trace()) {
  shape(S, Where);
  Ranks.emplace(*Tree);
  Names.emplace(*Tree, FlameNames::Distinct::ByPlace);
}

void Graph::shape(const SelectedStats &S, const Places &Where) {
  if (isOfScopes()) {
    Base = groupScopes(T, Spec.By);
  } else if (Groups) {
    S.forEachKey([&](SelectedStats::RowId, uint32_t Heap, uint32_t Stack) {
      if (isOfBlocks())
        Groups->addCategories(Heap, Stack);
      else
        Groups->keyOf(Heap, Stack);
    });
    Base = Groups->view();
  }
  bool IsOfCode = !isOfScopes() && !Groups;
  if (IsOfCode)
    Tree.emplace(T);
  else
    Tree.emplace(T, Base);
  StackShape How;
  How.By = IsOfCode ? Spec.By : GroupBy::Stack;
  How.Invert = Spec.Invert;
  // Python's frames are lines; names of native functions tell more than lines.
  How.NativeLines = false;
  if (How.By == GroupBy::Line && !How.Invert)
    How.ImportOf = [&Where](uint32_t Stack) -> std::optional<StringRef> {
      const Place &P = Where.place(Where.of(Stack));
      return P.Kind == PlaceKind::Import ? std::optional(P.Name) : std::nullopt;
    };
  if (How.isPlain())
    return;
  Shaped = shapeStacks(*Tree, How);
  Tree.emplace(T, Shaped);
}

uint32_t Graph::keyOf(uint32_t Heap, uint32_t Stack, uint32_t ScopePath) {
  uint32_t Key = isOfScopes() ? ScopePath
                 : Groups     ? Groups->keyOf(Heap, Stack)
                              : Stack;
  // A pair of heap and stack that the summary lacks has no node.
  return Key < numKeys() ? Key : 0;
}

uint32_t Graph::keyOf(const LivePart &B) {
  if (!isOfBlocks())
    return keyOf(B.Heap, B.Stack, B.ScopePath);
  uint32_t Key = Groups->keyOf(B.Process, B.Heap, B.Stack, B.AllocationId);
  return Key < numKeys() ? Key : 0;
}

std::vector<FlameNode> Graph::build(const Profile &P, size_t MaxNodes) {
  return FlameBuilder(*Tree, *Ranks, *Names).build(P, MaxNodes);
}

CodeOwner Graph::ownerOf(const FlameNames::FlameName &N) const {
  if (N.Function == "imports" || N.Function.starts_with("import "))
    return CodeOwner::Import;
  if (N.File.empty() || !N.Shown)
    return CodeOwner::Other;
  return Own.isOwn(Tree->allShown()[*N.Shown]) ? CodeOwner::User
                                               : CodeOwner::Library;
}

} // namespace memkit

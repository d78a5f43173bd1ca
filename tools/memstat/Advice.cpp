// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suggestions in words.

#include "Sections.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

StringRef adviceName(Advice A) {
  switch (A) {
  case Advice::ExpandableSegments:
    return "expandable-segments";
  case Advice::PinnedReuse:
    return "pinned-reuse";
  case Advice::Temporaries:
    return "temporaries";
  case Advice::GradientsToNone:
    return "gradients-to-none";
  case Advice::OptimizerState:
    return "optimizer-state";
  case Advice::NeverShrinks:
    return "never-shrinks";
  case Advice::Checkpoint:
    return "checkpoint";
  case Advice::WorkersCopy:
    return "workers-copy";
  }
  llvm_unreachable("all rules have names");
}

std::optional<PageSection> adviceSection(const PageInput &F) {
  if (F.O.Suggestions.empty())
    return std::nullopt;
  PageSection Out;
  Out.Title = "Suggestions";
  Out.Titled = true;
  size_t Shown = F.shown(F.O.Suggestions.size(), 5);
  for (const Suggestion &S : ArrayRef(F.O.Suggestions).take_front(Shown))
    Out.Lines.push_back(adviceText(F, S));
  if (size_t Left = F.O.Suggestions.size() - Shown)
    Out.Lines.push_back(formatCount(Left) + " more; --top=0 shows all");
  return Out;
}

} // namespace memkit

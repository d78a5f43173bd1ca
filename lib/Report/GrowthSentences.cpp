// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sentences about a line that grows.

#include "GrowthSentences.h"
#include "Report/PageInput.h"
#include "Support/FunctionName.h"
#include "memkit/Support/Format.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

void NamedSums::add(const std::string &Name, uint64_t Bytes, uint64_t Blocks) {
  NamedBytes &To = Sums[Name];
  To.Name = Name;
  To.Bytes += Bytes;
  To.Blocks += Blocks;
}

std::vector<NamedBytes> NamedSums::sorted() const {
  std::vector<NamedBytes> Out;
  for (const auto &Entry : Sums)
    Out.push_back(Entry.second);
  llvm::sort(Out, [](const NamedBytes &A, const NamedBytes &B) {
    return std::tie(B.Bytes, A.Name) < std::tie(A.Bytes, B.Name);
  });
  return Out;
}

std::string listText(ArrayRef<NamedBytes> All, size_t Max) {
  std::string Text;
  for (const NamedBytes &N : All.take_front(Max))
    Text += (Text.empty() ? "" : ", ") + N.Name + " " + formatSize(N.Bytes);
  return Text + (All.size() > Max ? ", ..." : "");
}

std::string rateText(const LineGrowth &L) {
  // The rate has the relative error of the bytes.
  double Part = L.Rise ? static_cast<double>(standardError(L.Variance)) /
                             static_cast<double>(L.Rise)
                       : 0;
  return "+" + formatEstimate(wholeBytes(L.Rate), wholeBytes(L.Rate * Part)) +
         (L.HasSteps ? " per step" : " per second");
}

std::string wordText(const LineGrowth &L) {
  if (L.Word == GrowthWord::Leak)
    return "LEAK";
  if (L.Word == GrowthWord::Grows)
    return "grows";
  if (L.FreedNs)
    return "grew to " + formatSize(L.Rise) + ", freed at " +
           formatTime(L.FreedNs);
  return "grew until " + (L.HasSteps ? "step " + std::to_string(L.UntilStep)
                                     : formatTime(L.UntilNs));
}

std::string amountText(const LineGrowth &L) {
  std::string Amount = formatEstimate(L.Rise, standardError(L.Variance)) +
                       " in " + plural(L.RiseBlocks, "block");
  if (L.Word == GrowthWord::Grew)
    return L.FreedNs ? "" : Amount;
  std::string Text = rateText(L);
  if (L.Processes.size() > 1)
    Text += " in " + formatCount(L.Processes.size()) + " processes";
  Text += ", " + Amount + " so far";
  if (L.IdleSinceNs)
    Text += ", idle since " + formatTime(L.IdleSinceNs);
  return Text + (L.FreedAtExit ? ", freed at exit" : "");
}

std::string placeText(const Places &Where, const LineGrowth &L) {
  if (L.Inner.empty())
    return Where.text(L.Where);
  std::string Text = Where.text(L.Inner.front());
  if (size_t More = L.Inner.size() - 1)
    Text += " and " + plural(More, "other line");
  return Text + ", called by " + Where.text(L.Where);
}

std::string innerText(const Places &Where, const LineGrowth &L) {
  if (L.Inner.size() == 1)
    return Where.text(L.Inner.front());
  NamedSums Sums;
  for (auto &&[P, Rise] : zip_equal(L.Inner, L.InnerRises))
    Sums.add(Where.text(P), Rise);
  return listText(Sums.sorted(), 4);
}

std::string sinceText(const GrowthReport &R, const LineGrowth &L) {
  if (L.HasSteps)
    return "steps " + std::to_string(L.SinceStep) + " to " +
           std::to_string(L.LastStep);
  std::string Text = "since " + formatTime(L.SinceNs);
  const Growth *Most = nullptr;
  for (uint32_t Index : L.Findings)
    if (const Growth &G = R.Found[Index];
        G.Rounds && (!Most || G.Rise > Most->Rise))
      Most = &G;
  if (Most && Most->Evidence == GrowthEvidence::Rounds)
    Text += "; other memory comes back to its level in " +
            formatCount(Most->Rounds) + " rounds";
  if (Most && Most->Evidence == GrowthEvidence::Bursts)
    Text += "; in " + plural(Most->Rounds, "burst");
  return Text;
}

/// The function that the user's own code called for the memory, else the heap.
static std::string contentName(const Trace &T, const Places &Where,
                               uint32_t Heap, uint32_t Stack) {
  std::vector<ShownFrame> Way = T.shownStack(Stack);
  // The frame just inside the user's own code.
  const ShownFrame *Inside = nullptr;
  for (const ShownFrame &F : Way) {
    if (Where.ofFrames(F))
      break;
    Inside = &F;
  }
  bool IsMarker = Inside && !Inside->FunctionId;
  if (Inside && !IsMarker && Inside->Function != "malloc")
    return shortFunctionName(Inside->Function);
  return T.heapName(Heap).str();
}

std::string contentsText(const Trace &T, const Places &Where,
                         const GrowthReport &R, const LineGrowth &L) {
  NamedSums Sums;
  for (uint32_t Index : L.Findings) {
    const Growth &G = R.Found[Index];
    G.forEachPart([&](uint32_t Stack, uint64_t Bytes) {
      Sums.add(contentName(T, Where, G.Heap, Stack), Bytes);
    });
  }
  return listText(Sums.sorted(), 4);
}

StringRef hintText(LeakHint H) {
  switch (H) {
  case LeakHint::AutogradGraph:
    return "results keep their autograd graph: keep .item() or .detach(), or "
           "compute under torch.no_grad()";
  case LeakHint::BoundlessCache:
    return "functools.lru_cache(None) and functools.cache have no bound: give "
           "a maxsize";
  case LeakHint::OpenFiles:
    return "files are opened and not closed: use with, or close()";
  case LeakHint::Threads:
    return "threads are neither joined nor detached, so their stacks stay";
  case LeakHint::Container:
    return "one container only grows: bound it, or drop old entries";
  }
  llvm_unreachable("all hints have texts");
}

std::string spanText(const GrowthReport &G) {
  const GrowthRange &S = G.Spans.front();
  std::vector<uint32_t> Processes;
  for (const GrowthRange &Other : G.Spans)
    Processes.push_back(Other.Process);
  sort(Processes);
  Processes.erase(llvm::unique(Processes), Processes.end());
  if (Processes.size() > 1)
    return formatCount(Processes.size()) + " processes";
  if (S.HasSteps)
    return "steps " + std::to_string(S.FirstStep) + " to " +
           std::to_string(S.LastStep);
  std::string Text = formatTime(S.BeginNs) + " to " + formatTime(S.EndNs);
  if (S.TooFewSteps)
    Text += ", by time: " + plural(S.TooFewSteps, "step") +
            (S.TooFewSteps == 1 ? " is" : " are") + " too few, " +
            std::to_string(MinGrowthSteps) + " are needed";
  return Text;
}

} // namespace memkit

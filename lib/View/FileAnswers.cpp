// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answers in a page that is a file.

#include "TraceView.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

namespace {
/// Collects answers while there is room.
class AnswerSet {
public:
  AnswerSet(TraceView &V, uint64_t MaxBytes) : V(V), MaxBytes(MaxBytes) {}

  /// Adds the answer to a request; false: no room is left. An answer that this
  /// trace does not have is left out.
  Expected<bool> add(const std::string &Request) {
    auto [Name, Query] = StringRef(Request).split('?');
    Expected<std::string> Text = V.answer(Name, Query);
    if (!Text) {
      consumeError(Text.takeError());
      return true;
    }
    return addText(Request, *Text);
  }
  bool addText(StringRef Request, StringRef Answer) {
    if (Text.size() + Request.size() + Answer.size() > MaxBytes &&
        !Text.empty())
      return false;
    Text += (Text.empty() ? "\"" : ",\n\"") + Request.str() + "\":";
    Text += Answer;
    return true;
  }
  uint64_t left() const { return MaxBytes - std::min(MaxBytes, bytes()); }
  uint64_t bytes() const { return Text.size(); }
  std::string take() { return "{" + std::move(Text) + "}"; }

private:
  TraceView &V;
  uint64_t MaxBytes;
  std::string Text;
};
} // namespace

/// `space=1&`; nothing for the host, which is the default.
static std::string spaceParameter(uint32_t Space) {
  return Space ? "space=" + std::to_string(Space) : "";
}

/// Name, and the parameters that are not empty.
static std::string requestText(StringRef Name,
                               ArrayRef<std::string> Parameters) {
  std::string Text = Name.str();
  char Before = '?';
  for (const std::string &P : Parameters) {
    if (P.empty())
      continue;
    Text += Before + P;
    Before = '&';
  }
  return Text;
}

Expected<std::string> TraceView::fileAnswers(uint64_t MaxBytes) {
  constexpr uint64_t MaxMoments = 24, FirstNodes = 4000;
  waitForWork();
  AnswerSet Out(*this, MaxBytes);
  std::vector<uint32_t> Spaces;
  for (const SpaceReport &S : Run.Spaces)
    if (S.Stats.PeakBytes)
      Spaces.push_back(S.Id);
  std::string Nodes = "nodes=" + std::to_string(FirstNodes);
  std::vector<std::string> Wanted;
  for (uint32_t Space : Spaces) {
    std::string Of = spaceParameter(Space);
    Wanted.push_back(requestText("profile", {Of, Nodes}));
    Wanted.push_back(requestText("table", {Of}));
    for (StringRef By : {"heap", "", "line", "library"})
      Wanted.push_back(requestText(
          "curves", {Of, By.empty() ? std::string() : "by=" + By.str()}));
  }
  Wanted.push_back("growth");
  for (uint32_t Space : Spaces) {
    Wanted.push_back(requestText("layers", {spaceParameter(Space)}));
    if (Space)
      Wanted.push_back("map?device=" + std::to_string(Space));
  }
  for (uint32_t Space : Spaces)
    for (StringRef What : {"retained", "allocated", "count", "temporary"})
      for (StringRef Name : {"profile", "table"})
        Wanted.push_back(
            requestText(Name, {spaceParameter(Space), "what=" + What.str(),
                               Name == "profile" ? "nodes=1000" : "rows=50"}));
  for (const std::string &Request : Wanted) {
    Expected<bool> Added = Out.add(Request);
    if (!Added)
      return Added.takeError();
  }
  // Moments at equal distances; each has its part of what is left.
  uint64_t Left = Out.left(), Each = Left / (MaxMoments * 2);
  constexpr uint64_t BytesOfNode = 60;
  uint64_t NodesOfMoment =
      std::clamp<uint64_t>(Each / BytesOfNode, 100, FirstNodes);
  std::vector<uint64_t> Moments;
  bool HasRoom = endNs() != 0;
  for (uint64_t I = 1; I <= MaxMoments && HasRoom; ++I) {
    uint64_t Ns = endNs() / MaxMoments * I;
    for (uint32_t Space : Spaces)
      for (StringRef Name : {"profile", "table"}) {
        Expected<bool> Added = Out.add(requestText(
            Name, {spaceParameter(Space), "at=" + std::to_string(Ns),
                   Name == "profile" ? "nodes=" + std::to_string(NodesOfMoment)
                                     : std::string("rows=50")}));
        if (!Added)
          return Added.takeError();
        HasRoom &= *Added;
      }
    if (HasRoom)
      Moments.push_back(Ns);
  }
  Expected<std::string> Start = start(Moments);
  if (!Start)
    return Start.takeError();
  std::string Text = "{\"start\":" + *Start;
  std::string Others = Out.take();
  return Text + (Others.size() > 2 ? "," : "") + Others.substr(1);
}

} // namespace memkit

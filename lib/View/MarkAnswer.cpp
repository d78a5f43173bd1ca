// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The marks that the timeline shows.

#include "Support/CommandText.h"
#include "Support/Json.h"
#include "TraceView.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

/// More marks would cover the timeline; the first ones stay.
static constexpr size_t MaxMarks = 2000;

static StringRef shownKind(MarkKind K) {
  switch (K) {
  case MarkKind::User:
    return "user";
  case MarkKind::RangeBegin:
    return "range";
  case MarkKind::Oom:
    return "oom";
  case MarkKind::Alert:
    return "alert";
  case MarkKind::Loss:
    return "loss";
  case MarkKind::RecordOn:
    return "record-on";
  case MarkKind::RecordOff:
    return "record-off";
  default:
    return "";
  }
}

/// The text of a mark that has no name.
static std::string shownText(const Trace &T, const Mark &M) {
  std::string Name = oneLine(T.string(M.Name));
  switch (M.Kind) {
  case MarkKind::Oom:
    return "out of memory" +
           (M.Values.empty() ? std::string()
                             : ": " + formatSize(M.Values[0]) + " requested");
  case MarkKind::Loss:
    return M.Values.empty() ? "events lost"
                            : formatCount(M.Values[0]) + " events lost";
  case MarkKind::RecordOn:
    return "recording starts";
  case MarkKind::RecordOff:
    return "recording stops";
  default:
    return Name;
  }
}

Error TraceView::readMarks() {
  if (MarksRead)
    return Error::success();
  DenseMap<std::pair<uint32_t, uint64_t>, size_t> Open; // ranges
  Error E = trace().forEachMark([&](const Mark &M) {
    if (M.Kind == MarkKind::RangeEnd) {
      if (auto At = Open.find({M.Process, M.Id}); At != Open.end())
        Shown[At->second].EndNs = std::max(M.TimeNs, Shown[At->second].TimeNs);
      return;
    }
    StringRef Kind = shownKind(M.Kind);
    // What was left out on request is no loss.
    bool IsWanted = M.Kind != MarkKind::Loss || losesEvents(lossKindOf(M.Id));
    if (Kind.empty() || !IsWanted || Shown.size() == MaxMarks)
      return;
    if (M.Kind == MarkKind::RangeBegin)
      Open[{M.Process, M.Id}] = Shown.size();
    Shown.push_back({M.TimeNs, M.TimeNs, Kind, shownText(trace(), M)});
  });
  if (E)
    return E;
  llvm::stable_sort(Shown, [](const ShownMark &A, const ShownMark &B) {
    return A.TimeNs < B.TimeNs;
  });
  MarksRead = true;
  return Error::success();
}

void TraceView::writeMarks(json::OStream &J) const {
  auto Column = [&](StringRef Key, auto Value) {
    J.attributeArray(Key, [&] {
      for (const ShownMark &M : Shown)
        J.value(Value(M));
    });
  };
  J.attributeObject("marks", [&] {
    Column("time_ns", [](const ShownMark &M) { return M.TimeNs; });
    Column("end_ns", [](const ShownMark &M) { return M.EndNs; });
    Column("kind", [](const ShownMark &M) { return M.Kind; });
    Column("text", [](const ShownMark &M) { return jsonText(M.Text); });
  });
}

} // namespace memkit

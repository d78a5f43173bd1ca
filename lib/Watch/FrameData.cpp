// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the table of a frame, and writes frames as JSON.

#include "Support/Json.h"
#include "Support/Rounding.h"
#include "WatchFrame.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace memkit;

Error memkit::fillFrame(WatchFrame &F, RowTree &Tree, const WatchState &S) {
  F.Rows.clear();
  F.Note.clear();
  WatchedTrace &W = *F.W;
  if (W.heaps().empty()) {
    F.Note = F.Run.IsLive ? "nothing has been recorded yet"
                          : "the trace has no memory";
    return Error::success();
  }
  const WatchedHeap &Of = W.heaps()[heapIndex(S, W.heaps())];
  if (S.Page == WatchPage::Names)
    return readNames(W, Of, Tree.lines(), S.Tree.Filter).moveInto(F.Names);
  if (isOfNow(S.Tree.By) && F.AtNs < W.endNs()) {
    F.Note = ("live bytes by " + groupWord(S.Tree.By) +
              " are known of the end of the trace alone")
                 .str();
    return Error::success();
  }
  Expected<WatchedRows> Rows =
      S.Tree.By == GroupBy::Thread ? W.threadsAtEnd(Of)
      : isOfNow(S.Tree.By)         ? W.scopesAtEnd(Of)
                           : W.rowsAt(Of, {F.AtNs, S.WindowNs, S.MarkNs});
  // A recording without events knows no threads of blocks.
  if (!Rows && S.Tree.By == GroupBy::Thread) {
    F.Note = toString(Rows.takeError());
    return Error::success();
  }
  if (!Rows)
    return Rows.takeError();
  F.WindowNs = Rows->WindowNs;
  F.HasSteps = Rows->HasSteps;
  F.HasAges = Rows->HasAges;
  F.Rows = Tree.rows(*Rows, S.Tree);
  if (F.Rows.empty())
    F.Note = S.Tree.Filter.empty() ? "nothing is live"
                                   : "nothing matches \"" + S.Tree.Filter +
                                         "\": Escape shows all";
  return Error::success();
}

static void writeGrowth(json::OStream &J, const WatchedGrowth &G) {
  const LineGrowth &L = G.Line;
  J.object([&] {
    J.attribute("name", jsonText(G.Name));
    J.attribute("verdict", growthWordName(L.Word));
    J.attribute("growth_bytes", L.Rise);
    J.attribute("bytes_per_step", jsonIfKnown(L.HasSteps, L.Rate));
    J.attribute("bytes_per_second", jsonIfKnown(!L.HasSteps, L.Rate));
  });
}

static void writeRow(json::OStream &J, const WatchFrame &F, const TreeRow &R,
                     const WatchState &S) {
  J.object([&] {
    J.attribute("name", jsonText(R.Name));
    J.attribute("depth", R.Depth);
    J.attribute("live_bytes", nearestSigned(R.V.Live));
    J.attribute("peak_bytes", nearestSigned(R.V.Peak));
    J.attribute("growth_bytes", nearestSigned(R.V.Growth));
    J.attribute(
        "growth_since_mark_bytes",
        jsonIfKnown(S.MarkNs.has_value(), nearestSigned(R.V.SinceMark)));
    J.attribute("growth_bytes_per_step",
                jsonIfKnown(F.HasSteps, nearestSigned(R.V.PerStep)));
    J.attribute("allocations_per_s", nearestSigned(R.V.Allocations));
    J.attribute("temporaries_per_s", nearestSigned(R.V.Temporaries));
    J.attribute(
        "age_s",
        jsonIfKnown(R.V.AgedBytes > 0,
                    R.V.AgedBytes > 0 ? R.V.ByteAges / R.V.AgedBytes : 0.0));
  });
}

std::string memkit::frameJson(const WatchFrame &F, const WatchState &S,
                              size_t MaxRows) {
  const WatchedTrace &W = *F.W;
  std::string Out;
  raw_string_ostream OS(Out);
  json::OStream J(OS);
  J.object([&] {
    J.attribute("source", jsonText(F.Run.Source));
    J.attribute("program", jsonText(F.Run.Program));
    J.attribute("pid", jsonIfKnown(F.Run.Pid != 0, F.Run.Pid));
    J.attribute("rank", jsonIfKnown(F.Run.Rank >= 0, F.Run.Rank));
    J.attribute("status", F.Run.Status);
    J.attribute("now_ns", F.NowNs);
    J.attribute("at_ns", F.AtNs);
    J.attribute("resident_bytes", jsonOrNull(W.residentAt(F.AtNs)));
    J.attribute("swapped_bytes", jsonOrNull(W.swappedAt(F.AtNs)));
    J.attribute("own_bytes", jsonOrNull(W.ownAt(F.AtNs)));
    J.attribute("limit_bytes", jsonOrNull(F.Run.LimitBytes));
    J.attribute("allocations_per_s",
                nearestSigned(W.allocationsPerSecond(F.AtNs, S.WindowNs)));
    J.attribute("lost", W.run().Lost);
    J.attribute("recorder_share", jsonOrNull(F.Run.RecorderShare));
    J.attributeArray("heaps", [&] {
      for (const WatchedHeap &H : W.heaps())
        J.object([&] {
          const SeriesPoint *At = pointAt<SeriesPoint>(H.Curve, F.AtNs);
          J.attribute("name", jsonText(H.Name));
          J.attribute("is_space", H.IsSpace);
          J.attribute("live_bytes", At ? At->Value : 0);
          J.attribute("peak_bytes", H.PeakBytes);
          J.attribute("peak_ns", H.PeakNs);
        });
    });
    J.attributeArray("devices", [&] {
      for (size_t Id = 1; Id < W.measured().Devices.size(); ++Id) {
        const UsedPoint *P =
            pointAt<UsedPoint>(W.measured().Devices[Id], F.AtNs);
        if (!P)
          continue;
        J.object([&] {
          J.attribute("name", jsonText(W.trace().spaceName(uint32_t(Id))));
          J.attribute("used_bytes", P->Used);
          J.attribute("total_bytes", jsonIfKnown(P->Total != 0, P->Total));
          J.attribute("accounted_bytes", jsonOrNull(P->Accounted));
          J.attribute("machine_available_bytes", jsonOrNull(P->Available));
        });
      }
    });
    J.attribute("growth_ns", jsonIfKnown(F.Run.GrowthNs != 0, F.Run.GrowthNs));
    J.attributeArray("growing", [&] {
      for (const WatchedGrowth &G : ArrayRef(F.Run.Growing).take_front(MaxRows))
        writeGrowth(J, G);
    });
    J.attribute("shown",
                W.heaps().empty()
                    ? json::Value(nullptr)
                    : jsonText(W.heaps()[heapIndex(S, W.heaps())].Name));
    J.attribute("group_by", groupWord(S.Tree.By));
    J.attribute("window_ns", F.WindowNs);
    J.attribute("note",
                F.Note.empty() ? json::Value(nullptr) : jsonText(F.Note));
    J.attributeArray("rows", [&] {
      for (size_t I = 0; I != std::min(MaxRows, F.Rows.size()); ++I)
        writeRow(J, F, F.Rows[I], S);
    });
  });
  return Out + "\n";
}

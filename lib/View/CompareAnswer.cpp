// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A comparison as JSON.

#include "Analysis/Series/StepPeaks.h"
#include "CompareView.h"
#include "DiffTree.h"
#include "Report/DiffSentences.h"
#include "Support/CommandText.h"
#include "Support/Json.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using json::OStream;

namespace {
/// Points of a curve; x is a step or ns.
struct DrawnCurve {
  std::vector<uint64_t> X, Bytes;
};
} // namespace

static void writeArray(OStream &J, StringRef Key, ArrayRef<uint64_t> Values) {
  J.attributeArray(Key, [&] {
    for (uint64_t V : Values)
      J.value(V);
  });
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// `Grows faster: train.py:45 f ...`: the words before the first colon are the
/// label.
static void writeFact(OStream &J, StringRef Line) {
  auto [Label, Text] = Line.split(": ");
  J.object([&] {
    J.attribute("label", jsonText(Label));
    J.attribute("text", jsonText(Text));
    J.attribute("alarm", needsLook(Line));
    J.attribute("view", "");
  });
}

void CompareView::writeWords(OStream &J, const DiffView &V) const {
  std::vector<std::string> Details = detailLines(V);
  J.attribute("a", jsonText(nameOf(false)));
  J.attribute("b", jsonText(nameOf(true)));
  J.attribute("verdict", jsonText(verdictLine(V)));
  J.attribute("alarm", any_of(Details, needsLook));
  J.attributeArray("doubts", [&] {
    for (size_t R = 0; R != Runs.size(); ++R)
      for (const std::string &Line : Runs.trace(R).warnings())
        J.value(jsonText(Line));
    for (const std::string &Line : lossLines(V))
      J.value(jsonText(Line));
    for (const std::string &Line : doubtLines(Runs))
      J.value(jsonText(Line));
  });
  std::string Note;
  if (!Runs.isPair())
    Note = "means of " + std::to_string(Runs.numBefore()) + " and " +
           std::to_string(Runs.size() - Runs.numBefore()) + " runs";
  J.attribute("means", Note);
  J.attributeObject("totals", [&] {
    std::vector<TotalRow> Rows = totalRows(V);
    auto Column = [&](StringRef Key, std::string TotalRow::*Field) {
      J.attributeArray(Key, [&] {
        for (const TotalRow &R : Rows)
          J.value(jsonText(R.*Field));
      });
    };
    Column("name", &TotalRow::Name);
    Column("before", &TotalRow::Before);
    Column("after", &TotalRow::After);
    Column("change", &TotalRow::Change);
    Column("share", &TotalRow::Share);
  });
  J.attributeArray("facts", [&] {
    for (const std::string &Line : Details)
      writeFact(J, Line);
  });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void CompareView::writeRows(OStream &J, const DiffView &V,
                            const SpaceChange &S) const {
  constexpr size_t MaxRows = 500;
  PlaceRows Rows = placeRows(V, S);
  if (Rows.Shown.size() > MaxRows) {
    append_range(Rows.Others, ArrayRef(Rows.Shown).drop_front(MaxRows));
    Rows.Shown.resize(MaxRows);
  }
  const DiffPlaces &P = V.Report.Places;
  auto Column = [&](StringRef Key, auto Value) {
    J.attributeArray(Key, [&] {
      for (const PlaceChange *C : Rows.Shown)
        J.value(Value(*C));
    });
  };
  J.attribute("rows_are", placesTitle(V));
  J.attributeObject("rows", [&] {
    Column("text", [&](const PlaceChange &C) { return jsonText(P.text(C)); });
    Column("remark", [&](const PlaceChange &C) {
      return jsonText(remarkOf(V, C, V.By));
    });
    Column("source", [&](const PlaceChange &C) {
      return jsonText(oneLine(P.place(C).Source));
    });
    Column("a", [&](const PlaceChange &C) { return C.before(V.By); });
    Column("b", [&](const PlaceChange &C) { return C.after(V.By); });
  });
  RestOfRows Rest = restOf(V, Rows);
  J.attributeObject("left_out", [&] {
    J.attribute("rows", Rest.Places);
    J.attribute("change", Rest.Changes.front());
  });
  J.attributeArray("moved", [&] {
    for (const std::string &Line : placeMoveLines(V, Rows))
      J.value(jsonText(Line));
  });
}

//===----------------------------------------------------------------------===//
// Curves
//===----------------------------------------------------------------------===//

/// The mean peaks of the steps that all runs of a group have, of the first
/// process with steps.
static DrawnCurve stepCurve(const DiffRuns &Runs, bool IsAfter,
                            StringRef Space) {
  std::map<uint64_t, std::pair<uint64_t, size_t>> Sums; // step, sum, runs
  size_t Count = 0;
  for (size_t R = 0; R != Runs.size(); ++R) {
    if (Runs.isAfter(R) != IsAfter)
      continue;
    ++Count;
    for (auto [Key, Bytes] : stepPeaks(Runs.run(R), Space))
      if (Key.first == 0) {
        Sums[Key.second].first += Bytes;
        ++Sums[Key.second].second;
      }
  }
  DrawnCurve Out;
  for (const auto &[Step, Of] : Sums)
    if (Of.second == Count) {
      Out.X.push_back(Step);
      Out.Bytes.push_back(Of.first / Count);
    }
  return Out;
}

/// The mean curve of a group over time; runs of a group are as long as their
/// mean.
static DrawnCurve timeCurve(const DiffRuns &Runs, ArrayRef<HeapCurves> Curves,
                            bool IsAfter, StringRef Space) {
  std::vector<uint64_t> Sums;
  uint64_t EndNs = 0, Count = 0;
  for (size_t R = 0; R != Runs.size(); ++R) {
    if (Runs.isAfter(R) != IsAfter)
      continue;
    const Trace &T = Runs.trace(R);
    ++Count;
    EndNs += T.endNs();
    for (uint32_t Id = 0; Id < Curves[R].Spaces.size(); ++Id) {
      ArrayRef<uint64_t> Of = Curves[R].Spaces[Id];
      if (T.spaceName(Id) != Space || Of.empty())
        continue;
      Sums.resize(Of.size());
      for (size_t I = 0; I != Of.size(); ++I)
        Sums[I] += Of[I];
    }
  }
  DrawnCurve Out;
  for (size_t I = 0; I != Sums.size(); ++I) {
    double Middle = (double(I) + 0.5) / double(Sums.size());
    Out.X.push_back(uint64_t(double(EndNs / Count) * Middle));
    Out.Bytes.push_back(Sums[I] / Count);
  }
  return Out;
}

/// By step if both groups have steps, and by time.
void CompareView::writeCurves(OStream &J, StringRef Space) const {
  auto Write = [&](StringRef X, const DrawnCurve &A, const DrawnCurve &B) {
    J.object([&] {
      J.attribute("x", X);
      for (auto [Key, Of] : {std::pair("a", &A), std::pair("b", &B)})
        J.attributeObject(Key, [&, Of = Of] {
          writeArray(J, "x", Of->X);
          writeArray(J, "bytes", Of->Bytes);
        });
    });
  };
  J.attributeArray("curves", [&] {
    DrawnCurve A = stepCurve(Runs, false, Space);
    DrawnCurve B = stepCurve(Runs, true, Space);
    // A single step is no curve.
    if (A.X.size() > 1 && B.X.size() > 1)
      Write("step", A, B);
    Write("ns", timeCurve(Runs, Curves, false, Space),
          timeCurve(Runs, Curves, true, Space));
  });
}

//===----------------------------------------------------------------------===//
// Tree
//===----------------------------------------------------------------------===//

void CompareView::writeTree(OStream &J, const Compared &C, Metric M,
                            StringRef Space) const {
  constexpr size_t MaxNodes = 10'000;
  DiffTree T = makeDiffTree(Runs, C.Report.Places.Where, M, Space, MaxNodes);
  // The names of the nodes that are left, numbered anew.
  std::vector<uint32_t> Numbers(T.Names.size(), UINT32_MAX), Used;
  for (const DiffNode &N : T.Nodes)
    if (Numbers[N.Name] == UINT32_MAX) {
      Numbers[N.Name] = Used.size();
      Used.push_back(N.Name);
    }
  auto Names = [&](StringRef Key, auto Value) {
    J.attributeArray(Key, [&] {
      for (uint32_t Name : Used)
        J.value(Value(T.Names[Name]));
    });
  };
  auto Nodes = [&](StringRef Key, auto Value) {
    J.attributeArray(Key, [&] {
      for (const DiffNode &N : T.Nodes)
        J.value(Value(N));
    });
  };
  J.attributeObject("names", [&] {
    Names("text", [](const DiffName &N) { return jsonText(N.Text); });
    Names("file", [](const DiffName &N) { return jsonText(N.File); });
    Names("line", [](const DiffName &N) { return N.Line; });
    Names("source", [](const DiffName &N) { return jsonText(N.Source); });
    Names("kind", [](const DiffName &N) { return unsigned(N.Owner); });
  });
  J.attributeObject("nodes", [&] {
    Nodes("name", [&](const DiffNode &N) { return Numbers[N.Name]; });
    Nodes("depth", [](const DiffNode &N) { return N.Depth; });
    Nodes("a", [](const DiffNode &N) { return N.Before; });
    Nodes("b", [](const DiffNode &N) { return N.After; });
  });
}

std::string CompareView::make(Metric M, const Compared &C, size_t Space) {
  DiffView V = viewOf(C);
  const SpaceChange &S = C.Report.Spaces[Space];
  std::string Text;
  raw_string_ostream OS(Text);
  OStream J(OS);
  J.object([&] {
    J.attribute("what", M == Metric::Live ? "live" : "peak");
    J.attribute("space", Space);
    J.attributeArray("spaces", [&] {
      for (const SpaceChange &Of : C.Report.Spaces)
        J.value(jsonText(Of.Name));
    });
    writeWords(J, V);
    writeRows(J, V, S);
    writeCurves(J, S.Name);
    writeTree(J, C, M, S.Name);
    J.attribute("command", jsonText(Command(M)));
  });
  return Text;
}

} // namespace memkit

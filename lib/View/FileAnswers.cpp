// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answers of a trace in a page that is a file.
//
// Answers are added in the order of their use for a reader: the peak, curves
// and growth; other groupings, maps, layers and sums of the run; moments. An
// answer that does not fit is left out, and `start` says so.

#include "FileAnswers.h"
#include "FileData.h"
#include "FileStart.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

namespace {

/// A question of the page.
struct PageQuestion {
  StringRef Name;
  uint64_t Space = 0;
  std::string Parameters = {}; ///< without the space
  std::string Limit = {};      ///< not a part of the page's request

  /// As the page asks.
  std::string request() const { return joined(""); }
  std::string query() const { return joined(Limit); }

private:
  std::string joined(const std::string &Last) const {
    std::string Text = Name.str();
    std::string First = Space ? "space=" + std::to_string(Space) : "";
    char Before = '?';
    for (const std::string &Part : {First, Parameters, Last})
      if (!Part.empty()) {
        Text += Before + Part;
        Before = '&';
      }
    return Text;
  }
};

class FileWriter {
public:
  FileWriter(TraceView &V, uint64_t MaxBytes, CompareAnswers Compare)
      : V(V), Compare(std::move(Compare)), Data(MaxBytes), MaxBytes(MaxBytes) {}
  Expected<std::string> run();

private:
  std::vector<HeldAnswer> ask(ArrayRef<PageQuestion> Of);
  void add(std::vector<PageQuestion> Of, const Twine &What);
  void addLast();
  std::vector<PageQuestion> graphs(const std::string &Key, uint64_t Nodes,
                                   ArrayRef<std::string> Groups) const;
  Error addPeak();
  void addCurves(ArrayRef<std::string> By);
  void addGroups();
  void addViews();
  void addSources();
  void addSums();
  void addMoments();
  uint64_t measure(ArrayRef<PageQuestion> Of);
  size_t countMoments();
  std::vector<uint64_t> timesOf(size_t Count);
  bool addMoment(uint64_t Ns);
  void addMaps();

  TraceView &V;
  CompareAnswers Compare; ///< null: of one trace
  FileData Data;
  uint64_t MaxBytes;
  FileStart Start;
  /// The groupings of the graphs of moments, the usual one first.
  std::vector<std::string> MomentGroups;
  std::vector<std::string> UsualTables; ///< of the peak
  struct LargePart {
    std::vector<PageQuestion> Of;
    std::string What;
  };
  std::vector<LargePart> Waiting; ///< to be added after the moments
  bool KeepsRoom = true;          ///< for the moments
};

} // namespace

static constexpr uint64_t UsualNodes = 20'000, SmallNodes = 80;
static constexpr uint64_t UsualRows = 200;

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

std::vector<HeldAnswer> FileWriter::ask(ArrayRef<PageQuestion> Of) {
  std::vector<HeldAnswer> Answers;
  for (const PageQuestion &Q : Of) {
    std::string Query = Q.query();
    auto [Name, Parameters] = StringRef(Query).split('?');
    Question Asked(Name, Parameters);
    bool Compares = Compare && Name == "compare";
    Expected<std::string> Text = Compares ? Compare(Asked) : V.answer(Asked);
    if (!Text)
      consumeError(Text.takeError()); // the trace lacks the answer
    else if (!V.isWaiting())
      Answers.push_back({Q.request(), std::move(*Text)});
  }
  return Answers;
}

/// Adds the answers that the trace has. Parts that would take the room of the
/// moments come after them.
void FileWriter::add(std::vector<PageQuestion> Of, const Twine &What) {
  std::vector<HeldAnswer> Answers = ask(Of);
  // Tables may be the same by each grouping.
  erase_if(Answers, [&](const HeldAnswer &A) {
    return StringRef(A.Request).contains("by=") &&
           is_contained(UsualTables, A.Json);
  });
  if (Answers.empty()) {
    if (V.numEvents() > MaxReplayedEvents)
      Start.TooLong.push_back(What.str());
    return;
  }
  if (KeepsRoom && Data.left() < MaxBytes / 2 + Data.sizeOf(Answers)) {
    Data.dropNames();
    Waiting.push_back({std::move(Of), What.str()});
  } else if (!Data.add(Answers)) {
    Start.NoRoom.push_back(What.str());
  }
}

/// Adds the parts that waited.
void FileWriter::addLast() {
  KeepsRoom = false;
  for (LargePart &Part : std::exchange(Waiting, {}))
    add(std::move(Part.Of), Part.What);
}

static std::string parameters(const std::string &First,
                              const std::string &Last) {
  return First + (First.empty() || Last.empty() ? "" : "&") + Last;
}

static PageQuestion tableOf(uint64_t Space, const std::string &Key,
                            uint64_t Rows) {
  return {"table", Space, Key,
          "rows=" + std::to_string(std::min(UsualRows, Rows))};
}

/// The graphs by some groupings, and a table, of each memory space. Key: which
/// values.
std::vector<PageQuestion>
FileWriter::graphs(const std::string &Key, uint64_t Nodes,
                   ArrayRef<std::string> Groups) const {
  std::vector<PageQuestion> Of;
  for (uint64_t Space : Start.Spaces) {
    for (const std::string &By : Groups)
      Of.push_back({"profile", Space, parameters(Key, Start.byText(By)),
                    "nodes=" + std::to_string(Nodes)});
    Of.push_back(tableOf(Space, Key, Nodes));
  }
  return Of;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// What holds the peak: graphs that fill up to a quarter of the file, but at
/// least small ones.
Error FileWriter::addPeak() {
  uint64_t Needed = 0;
  for (uint64_t Nodes = UsualNodes; Nodes >= SmallNodes; Nodes /= 4) {
    std::vector<HeldAnswer> Answers =
        ask(graphs("", Nodes, Start.Groups.front()));
    Needed = Data.sizeOf(Answers);
    bool IsLast = Nodes / 4 < SmallNodes;
    Start.PeakNodes = Nodes;
    if (Needed <= Data.left() / (IsLast ? 1 : 4) && Data.add(Answers)) {
      for (HeldAnswer &A : Answers)
        if (StringRef(A.Request).starts_with("table"))
          UsualTables.push_back(std::move(A.Json));
      return Error::success();
    }
    Data.dropNames();
  }
  return makeRequestError(formatCount(MaxBytes) +
                          " bytes are too few for a page of this trace, which "
                          "needs at least " +
                          formatCount(Data.used() + Needed));
}

void FileWriter::addCurves(ArrayRef<std::string> By) {
  for (const std::string &Of : By) {
    std::vector<PageQuestion> All;
    for (uint64_t Space : Start.Spaces)
      All.push_back({"curves", Space, Of.empty() ? Of : "by=" + Of});
    add(std::move(All), Of.empty() ? "curves" : "curves by " + Of);
  }
}

/// The peak by the other groupings.
void FileWriter::addGroups() {
  for (const std::string &By : ArrayRef(Start.Groups).drop_front()) {
    std::vector<PageQuestion> Of;
    for (uint64_t Space : Start.Spaces) {
      Of.push_back({"profile", Space, "by=" + By,
                    "nodes=" + std::to_string(Start.PeakNodes)});
      Of.push_back(tableOf(Space, "by=" + By, Start.PeakNodes));
    }
    add(std::move(Of), "flame graphs by " + By);
  }
}

/// Views with a question of their own.
void FileWriter::addViews() {
  for (uint64_t Device : Start.Devices)
    add({{"map", 0, "device=" + std::to_string(Device)}}, "the device map");
  for (const std::string &View : Start.Views) {
    if (View == "layers")
      for (uint64_t Space : Start.Spaces)
        add({{"layers", Space}}, "layers");
    else if (View == "growth" || View == "operators" || View == "programs")
      add({{View}}, View);
    else if (View == "compare")
      for (StringRef What : {"", "what=live"})
        add({{View, 0, What.str()}}, View);
  }
}

/// The source of the largest places of the peak.
void FileWriter::addSources() {
  constexpr size_t MostFiles = 10;
  std::vector<std::string> Files;
  for (const std::string &Table : UsualTables)
    for (const std::string &File : textsOf(Table, "rows", "file"))
      // A request stands in the file as it is: it has no text that looks like
      // markup.
      if (!File.empty() && !is_contained(Files, File) &&
          StringRef(File).find_first_of("<>&\"'") == StringRef::npos &&
          Files.size() != MostFiles)
        Files.push_back(File);
  for (const std::string &File : Files)
    add({{"source", 0, "file=" + encoded(File)}}, "source");
}

/// Sums of the whole run.
void FileWriter::addSums() {
  for (StringRef What : {"allocated", "count", "temporary", "retained"})
    add(graphs(("what=" + What).str(), Start.PeakNodes / 4,
               Start.Groups.front()),
        "sums of the run");
}

//===----------------------------------------------------------------------===//
// Moments
//===----------------------------------------------------------------------===//

/// The bytes of graphs of the peak: most moments have less than the peak.
uint64_t FileWriter::measure(ArrayRef<PageQuestion> Of) {
  std::vector<HeldAnswer> Answers = ask(Of);
  uint64_t Bytes = Data.sizeOf(Answers);
  Data.dropNames();
  return Bytes;
}

/// How many moments there is room for, and with which groupings.
size_t FileWriter::countMoments() {
  constexpr size_t FewMoments = 40;
  constexpr uint64_t MostNodes = 2000, FewNodes = 100;
  double Left = 0.9 * double(Data.left());
  size_t Count = 0;
  for (Start.MomentNodes = MostNodes;; Start.MomentNodes /= 2) {
    uint64_t Each =
        measure(graphs("", Start.MomentNodes, Start.Groups.front()));
    Count = std::min<size_t>(MaxFileMoments, size_t(Left / double(Each)));
    Left -= double(Count * Each);
    if (Count >= FewMoments || Start.MomentNodes / 2 < FewNodes)
      break;
    Left += double(Count * Each);
  }
  MomentGroups = {Start.Groups.front()};
  if (V.numEvents() > MaxReplayedEvents)
    return Count;
  for (const std::string &By : ArrayRef(Start.Groups).drop_front()) {
    if (!Data.holds(PageQuestion{"profile", Start.Spaces.front(), "by=" + By}
                        .request()))
      continue;
    uint64_t Each =
        measure(PageQuestion{"profile", Start.Spaces.front(), Start.byText(By),
                             "nodes=" + std::to_string(Start.MomentNodes)});
    Each *= Start.Spaces.size();
    if (double(Count * Each) > Left)
      continue;
    Left -= double(Count * Each);
    MomentGroups.push_back(By);
  }
  return Count;
}

/// The times of the highest value in Count equal parts of the run, of the
/// largest memory space, so that moments are points of the curve.
std::vector<uint64_t> FileWriter::timesOf(size_t Count) {
  std::vector<uint64_t> Times;
  std::vector<HeldAnswer> Curve = ask(PageQuestion{
      "curves", Start.Spaces.front(), "", "columns=" + std::to_string(Count)});
  if (Curve.empty())
    return Times;
  for (uint64_t Ns : numbersOf(Curve.front().Json, "time_ns"))
    if (Ns && (Times.empty() || Ns > Times.back()))
      Times.push_back(Ns);
  return Times;
}

bool FileWriter::addMoment(uint64_t Ns) {
  std::string Key = "at=" + std::to_string(Ns);
  if (!Data.add(ask(graphs(Key, Start.MomentNodes, MomentGroups))) &&
      !Data.add(ask(graphs(Key, Start.MomentNodes / 4, MomentGroups.front()))))
    return false;
  Start.Moments.push_back(Ns);
  return true;
}

/// Maps of some moments: each needs a replay from the last snapshot before.
void FileWriter::addMaps() {
  // Reading the state of a heap takes as long as some hundreds of events.
  constexpr uint64_t EventsOfHeap = 300;
  uint64_t Each = V.numEvents() + EventsOfHeap * Start.NumHeaps;
  size_t Most = MaxReplayedEvents * 4 /
                std::max<uint64_t>(Each * Start.Devices.size(), 1);
  size_t Every = Start.Moments.size() / std::max<size_t>(Most, 1) + 1;
  for (uint64_t Device : Start.Devices)
    for (size_t I = 0; I < Start.Moments.size(); I += Every)
      if (!Data.add(ask(PageQuestion{
              "map", 0,
              parameters("device=" + std::to_string(Device),
                         "at=" + std::to_string(Start.Moments[I]))})))
        return;
}

void FileWriter::addMoments() {
  size_t Count = Start.HasEvents ? countMoments() : 0;
  if (!Count)
    return;
  Error Stopped = V.atMoments(timesOf(Count), [&](uint64_t Ns) {
    addMoment(Ns);
    return Error::success();
  });
  consumeError(std::move(Stopped)); // a part of the events is missing
  if (V.numEvents() <= MaxReplayedEvents)
    addMaps();
}

Expected<std::string> FileWriter::run() {
  if (V.numEvents() > MaxReplayedEvents)
    V.refuseWork();
  else
    V.keepGraphs(SIZE_MAX);
  V.shareNames(&Data.names());
  Expected<std::string> Text = V.answer(Question("start"));
  if (!Text)
    return Text.takeError();
  if (Error E = Start.read(*Text))
    return std::move(E);
  // Long work begins now, and goes on beside short answers.
  if (is_contained(Start.Views, "layers"))
    for (uint64_t Space : Start.Spaces)
      ask(PageQuestion{"layers", Space});
  V.waitForWork();
  Data.reserve(Data.sizeOf({{"start", *Text}}) + Start.extraBytes());
  if (Error E = addPeak())
    return std::move(E);
  std::vector<std::string> First{""};
  if (!Start.Curves.empty())
    First.push_back(Start.Curves.front());
  addCurves(First);
  addViews();
  addSources();
  addGroups();
  addCurves(ArrayRef(Start.Curves).drop_front(!Start.Curves.empty()));
  addSums();
  addMoments();
  addLast();
  Data.reserve(0);
  if (!Data.add({{"start", Start.text([&](StringRef Request) {
                    return Data.holds(Request);
                  })}}))
    return makeRequestError(formatCount(MaxBytes) +
                            " bytes are too few for a page of this trace");
  return Data.text();
}

Expected<std::string> fileAnswers(TraceView &V, uint64_t MaxBytes,
                                  CompareAnswers Compare) {
  return FileWriter(V, MaxBytes, std::move(Compare)).run();
}

} // namespace memkit

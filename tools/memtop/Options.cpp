// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memtop's options.

#include "Options.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace memkit;

static cl::opt<std::string> Input(cl::Positional,
                                  cl::desc("<live:PID or trace>"),
                                  cl::cat(toolCategory()));

static cl::opt<std::string>
    AttachTo("pid", cl::value_desc("PID|NAME"), cl::cat(toolCategory()),
             cl::desc("Attach to a process that runs, by memrec -p, and "
                      "watch it; detach when memtop ends"));
static cl::alias AttachShort("p", cl::desc("Alias for --pid"),
                             cl::aliasopt(AttachTo));
static cl::opt<bool>
    WithChildren("children", cl::cat(toolCategory()),
                 cl::desc("With --pid: and to the processes that descend "
                          "from it"));
static cl::opt<std::string> Output("o", cl::value_desc("file"),
                                   cl::cat(toolCategory()),
                                   cl::desc("With --pid: keep the recording"));

static cl::opt<bool> Once("once", cl::cat(toolCategory()),
                          cl::desc("Print one frame, and end"));

enum class TopFormat { Text, Json };
static cl::opt<TopFormat> OutputFormat(
    "format", cl::init(TopFormat::Text), cl::cat(toolCategory()),
    cl::desc("Format of frames:"),
    cl::values(clEnumValN(TopFormat::Text, "text", "Pictures (the default)"),
               clEnumValN(TopFormat::Json, "json",
                          "A line of JSON every interval")));

static cl::opt<std::string>
    Every("interval", cl::init("1s"), cl::value_desc("time"),
          cl::cat(toolCategory()),
          cl::desc("Time between refreshes (default 1s); longer where a "
                   "refresh would take more than 2 % of a processor"));

static cl::opt<unsigned> Count("count", cl::init(0), cl::value_desc("n"),
                               cl::cat(toolCategory()),
                               cl::desc("With --format=json: end after this "
                                        "number of lines"));

static cl::opt<std::string> At("at", cl::value_desc("time point"),
                               cl::cat(toolCategory()),
                               cl::desc("Show this moment: 12.5s, peak, end"));

static cl::opt<std::string>
    Play("play", cl::ValueOptional, cl::value_desc("speed"),
         cl::cat(toolCategory()),
         cl::desc("Replay a trace from its start; --play=10 is ten times as "
                  "fast as the program was"));

static cl::opt<std::string>
    GroupByName("group-by", cl::init("line"), cl::value_desc("what"),
                cl::cat(toolCategory()),
                cl::desc("Rows of the table: line (the default), stack, "
                         "library, heap, process, rank, thread, layer, scope"));

static cl::list<std::string>
    SortBy("sort", cl::CommaSeparated, cl::value_desc("columns"),
           cl::cat(toolCategory()),
           cl::desc("Sort by live (the default), peak, growth, step, "
                    "allocations, temporary or age; a second column sorts "
                    "equal rows"));

static cl::opt<std::string>
    Shown("heap", cl::value_desc("name"), cl::cat(toolCategory()),
          cl::desc("Show this heap or memory space first"));

static cl::opt<std::string> Filter("filter", cl::value_desc("text"),
                                   cl::cat(toolCategory()),
                                   cl::desc("Show only rows with this text"));

static cl::opt<std::string> Span("span", cl::value_desc("time"),
                                 cl::cat(toolCategory()),
                                 cl::desc("Time on the curve (default: all)"));

static cl::opt<std::string>
    Window("window", cl::init("1m"), cl::value_desc("time"),
           cl::cat(toolCategory()),
           cl::desc("Time over which growth and rates are taken (default 1m)"));

static cl::opt<std::string>
    Size("size", cl::value_desc("WxH"), cl::cat(toolCategory()),
         cl::desc("With --once: columns and rows (default: of the terminal, "
                  "else 80x24)"));

static cl::opt<bool> Ascii("ascii", cl::cat(toolCategory()),
                           cl::desc("Draw curves with ASCII characters"));

static Expected<uint64_t> timeOf(const cl::opt<std::string> &From,
                                 StringRef Name) {
  Expected<uint64_t> Ns = parseTime(From);
  if (!Ns)
    return makeUsageError("--" + Name + "=" + From + ": " +
                          toString(Ns.takeError()));
  if (!*Ns)
    return makeUsageError("--" + Name + "=" + From + ": must be above 0");
  return *Ns;
}

static Expected<WatchState> stateOf() {
  WatchState S;
  std::optional<GroupBy> By = groupOf(GroupByName, WatchedGroups);
  if (!By)
    return makeUsageError("--group-by=" + GroupByName + ": not one of " +
                          groupWords(WatchedGroups));
  S.Tree.By = *By;
  std::optional<SortColumn> Columns[2];
  if (SortBy.size() > std::size(Columns))
    return makeUsageError("--sort takes at most two columns");
  for (size_t I = 0; I != SortBy.size(); ++I) {
    Columns[I] = sortColumnOf(SortBy[I]);
    if (!Columns[I])
      return makeUsageError("--sort=" + SortBy[I] +
                            ": live, peak, growth, step, allocations, "
                            "temporary or age");
  }
  S.Tree.First = Columns[0].value_or(S.Tree.First);
  S.Tree.Second = Columns[1].value_or(S.Tree.Second);
  S.Tree.Filter = Filter;
  S.HeapName = Shown;
  if (Error E = timeOf(Window, "window").moveInto(S.WindowNs))
    return std::move(E);
  if (!Span.empty())
    if (Error E = timeOf(Span, "span").moveInto(S.SpanNs))
      return std::move(E);
  return S;
}

static Expected<FrameStyle> styleOf() {
  FrameStyle How;
  How.Ascii = Ascii || !isUtf8Locale();
  if (unsigned Width = outputWidth())
    How.Width = Width;
  if (Size.empty())
    return How;
  auto [W, H] = StringRef(Size).split('x');
  constexpr unsigned Most = 1000;
  if (W.getAsInteger(10, How.Width) || H.getAsInteger(10, How.Height) ||
      !How.Width || !How.Height || How.Width > Most || How.Height > Most)
    return makeUsageError("--size=" + Size + ": such as 80x24");
  return How;
}

static Expected<double> speedOf() {
  double Speed = 1;
  if (!Play.empty() &&
      (StringRef(Play).getAsDouble(Speed) || !(Speed > 0) || Speed > 1e6))
    return makeUsageError("--play=" + Play + ": a number above 0, such as 10");
  return Speed;
}

Expected<TopOptions> memkit::topOptions() {
  TopOptions O;
  O.Input = Input;
  if (Input == "-")
    return makeUsageError("memtop reads a recording or a file, no pipe");
  O.Attach = {AttachTo, WithChildren, Output};
  if (!AttachTo.empty() && !Input.empty())
    return makeUsageError("--pid attaches to a program, so there is no "
                          "recording to name: " +
                          Input);
  if (AttachTo.empty() && (WithChildren || !Output.empty()))
    return makeUsageError(Twine(WithChildren ? "--children" : "-o") +
                          " needs --pid");
  O.Once = Once;
  O.IsJson = OutputFormat == TopFormat::Json;
  O.Count = Count;
  if (Error E = stateOf().moveInto(O.State))
    return std::move(E);
  // Scripts see each import.
  O.State.Tree.FoldImports = !O.IsJson;
  if (Error E = styleOf().moveInto(O.How))
    return std::move(E);
  O.Shown.Ascii = O.How.Ascii;
  O.Shown.UsesColours = WithColor(outs()).colorsEnabled();
  if (Error E = timeOf(Every, "interval").moveInto(O.Shown.IntervalNs))
    return std::move(E);
  if (!Play.getNumOccurrences())
    return O;
  if (Error E = speedOf().moveInto(O.Shown.Speed.emplace()))
    return std::move(E);
  constexpr uint64_t FrameNs = 250'000'000;
  O.Shown.IntervalNs = std::min(O.Shown.IntervalNs, FrameNs);
  return O;
}

/// The moment of --at. Of a finished trace the usual moment is the peak: at the
/// end most programs have freed all.
static Expected<std::optional<uint64_t>> cursorOf(const Feed &S,
                                                  WatchedTrace &W) {
  if (At.empty() && !S.run().IsLive && !Play.getNumOccurrences() &&
      !W.heaps().empty())
    return W.run().Spaces[peakSpace(W.trace())].Stats.PeakTimeNs;
  if (At.empty())
    return std::nullopt;
  Expected<TimePointSpec> Spec = parseTimePoint(At);
  if (!Spec)
    return makeUsageError("--at=" + At + ": " + toString(Spec.takeError()));
  if (Spec->K == TimePointSpec::TimePointKind::End)
    return std::nullopt;
  if (Spec->K == TimePointSpec::TimePointKind::Time)
    return Spec->Number;
  const Trace &T = W.trace();
  BitVector All(unsigned(T.processes().size() + 1), true);
  Expected<TimePoint> P = findTimePoint(T, *Spec, All, nullptr);
  if (!P)
    return P.takeError();
  return P->TimeNs;
}

static Error checkShown(const WatchedTrace &W) {
  if (Shown.empty() ||
      any_of(W.heaps(), [](const WatchedHeap &S) { return S.Name == Shown; }))
    return Error::success();
  std::string Names;
  for (const WatchedHeap &S : W.heaps())
    Names += (Names.empty() ? "" : ", ") + S.Name;
  return makeUsageError(
      "--heap=" + Shown + ": the trace has no such heap; " +
      (Names.empty() ? "it has none yet" : "it has " + Names));
}

Error memkit::chooseHeapAndMoment(TopOptions &O, Feed &S) {
  WatchedTrace &W = S.trace();
  if (Error E = checkShown(W))
    return E;
  if (Error E = cursorOf(S, W).moveInto(O.Shown.AtNs))
    return E;
  if (O.State.HeapName.empty() && !W.heaps().empty())
    O.State.HeapName = W.trace().spaceName(peakSpace(W.trace())).str();
  return Error::success();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The questions that a client may ask: tools of the protocol.

#include "Questions.h"
#include "Support/CommandText.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

namespace {
enum class ParameterKind : uint8_t { Path, Text, Number };

struct Parameter {
  StringLiteral Name;
  ParameterKind Kind = ParameterKind::Text;
  bool IsNeeded = false;
  StringLiteral What;
  /// The option that takes the value; empty: a positional argument, or the
  /// rows' filter.
  StringLiteral Option = "";
};

struct AgentQuestion {
  StringLiteral Name;
  StringLiteral What;
  StringLiteral Tool;
  std::vector<StringLiteral> Options; ///< always
  std::vector<Parameter> Parameters;
  StringLiteral Narrower;
  bool IsTable = false;
};
} // namespace

static constexpr Parameter TracePath = {
    "trace", ParameterKind::Path, true,
    "A trace of memrec below the folders of this server, or live:PID, a "
    "recording that still runs"};
static constexpr Parameter Top = {"top", ParameterKind::Number, false,
                                  "The most rows of a part", "--top="};
static constexpr Parameter HeapGlob = {
    "heap", ParameterKind::Text, false,
    "Only heaps whose names match, as host.malloc or torch.cuda:*", "--heap="};

static ArrayRef<AgentQuestion> questions() {
  static const std::vector<AgentQuestion> All = {
      {"overview",
       "What a program's memory was for: peak, verdict (LEAK, grows), the "
       "lines "
       "of code that held the peak, tensors, suggestions. Ask this first.",
       "memstat",
       {"-q", "--show=verdict,lines,tensors,layers,suggestions"},
       {TracePath, Top, HeapGlob},
       "a smaller top, or heap"},
      {"leaks",
       "What grows or was never freed, with line, rate and the first caller. "
       "LEAK: it grows while the program repeats itself; grows: it may be "
       "loading.",
       "memleak",
       {"-q"},
       {TracePath, Top, HeapGlob},
       "a smaller top, or heap"},
      {"diff",
       "What changed between two recordings: peak, live bytes, and the lines "
       "that explain the change.",
       "memdiff",
       {"-q"},
       {{"before", ParameterKind::Path, true, "The earlier trace"},
        {"after", ParameterKind::Path, true, "The later trace"},
        HeapGlob},
       "heap"},
      {"flame_top",
       "The stacks that held most at the peak, with all their frames.",
       "memstat",
       {"-q", "--show=peaks", "-v"},
       {TracePath, Top, HeapGlob},
       "a smaller top, or heap"},
      {"layers",
       "The layers of a PyTorch or TensorFlow model: calls, times, memory.",
       "memstat",
       {"-q", "--show=layers"},
       {TracePath, Top},
       "a smaller top"},
      {"holders",
       "The names of Python that hold blocks, where memrec --holders has "
       "looked "
       "for them.",
       "memdump",
       {"-q", "--holders"},
       {TracePath},
       "query"},
      {"timeline",
       "Live bytes of each heap over time, drawn, with steps.",
       "memstat",
       {"-q", "--ascii", "--show=timeline"},
       {TracePath, HeapGlob},
       "heap"},
      {"job",
       "A folder of traces of one job: ranks, outliers, what differs.",
       "memstat",
       {"-q"},
       {{"folder", ParameterKind::Path, true, "The folder of the traces"}, Top},
       "a smaller top"},
      {"query",
       "Rows of a table as CSV, sizes in bytes: lines, heaps, scopes, steps, "
       "layers, operators, processes, threads, ooms, series, leaks, blocks.",
       "memdump",
       {"-q", "--format=csv"},
       {TracePath,
        {"table", ParameterKind::Text, true, "The name of the table",
         "--table="},
        HeapGlob,
        {"where", ParameterKind::Text, false,
         "One condition: COLUMN=VALUE, COLUMN>NUMBER, COLUMN<NUMBER, or "
         "COLUMN~PART of the text"},
        {"top", ParameterKind::Number, false, "The most rows (20)"}},
       "a narrower where, or a larger top",
       true},
      {"source",
       "The rows of lines whose name contains a text, as a function or a file: "
       "what each line allocated, and held at the peak. Bytes.",
       "memdump",
       {"-q", "--format=csv", "--table=lines"},
       {TracePath,
        {"match", ParameterKind::Text, true, "A part of `file.py:12 function`"},
        {"top", ParameterKind::Number, false, "The most rows (20)"}},
       "a longer match, or a larger top",
       true},
  };
  return All;
}

json::Array memkit::questionList() {
  json::Array List;
  for (const AgentQuestion &Q : questions()) {
    json::Object Properties;
    json::Array Needed;
    for (const Parameter &P : Q.Parameters) {
      bool IsNumber = P.Kind == ParameterKind::Number;
      json::Object Schema{{"type", IsNumber ? "integer" : "string"},
                          {"description", P.What}};
      if (IsNumber)
        Schema["minimum"] = 1;
      Properties[P.Name] = std::move(Schema);
      if (P.IsNeeded)
        Needed.push_back(P.Name);
    }
    List.push_back(json::Object{
        {"name", Q.Name},
        {"description", Q.What},
        {"inputSchema", json::Object{{"type", "object"},
                                     {"properties", std::move(Properties)},
                                     {"required", std::move(Needed)},
                                     {"additionalProperties", false}}},
        {"annotations",
         json::Object{{"readOnlyHint", true}, {"openWorldHint", false}}}});
  }
  return List;
}

/// Reads `COLUMN>NUMBER`, `COLUMN=VALUE`, `COLUMN~PART`.
static Error readFilter(StringRef Text, RowFilter &To) {
  size_t At = Text.find_first_of("=<>~");
  if (At == 0 || At == StringRef::npos || At + 1 == Text.size())
    return makeError("where is COLUMN=VALUE, COLUMN>NUMBER, COLUMN<NUMBER or "
                     "COLUMN~PART, not '" +
                     oneLine(Text) + "'");
  To.Column = Text.take_front(At).trim().str();
  To.Test = Text.substr(At, 1).str();
  To.Value = Text.drop_front(At + 1).trim().str();
  double Number;
  if ((To.Test == "<" || To.Test == ">") &&
      StringRef(To.Value).getAsDouble(Number))
    return makeError("where: '" + oneLine(To.Value) + "' is no number");
  return Error::success();
}

/// The value of an argument as text.
static Expected<std::string> valueOf(const Parameter &P, const json::Value &V,
                                     const Folders &Of) {
  if (P.Kind == ParameterKind::Number) {
    constexpr int64_t Max = 10000;
    std::optional<int64_t> Number = V.getAsInteger();
    if (!Number || *Number < 1 || *Number > Max)
      return makeError(P.Name + " is a number from 1 to " + Twine(Max));
    return std::to_string(*Number);
  }
  std::optional<StringRef> Text = V.getAsString();
  constexpr size_t MaxText = 4096;
  if (!Text || Text->size() > MaxText || Text->contains('\0'))
    return makeError(P.Name + " is a text");
  if (P.Kind == ParameterKind::Path)
    return Of.resolve(*Text);
  return Text->str();
}

static Error addArgument(const AgentQuestion &Q, const Parameter &P,
                         std::string Value, PlannedAnswer &To,
                         std::vector<std::string> &Inputs) {
  if (!P.Option.empty())
    To.Arguments.push_back(P.Option.str() + Value);
  else if (P.Kind == ParameterKind::Path)
    Inputs.push_back(std::move(Value));
  else if (P.Name == "where")
    return readFilter(Value, To.Rows);
  else if (P.Name == "match") {
    To.Rows.Column = "name";
    To.Rows.Test = "~";
    To.Rows.Value = std::move(Value);
  } else
    To.Rows.Max = std::stoull(Value);
  return Error::success();
}

Expected<PlannedAnswer> memkit::planAnswer(StringRef Name,
                                           const json::Object *Arguments,
                                           const Folders &Of) {
  const AgentQuestion *Q = find_if(
      questions(), [&](const AgentQuestion &Of) { return Of.Name == Name; });
  if (Q == questions().end())
    return makeError("there is no tool '" + oneLine(Name) +
                     "'; tools/list has all");
  constexpr uint64_t Rows = 20;
  PlannedAnswer To{Q->Tool.str(), {}, {}, Q->Narrower.str()};
  To.Rows.Max = Q->IsTable ? Rows : 0;
  To.Arguments.assign(Q->Options.begin(), Q->Options.end());
  std::vector<std::string> Inputs;
  static const json::Object None;
  const json::Object &Given = Arguments ? *Arguments : None;
  for (const auto &[Key, Value] : Given)
    if (none_of(Q->Parameters,
                [&](const Parameter &P) { return P.Name == Key.str(); }))
      return makeError(Name + " takes no '" + oneLine(Key) + "'");
  for (const Parameter &P : Q->Parameters) {
    const json::Value *V = Given.get(P.Name);
    if (!V && P.IsNeeded)
      return makeError(Name + " needs " + P.Name);
    if (!V)
      continue;
    Expected<std::string> Value = valueOf(P, *V, Of);
    if (!Value)
      return Value.takeError();
    if (Error E = addArgument(*Q, P, std::move(*Value), To, Inputs))
      return E;
  }
  To.Arguments.push_back("--");
  append_range(To.Arguments, Inputs);
  return To;
}

//===----------------------------------------------------------------------===//
// Texts of answers
//===----------------------------------------------------------------------===//

/// The cells of a line of CSV, without their quotes.
static std::vector<std::string> cellsOf(StringRef Line) {
  std::vector<std::string> Cells(1);
  bool IsQuoted = false;
  for (size_t I = 0; I != Line.size(); ++I) {
    char C = Line[I];
    if (C == '"' && IsQuoted && I + 1 != Line.size() && Line[I + 1] == '"')
      Cells.back() += Line[++I];
    else if (C == '"')
      IsQuoted = !IsQuoted;
    else if (C == ',' && !IsQuoted)
      Cells.emplace_back();
    else
      Cells.back() += C;
  }
  return Cells;
}

static bool isWanted(const RowFilter &F, StringRef Cell) {
  if (F.Test == "=")
    return Cell == F.Value;
  if (F.Test == "~")
    return Cell.contains(F.Value);
  double Number, Bound;
  return !Cell.getAsDouble(Number) && !StringRef(F.Value).getAsDouble(Bound) &&
         (F.Test == ">" ? Number > Bound : Number < Bound);
}

/// The head and the wanted rows of a table.
static std::string rowsText(const RowFilter &F, StringRef Output,
                            size_t &LeftOut) {
  auto [Head, Rest] = Output.split('\n');
  std::vector<std::string> Names = cellsOf(Head);
  size_t At = size_t(find(Names, F.Column) - Names.begin());
  if (!F.Column.empty() && At == Names.size())
    return "There is no column '" + F.Column + "'; columns: " + Head.str() +
           "\n";
  std::string Text = Head.str() + "\n";
  uint64_t Count = 0;
  while (!Rest.empty()) {
    StringRef Line;
    std::tie(Line, Rest) = Rest.split('\n');
    if (!F.Column.empty()) {
      std::vector<std::string> Cells = cellsOf(Line);
      if (At >= Cells.size() || !isWanted(F, Cells[At]))
        continue;
    }
    if (Count++ < F.Max)
      Text += Line.str() + "\n";
    else
      ++LeftOut;
  }
  if (!Count)
    Text += "(no row matches)\n";
  return Text;
}

std::string memkit::answerText(const PlannedAnswer &Of, StringRef Output,
                               bool IsCut) {
  size_t LeftOut = 0;
  std::string Rows;
  if (Of.Rows.Max) {
    Rows = rowsText(Of.Rows, Output, LeftOut);
    Output = Rows;
  }
  // Room for the last line.
  constexpr size_t Room = MaxAnswer - 200;
  StringRef Kept = Output;
  if (Output.size() > Room) {
    size_t End = Output.rfind('\n', Room);
    Kept = Output.take_front(End == StringRef::npos ? 0 : End + 1);
    LeftOut += Output.drop_front(Kept.size()).count('\n');
  }
  std::string Text = Kept.str();
  if (LeftOut || IsCut)
    Text += "(" + (LeftOut ? std::to_string(LeftOut) : std::string("many")) +
            (IsCut ? " or more" : "") +
            " lines left out; to see others: " + Of.Narrower + ")\n";
  return Text;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The questions that a client may ask: tools of the protocol.

#include "Agents/Questions.h"
#include "Support/CommandText.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

namespace {
enum class ParameterKind : uint8_t {
  Path,
  NewPath, ///< of a trace to write
  Text,
  Number,
  Words, ///< a list of texts
};

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
  bool Records = false; ///< runs a command first
};
} // namespace

static constexpr Parameter TracePath = {
    "trace", ParameterKind::Path, true,
    "A trace of memrec, or a recording of memray, heaptrack, PyTorch and "
    "others, below the folders of this server; or live:PID, a recording that "
    "still runs"};
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
       {"--show=verdict,lines,tensors,layers,suggestions"},
       {TracePath, Top, HeapGlob},
       "a smaller top, or heap"},
      {"leaks",
       "What grows or was never freed, with line, rate and the first caller. "
       "LEAK: it grows while the program repeats itself; grows: it may be "
       "loading.",
       "memleak",
       {},
       {TracePath, Top, HeapGlob},
       "a smaller top, or heap"},
      {"explain",
       "The whole finding as a page of Markdown for an issue tracker: verdict, "
       "stacks of what grows, curve, machine, what to try, how to reproduce.",
       "memstat",
       {"--explain", "--ascii"},
       {TracePath, HeapGlob},
       "overview, leaks"},
      {"diff",
       "What changed between two recordings: peak, live bytes, and the lines "
       "that explain the change.",
       "memdiff",
       {},
       {{"before", ParameterKind::Path, true, "The earlier trace"},
        {"after", ParameterKind::Path, true, "The later trace"},
        HeapGlob},
       "heap"},
      {"flame_top",
       "The stacks that held most at the peak: their functions.",
       "memstat",
       {"--show=peaks", "-v"},
       {TracePath, Top, HeapGlob},
       "a smaller top, or heap"},
      {"layers",
       "The layers of a PyTorch or TensorFlow model: calls, times, memory.",
       "memstat",
       {"--show=layers"},
       {TracePath, Top},
       "a smaller top"},
      {"holders",
       "The names of Python that hold blocks, where memrec --holders has "
       "looked "
       "for them.",
       "memdump",
       {"--holders"},
       {TracePath},
       "query"},
      {"timeline",
       "Live bytes of each heap over time, drawn, with steps.",
       "memstat",
       {"--ascii", "--show=timeline"},
       {TracePath, HeapGlob},
       "heap"},
      {"resident",
       "Why a process or a device holds more memory than its live blocks: "
       "parts of resident memory, what allocators reserve, gaps of devices.",
       "memstat",
       {"--show=resident,reserved,gap,heaps"},
       {TracePath, Top, HeapGlob},
       "a smaller top, or heap"},
      {"oom",
       "What was refused when memory ran out, what lived then, and what would "
       "have helped.",
       "memdump",
       {"--oom"},
       {TracePath},
       "overview"},
      {"job",
       "A folder of traces of one job: ranks, outliers, what differs.",
       "memstat",
       {},
       {{"folder", ParameterKind::Path, true, "The folder of the traces"}, Top},
       "a smaller top"},
      {"query",
       "Rows of a table as CSV, sizes in bytes: lines, heaps, scopes, steps, "
       "layers, operators, processes, threads, ooms, series, leaks, blocks.",
       "memdump",
       {"--format=csv"},
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
       {"--format=csv", "--table=lines"},
       {TracePath,
        {"match", ParameterKind::Text, true, "A part of `file.py:12 function`"},
        {"top", ParameterKind::Number, false, "The most rows (20)"}},
       "a longer match, or a larger top",
       true},
      {"record",
       "Runs a command and records its memory into a new trace, then tells "
       "what overview tells. The command has no input; it is ended after the "
       "given seconds.",
       "memstat",
       {"--show=verdict,lines,tensors,layers,suggestions"},
       {{"command", ParameterKind::Words, true,
         "The program and its arguments, no shell"},
        {"trace", ParameterKind::NewPath, true,
         "The trace to write: a new file NAME.fb below the folders"},
        {"seconds", ParameterKind::Number, false,
         "The most seconds to run (60)"}},
       "overview",
       false,
       true},
  };
  return All;
}

static json::Object schemaOf(const Parameter &P) {
  if (P.Kind == ParameterKind::Number)
    return json::Object{
        {"type", "integer"}, {"description", P.What}, {"minimum", 1}};
  if (P.Kind == ParameterKind::Words)
    return json::Object{{"type", "array"},
                        {"description", P.What},
                        {"items", json::Object{{"type", "string"}}},
                        {"minItems", 1}};
  return json::Object{{"type", "string"}, {"description", P.What}};
}

json::Array memkit::questionList(bool MayRecord) {
  json::Array List;
  for (const AgentQuestion &Q : questions()) {
    if (Q.Records && !MayRecord)
      continue;
    json::Object Properties;
    json::Array Needed;
    for (const Parameter &P : Q.Parameters) {
      Properties[P.Name] = schemaOf(P);
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
        {"annotations", json::Object{{"readOnlyHint", !Q.Records},
                                     {"destructiveHint", Q.Records},
                                     {"openWorldHint", Q.Records}}}});
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
  if (P.Kind == ParameterKind::NewPath)
    return Of.resolveNew(*Text);
  return Text->str();
}

/// The words of a command.
static Expected<std::vector<std::string>> wordsOf(const Parameter &P,
                                                  const json::Value &V) {
  const json::Array *Values = V.getAsArray();
  constexpr size_t MaxWords = 1000;
  std::vector<std::string> Words;
  if (Values && Values->size() <= MaxWords)
    for (const json::Value &Word : *Values)
      if (std::optional<StringRef> Text = Word.getAsString();
          Text && !Text->contains('\0'))
        Words.push_back(Text->str());
  if (!Values || Words.empty() || Words.size() != Values->size())
    return makeError(P.Name + " is a list of texts");
  return Words;
}

static Error addArgument(const Parameter &P, std::string Value,
                         PlannedAnswer &To) {
  if (!P.Option.empty())
    To.Arguments.push_back(P.Option.str() + Value);
  else if (P.Kind == ParameterKind::Path || P.Kind == ParameterKind::NewPath)
    To.Inputs.push_back(std::move(Value));
  else if (P.Name == "where")
    return readFilter(Value, To.Rows);
  else if (P.Name == "match") {
    To.Rows.Column = "name";
    To.Rows.Test = "~";
    To.Rows.Value = std::move(Value);
  } else if (P.Name == "seconds")
    To.Seconds = unsigned(std::stoul(Value));
  else
    To.Rows.Max = std::stoull(Value);
  return Error::success();
}

Expected<PlannedAnswer> memkit::planAnswer(StringRef Name,
                                           const json::Object *Arguments,
                                           const Folders &Of, bool MayRecord) {
  const AgentQuestion *Q = find_if(questions(), [&](const AgentQuestion &One) {
    return One.Name == Name && (MayRecord || !One.Records);
  });
  if (Q == questions().end())
    return makeError("there is no tool '" + oneLine(Name) +
                     "'; tools/list has all");
  constexpr uint64_t Rows = 20;
  constexpr unsigned Seconds = 60;
  PlannedAnswer To;
  To.Tool = Q->Tool.str();
  To.Narrower = Q->Narrower.str();
  To.Seconds = Seconds;
  To.Rows.Max = Q->IsTable ? Rows : 0;
  To.Arguments.assign(Q->Options.begin(), Q->Options.end());
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
    if (P.Kind == ParameterKind::Words) {
      if (Error E = wordsOf(P, *V).moveInto(To.Command))
        return E;
      continue;
    }
    Expected<std::string> Value = valueOf(P, *V, Of);
    if (!Value)
      return Value.takeError();
    if (Error E = addArgument(P, std::move(*Value), To))
      return E;
  }
  return To;
}

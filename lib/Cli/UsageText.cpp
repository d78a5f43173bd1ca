// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the option parser in the tools' words.

#include "UsageText.h"
#include "HelpText.h"
#include "Messages.h"
#include "Support/NearName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

void removeForeignOptions() {
  SmallVector<cl::Option *, 32> Foreign;
  for (auto &Entry : cl::getRegisteredOptions()) {
    StringRef Name = Entry.getKey();
    if (!isInHelp(*Entry.second) && Name != "version")
      Foreign.push_back(Entry.second);
  }
  sort(Foreign);
  Foreign.erase(llvm::unique(Foreign), Foreign.end());
  for (cl::Option *O : Foreign)
    O->removeArgument();
}

//===----------------------------------------------------------------------===//
// Unknown options
//===----------------------------------------------------------------------===//

/// The tools that have an option to select, which others are asked for.
static StringRef toolsWith(StringRef Option) {
  static constexpr StringLiteral Selections[] = {
      "at", "since", "until", "stack", "thread", "scope", "layer", "min-size"};
  return is_contained(Selections, Option)
             ? "memleak, memdiff, memflame and memdump"
             : "";
}

static std::vector<StringRef> longOptions() {
  std::vector<StringRef> Names;
  for (auto &Entry : cl::getRegisteredOptions())
    if (Entry.getKey().size() > 1 &&
        Entry.second->getOptionHiddenFlag() == cl::NotHidden)
      Names.push_back(Entry.getKey());
  Names.push_back("help");
  sort(Names);
  return Names;
}

static std::vector<std::string> unknownOption(StringRef Argument,
                                              StringRef Tool) {
  auto [Dashes, Value] = Argument.split('=');
  StringRef Name = Dashes.ltrim('-');
  std::string Text = "unknown option '" + Dashes.str() + "'";
  if (Tool == "memrec" && Name == "attach")
    return {Text + ": to record a process that runs, memrec -p PID"};
  if (StringRef Others = toolsWith(Name); !Others.empty())
    return {Text + ": " + Others.str() + " have it"};
  if (is_contained({"output", "out", "outfile"}, Name) &&
      cl::getRegisteredOptions().count("o"))
    return {Text + "; did you mean '-o FILE'?"};
  StringRef Near = nearestName(Name, longOptions());
  if (Near.empty())
    return {Text + "; try '" + Tool.str() + " --help'"};
  return {Text + "; did you mean '--" + Near.str() + "'?"};
}

//===----------------------------------------------------------------------===//
// Wrong values
//===----------------------------------------------------------------------===//

/// The values of an option with a list of values: `text, json, markdown`.
static std::string valueList(StringRef Name) {
  auto &Known = cl::getRegisteredOptions();
  auto At = Known.find(Name);
  if (At == Known.end())
    return "";
  return join(optionValues(*At->second), ", ");
}

static std::string dashed(StringRef Name) {
  return (Name.size() == 1 ? "-" : "--") + Name.str();
}

/// For `for the --top option: '-1' value invalid for uint argument!` and
/// others.
static std::string wrongValue(StringRef Line) {
  auto [Option, Why] = Line.split(" option: ");
  StringRef Name = Option.drop_front(Option.rfind(' ') + 1).ltrim('-');
  Why = Why.rtrim(" !.");
  if (Why.consume_front("Cannot find option named '"))
    return dashed(Name) + "=" + Why.rtrim('\'').str() + ": not one of " +
           valueList(Name);
  if (Why.starts_with("'")) {
    StringRef Value = Why.drop_front().split('\'').first;
    bool IsNumber = Why.contains("uint") || Why.contains("ulong") ||
                    Why.contains("ullong") || Why.contains("int ");
    if (IsNumber)
      return dashed(Name) + "=" + Value.str() + ": not a number from 0 on";
    return dashed(Name) + "=" + Value.str() + ": " +
           Why.drop_front(Value.size() + 3).str();
  }
  return dashed(Name) + " " + Why.str();
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

/// The last argument that is no option: the one that is too many.
static StringRef lastPositional(ArrayRef<const char *> Args) {
  StringRef Last;
  for (StringRef A : Args)
    if (!A.starts_with("-") || A == "-")
      Last = A;
  return Last;
}

static std::string tooMany(ArrayRef<const char *> Args) {
  return "one trace, please: '" + lastPositional(Args).str() +
         "' is one too many; memdiff compares two, memmerge makes one of "
         "several, and a folder of traces is one";
}

std::vector<std::string> usageMessages(StringRef Text, StringRef Tool,
                                       ArrayRef<const char *> Args) {
  std::vector<std::string> Out;
  for (StringRef Line : split(Text, '\n')) {
    Line = Line.trim();
    Line.consume_front(Tool);
    Line.consume_front(": ");
    if (Line.empty() || Line.starts_with("Did you mean") ||
        Line.starts_with("Can specify at most"))
      continue;
    StringRef Rest = Line;
    if (Rest.consume_front("Unknown command line argument '"))
      append_range(Out, unknownOption(Rest.split('\'').first, Tool));
    else if (Line.starts_with("Too many positional arguments"))
      Out.push_back(tooMany(Args));
    else if (Line.starts_with("for the -"))
      Out.push_back(wrongValue(Line));
    else {
      std::string Other = Line.rtrim(" .!").str();
      Other[0] = toLower(Other[0]);
      Out.push_back(std::move(Other));
    }
  }
  return Out;
}

} // namespace memkit

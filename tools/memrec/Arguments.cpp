// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects memrec's options from the command line, --config and MEMREC_OPTIONS.

#include "Arguments.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/StringSaver.h"
#include <cstdlib>

using namespace llvm;
using namespace memkit;

/// Whether Arg is an option whose value is the next argument.
static bool takesNext(StringRef Arg) {
  if (Arg.contains('='))
    return false;
  StringMap<cl::Option *> &Known = cl::getRegisteredOptions();
  auto It = Known.find(Arg.ltrim('-'));
  return It != Known.end() &&
         It->second->getValueExpectedFlag() == cl::ValueRequired;
}

/// The value of the last --config among Options, or an empty string.
static std::string configOf(ArrayRef<std::string> Options) {
  std::string Name;
  for (size_t I = 0; I != Options.size(); ++I) {
    StringRef Arg = Options[I];
    if (!Arg.consume_front("--config") && !Arg.consume_front("-config"))
      continue;
    if (Arg.consume_front("="))
      Name = Arg.str();
    else if (Arg.empty() && I + 1 != Options.size())
      Name = Options[I + 1];
  }
  return Name;
}

/// Reads a file of options: one option a line, with or without dashes; # starts
/// a comment.
static Expected<std::vector<std::string>> readConfig(const std::string &Name) {
  auto Buffer = MemoryBuffer::getFile(Name, /*IsText=*/true);
  if (!Buffer)
    return createStringError(Buffer.getError(),
                             Name + ": " + Buffer.getError().message());
  std::vector<std::string> Options;
  for (StringRef Line : split((*Buffer)->getBuffer(), '\n')) {
    Line = Line.trim();
    if (Line.empty() || Line.starts_with("#"))
      continue;
    if (Line.starts_with("-"))
      Options.push_back(Line.str());
    else if (Line.size() == 1 || Line[1] == '=')
      Options.push_back("-" + Line.str());
    else
      Options.push_back("--" + Line.str());
  }
  return Options;
}

Expected<Arguments> memkit::collectArguments(int Argc, char **Argv) {
  std::vector<std::string> Own, Variable;
  Arguments A;
  int I = 1;
  bool IsCensus = false;
  for (; I < Argc; ++I) {
    StringRef Arg = Argv[I];
    if (Arg == "--") {
      ++I;
      break;
    }
    if (!Arg.starts_with("-") || Arg == "-") {
      // The process of --census may stand between options.
      if (!IsCensus || !A.Target.empty())
        break;
      A.Target = Arg.str();
      continue;
    }
    Own.push_back(Arg.str());
    IsCensus |= Arg.ltrim('-').split('=').first == "census";
    if (takesNext(Arg) && I + 1 < Argc)
      Own.push_back(Argv[++I]);
  }
  A.Command.assign(Argv + std::min(I, Argc), Argv + Argc);

  if (const char *Text = std::getenv("MEMREC_OPTIONS")) {
    BumpPtrAllocator Memory;
    StringSaver Saver(Memory);
    SmallVector<const char *, 16> Tokens;
    cl::TokenizeGNUCommandLine(Text, Saver, Tokens);
    Variable.assign(Tokens.begin(), Tokens.end());
  }
  std::string Config = configOf(Own);
  if (Config.empty())
    Config = configOf(Variable);
  A.Options.push_back(Argc ? Argv[0] : "memrec");
  if (!Config.empty()) {
    Expected<std::vector<std::string>> File = readConfig(Config);
    if (!File)
      return File.takeError();
    append_range(A.Options, *File);
  }
  append_range(A.Options, Variable);
  append_range(A.Options, Own);
  return A;
}

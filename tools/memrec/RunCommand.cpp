// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `memkit run` does beside the recording: --run, --page, -m.

#include "RunCommand.h"
#include "Cli/HelpText.h"
#include "Cli/ToolMain.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <csignal>

using namespace llvm;
using namespace memkit;

static cl::opt<std::string>
    Run("run", cl::ValueOptional,
        cl::desc("As 'memkit run': start a script with its interpreter, show "
                 "memstat's answer after the recording (PYTHON: the "
                 "interpreter of Python)"),
        cl::value_desc("PYTHON"), cl::cat(helpGroup(HelpGroup::Expert)));
static cl::opt<bool> Page("page", cl::desc("With --run: open the page, too"),
                          cl::cat(helpGroup(HelpGroup::Expert)));
static cl::opt<bool>
    Module("m",
           cl::desc("With --run: the program is a module of Python, -m pytest"),
           cl::cat(helpGroup(HelpGroup::Expert)));

bool memkit::wantsRun() { return Run.getNumOccurrences() != 0; }

StringRef memkit::interpreterOf(StringRef Script) {
  return StringSwitch<StringRef>(sys::path::extension(Script))
      .Case(".py", "python")
      .Case(".sh", "sh")
      .Cases(".js", ".mjs", "node")
      .Case(".pl", "perl")
      .Case(".rb", "ruby")
      .Case(".jar", "java -jar")
      .Default("");
}

std::string memkit::pythonPath() {
  if (!Run.empty())
    return Run;
  for (StringRef Name : {"python", "python3"})
    if (ErrorOr<std::string> Path = sys::findProgramByName(Name))
      return *Path;
  return "";
}

/// Whether the shell would start the file itself: `./serve.py` with a first
/// line that names its interpreter.
static bool isProgram(StringRef File) {
  return File.contains('/') && sys::fs::can_execute(File);
}

Error memkit::prepareRun(std::vector<std::string> &Command) {
  if (!wantsRun() && Module)
    return makeUsageError("-m needs --run: memkit run -m MODULE");
  if (!wantsRun() && Page)
    return makeUsageError("--page needs --run: memkit run --page PROGRAM");
  if (!wantsRun())
    return Error::success();
  std::string Interpreter;
  if (Module)
    Interpreter = "python";
  else if (sys::fs::is_regular_file(Command[0]) && !isProgram(Command[0]))
    Interpreter = interpreterOf(Command[0]).str();
  if (Interpreter.empty())
    return Error::success();
  SmallVector<StringRef, 2> Words;
  StringRef(Interpreter).split(Words, ' ');
  std::vector<std::string> Whole;
  for (StringRef Word : Words)
    Whole.push_back(Word.str());
  if (Interpreter == "python") {
    Whole[0] = pythonPath();
    if (Whole[0].empty())
      return makeUsageError("no python on PATH to run " + Command[0] +
                            ": name it, as memkit run -- PYTHON " +
                            (Module ? "-m " : "") + Command[0]);
  }
  if (Module)
    Whole.push_back("-m");
  Command.insert(Command.begin(), Whole.begin(), Whole.end());
  return Error::success();
}

/// Runs a tool beside this program.
static void runBeside(const char *Argv0, StringRef Tool,
                      const std::string &Trace) {
  static int Anchor;
  SmallString<128> Path(
      sys::path::parent_path(sys::fs::getMainExecutable(Argv0, &Anchor)));
  sys::path::append(Path, Tool);
  std::string Problem;
  if (sys::ExecuteAndWait(Path, {Path, Trace}, std::nullopt, {}, 0, 0,
                          &Problem) < 0)
    warn(Path + ": " + Problem);
}

void memkit::showAnswer(const char *Argv0, const std::string &Trace) {
  if (!wantsRun() || Trace.empty())
    return;
  runBeside(Argv0, "memstat", Trace);
  if (!Page)
    return;
  // Ctrl-C ends the page's server, and this program after it with the status
  // of the program that was recorded. A handler, unlike SIG_IGN, is not
  // inherited.
  std::signal(SIGINT, [](int) {});
  runBeside(Argv0, "memview", Trace);
}

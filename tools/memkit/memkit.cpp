// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All tools in one program: runs as the tool whose name the program was called
// by, or as the tool of its first argument: `memkit stat`, `memkit memstat`.

#include "Demo.h"

#include "Cli/ProjectConfig.h"
#include "Support/CommandText.h"
#include "Support/NearName.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace {
using InitFunction = void(int, char **, char **);

struct Command {
  StringRef Name, What;
  int (*Main)(int, char **);
  /// The constructors of the tool's global objects, its options among them:
  /// only the tool that runs has options.
  InitFunction **InitBegin, **InitEnd;
};
} // namespace

#define MEMKIT_COMMAND(NAME, WHAT)                                             \
  extern "C" int memkit_main_##NAME(int, char **);                             \
  extern "C" InitFunction *__start_memkit_init_##NAME[],                       \
      *__stop_memkit_init_##NAME[];
#include "Commands.inc"
#undef MEMKIT_COMMAND

static const Command Commands[] = {
#define MEMKIT_COMMAND(NAME, WHAT)                                             \
  {#NAME, WHAT, memkit_main_##NAME, __start_memkit_init_##NAME,                \
   __stop_memkit_init_##NAME},
#include "Commands.inc"
#undef MEMKIT_COMMAND
};

/// The command of a name, `memstat` or `stat`; null: there is none.
static const Command *commandOf(StringRef Name) {
  for (const Command &C : Commands)
    if (C.Name == Name || C.Name.drop_front(strlen("mem")) == Name)
      return &C;
  return nullptr;
}

static int run(const Command &C, int Argc, char **Argv) {
  std::string Name = C.Name.str();
  // As if the tool were a program of its own, for ps and pkill.
  prctl(PR_SET_NAME, Name.c_str());
  Argv[0] = Name.data();
  for (InitFunction **At = C.InitBegin; At != C.InitEnd; ++At)
    (*At)(Argc, Argv, environ);
  return C.Main(Argc, Argv);
}

namespace {
/// A command that is a tool with an option.
struct ShortCommand {
  StringRef Name, Tool;
  const char *Option, *What;
};
} // namespace

static constexpr ShortCommand ShortCommands[] = {
    {"run", "memrec", "--run",
     "record a program, then show its summary: memkit run x.py"},
    {"overhead", "memrec", "--overhead",
     "what recording costs a program: memkit overhead -- ./server"},
    {"info", "memrec", "--check", "this machine, and what can be recorded"},
    {"explain", "memstat", "--explain",
     "the whole finding as a page of Markdown, for an issue tracker"}};

static const ShortCommand *shortCommandOf(StringRef Name) {
  for (const ShortCommand &C : ShortCommands)
    if (C.Name == Name)
      return &C;
  return nullptr;
}

/// `memkit run ARGUMENTS`: memrec with --run. More: null, or a last argument.
static int runShort(const ShortCommand &C, int Argc, char **Argv, char *More) {
  std::string Option = C.Option;
  std::vector<char *> Arguments{Argv[0], Option.data()};
  Arguments.insert(Arguments.end(), Argv + 2, Argv + Argc);
  if (More)
    Arguments.push_back(More);
  int Count = int(Arguments.size());
  Arguments.push_back(nullptr);
  return run(*commandOf(C.Tool), Count, Arguments.data());
}

static int fail(Error E) {
  errs() << "memkit: error: " << toString(std::move(E)) << '\n';
  return 1;
}

/// Prints the project's options, and where they stand.
static int printConfig() {
  Expected<memkit::ProjectConfig> C = memkit::readProjectConfig();
  if (!C)
    return fail(C.takeError());
  for (const std::string &Path : C->PassedOver)
    outs() << memkit::oneLine(Path)
           << ": passed over, because other users may write it\n";
  if (C->Path.empty()) {
    outs() << "no memkit.toml, and no [tool.memkit] in pyproject.toml, here or "
              "above\n";
    return 0;
  }
  outs() << C->Path << '\n';
  StringRef Folder = sys::path::parent_path(C->Path);
  for (const memkit::ConfigOption &O : C->Options) {
    StringRef From = O.From;
    From.consume_front(Folder);
    From.consume_front("/");
    std::string Option = memkit::oneLine(O.Text);
    outs() << "  " << left_justify(O.Tool.empty() ? "all tools" : O.Tool, 11)
           << left_justify(Option, 32) << "  " << memkit::oneLine(From) << '\n';
  }
  if (const char *Text = std::getenv("MEMREC_OPTIONS"))
    outs() << "  memrec     " << left_justify(memkit::oneLine(Text), 32)
           << "  MEMREC_OPTIONS\n";
  return 0;
}

/// Copies the recordings that ship with memkit, or shows their page.
static int runDemo(ArrayRef<char *> Arguments) {
  constexpr int ExitUsage = 2;
  Expected<memkit::DemoRequest> R = memkit::parseDemo(Arguments);
  if (!R)
    return fail(R.takeError()), ExitUsage;
  if (R->IsHelp) {
    outs() << memkit::DemoUsage;
    return 0;
  }
  Expected<memkit::DemoTraces> T = memkit::findDemoTraces();
  if (T && !R->CopyTo.empty())
    T = memkit::copyDemoTraces(*T, R->CopyTo);
  if (!T)
    return fail(T.takeError());
  outs() << memkit::demoText(*T);
  outs().flush();
  if (!R->CopyTo.empty())
    return 0;
  static char Name[] = "memview";
  std::vector<char *> Page{Name};
  Page.insert(Page.end(), R->Page.begin(), R->Page.end());
  Page.push_back(T->Leaks.data());
  if (R->Compares)
    Page.push_back(T->Fixed.data());
  int Count = int(Page.size());
  Page.push_back(nullptr);
  return run(*commandOf(Name), Count, Page.data());
}

/// `memkit predict`: the package's, by the Python that the user's scripts have.
static int runPredict(ArrayRef<char *> Arguments) {
  ErrorOr<std::string> Python = sys::findProgramByName("python");
  if (!Python)
    Python = sys::findProgramByName("python3");
  if (!Python)
    return fail(createStringError("memkit predict needs python or python3 on "
                                  "PATH, the one that has the program's "
                                  "packages"));
  // A package of the environment's own goes first.
  const char *Is = std::getenv("PYTHONPATH");
  std::string Folders = (Is && *Is ? std::string(Is) + ":" : "") +
                        memkit::installedFolder("python");
  setenv("PYTHONPATH", Folders.c_str(), /*overwrite=*/1);
  // -m would look for Python's own modules in the current folder first, where
  // a script may be named inspect.py.
  static char Code[] = "-c", Start[] =
                                 "import sys\n"
                                 "if sys.path[:1] == ['']: del sys.path[0]\n"
                                 "from memkit._predict._script import main\n"
                                 "main(sys.argv[1:])\n";
  std::vector<char *> All{Python->data(), Code, Start};
  All.insert(All.end(), Arguments.begin(), Arguments.end());
  All.push_back(nullptr);
  execv(All[0], All.data());
  return fail(createStringError(std::error_code(errno, std::generic_category()),
                                *Python + ": " + std::strerror(errno)));
}

/// The command that a user meant, or where commands are listed.
static std::string hint(StringRef Name) {
  SmallVector<StringRef, 16> Names{"config", "demo", "predict"};
  for (const ShortCommand &C : ShortCommands)
    Names.push_back(C.Name);
  for (const Command &C : Commands)
    Names.push_back(C.Name.drop_front(strlen("mem")));
  Name.consume_front("mem");
  StringRef Near = memkit::nearestName(Name, Names);
  return Near.empty() ? "memkit --help lists them"
                      : ("did you mean '" + Near + "'?").str();
}

static void printHelp(raw_ostream &OS) {
  OS << "Records and analyses the memory of programs.\n\n"
        "Usage: memkit COMMAND [options]\n\n";
  for (const ShortCommand &C : ShortCommands) {
    OS << "  " << C.Name;
    OS.indent(unsigned(9 - C.Name.size())) << C.What << '\n';
  }
  OS << "  config   the options of this project, from memkit.toml or "
        "pyproject.toml\n"
        "  demo     the page of a recording that ships with memkit\n"
        "  predict  will it fit the GPU? a plan of a PyTorch program, without "
        "a "
        "run\n";
  for (const Command &C : Commands) {
    OS << "  " << C.Name.drop_front(strlen("mem"));
    OS.indent(unsigned(12 - C.Name.size())) << C.What << '\n';
  }
  OS << "\nEach command is also a program: memkit stat is memstat.\n"
        "memkit COMMAND --help shows the options of a command.\n";
}

/// What one can do, for somebody who types `memkit` alone.
static constexpr char FirstSteps[] =
    "memkit tells what a program's memory is for, in its own lines of code.\n\n"
    "  memkit run train.py          record a program, and show the answer\n"
    "  memkit run --page ./server   the same, and the page in a browser\n"
    "  memkit stat                  the answer again (trace.fb, or a file)\n"
    "  memkit leak                  what grows, and what was never freed\n"
    "  memkit diff                  what changed since the recording before\n"
    "  memkit flame --open          a flame graph\n"
    "  memkit top                   what is recorded right now\n"
    "  memkit demo                  try it without a recording of your own\n"
    "  memkit help [COMMAND]        all commands, or the options of one\n";

int main(int Argc, char **Argv) {
  // The help of `memkit help stat` is that of `memkit stat --help`.
  static char Help[] = "--help";
  if (const Command *C = commandOf(sys::path::filename(Argv[0]));
      C && sys::path::filename(Argv[0]) == C->Name)
    return run(*C, Argc, Argv);
  StringRef First = Argc > 1 ? Argv[1] : "";
  if (const ShortCommand *C = shortCommandOf(First))
    return runShort(*C, Argc, Argv, nullptr);
  if (First == "help" && Argc == 3)
    if (const ShortCommand *C = shortCommandOf(Argv[2]))
      return runShort(*C, 2, Argv, Help);
  if (First == "help" && Argc > 2)
    if (const Command *C = commandOf(Argv[2])) {
      char *Asked[] = {Argv[2], Help, nullptr};
      return run(*C, 2, Asked);
    }
  if (First == "config" && Argc == 2)
    return printConfig();
  if (First == "predict")
    return runPredict({Argv + 2, Argv + Argc});
  if (First == "demo")
    return runDemo({Argv + 2, Argv + Argc});
  char *Asked = Help;
  if (First == "help" && Argc == 3 && StringRef(Argv[2]) == "demo")
    return runDemo(Asked);
  if (First == "help" && Argc == 3 && StringRef(Argv[2]) == "predict")
    return runPredict(Asked);
  if (First == "--version") {
    outs() << "memkit " MEMKIT_VERSION "\n";
    return 0;
  }
  if (First == "help" || First == "--help" || First == "-h") {
    printHelp(outs());
    return 0;
  }
  if (const Command *C = commandOf(First))
    return run(*C, Argc - 1, Argv + 1);
  if (First.empty()) {
    outs() << FirstSteps;
    return 0;
  }
  errs() << "memkit: error: '" << memkit::oneLine(First) << "' is no command; "
         << hint(First) << '\n';
  constexpr int ExitUsage = 2;
  return ExitUsage;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All tools in one program: runs as the tool whose name the program was called
// by, or as the tool of its first argument: `memkit stat`, `memkit memstat`.

#include "Support/CommandText.h"
#include "Support/NearName.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <string>
#include <sys/prctl.h>

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

/// The command that a user meant, or where commands are listed.
static std::string hint(StringRef Name) {
  SmallVector<StringRef, 16> Names;
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
  for (const Command &C : Commands) {
    OS << "  " << C.Name.drop_front(strlen("mem"));
    OS.indent(unsigned(12 - C.Name.size())) << C.What << '\n';
  }
  OS << "\nEach command is also a program: memkit stat is memstat.\n"
        "memkit COMMAND --help shows the options of a command.\n";
}

int main(int Argc, char **Argv) {
  // The help of `memkit help stat` is that of `memkit stat --help`.
  static char Help[] = "--help";
  if (const Command *C = commandOf(sys::path::filename(Argv[0]));
      C && sys::path::filename(Argv[0]) == C->Name)
    return run(*C, Argc, Argv);
  StringRef First = Argc > 1 ? Argv[1] : "";
  if (First == "help" && Argc > 2)
    if (const Command *C = commandOf(Argv[2])) {
      char *Asked[] = {Argv[2], Help, nullptr};
      return run(*C, 2, Asked);
    }
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
  constexpr int ExitUsage = 2;
  if (First.empty())
    printHelp(errs());
  else
    errs() << "memkit: error: '" << memkit::oneLine(First)
           << "' is no command; " << hint(First) << '\n';
  return ExitUsage;
}

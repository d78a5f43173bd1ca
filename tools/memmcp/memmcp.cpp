// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers questions about traces for agents.

#include "Agents/Server.h"
#include "Cli/ToolMain.h"
#include <csignal>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static cl::list<std::string> FolderNames(cl::Positional,
                                         cl::desc("[folder]..."),
                                         cl::cat(toolCategory()));

static cl::opt<bool> AllowRecord(
    "allow-record", cl::cat(toolCategory()),
    cl::desc("Clients may run commands, with your rights, and record them"));

static Expected<int> run() {
  std::vector<std::string> Names(FolderNames.begin(), FolderNames.end());
  if (Names.empty())
    Names.push_back(".");
  Expected<Folders> Of = Folders::create(Names);
  if (!Of)
    return Of.takeError();
  if (isatty(STDIN_FILENO))
    say("reading requests of the Model Context Protocol from the terminal, up "
        "to Ctrl-D");
  std::signal(SIGPIPE, SIG_IGN);
  Server Serves(std::move(*Of), {.MayRecord = AllowRecord,
                                 .Input = STDIN_FILENO,
                                 .Output = STDOUT_FILENO,
                                 .Start = ToolRun::start});
  Serves.run();
  return ExitOk;
}

int main(int Argc, char **Argv) {
  return runTool(
      Argc, Argv,
      {"memmcp",
       "Answers questions about traces for agents: the Model Context "
       "Protocol on standard input and output.",
       "memmcp\nmemmcp recordings ci/traces", "[folder]..."},
      run);
}

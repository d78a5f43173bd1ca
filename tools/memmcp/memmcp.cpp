// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers questions about traces for agents.

#include "Cli/ToolMain.h"
#include "Server.h"
#include <csignal>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static cl::list<std::string> FolderNames(cl::Positional,
                                         cl::desc("[folder]..."),
                                         cl::cat(toolCategory()));

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
  Server(std::move(*Of)).run();
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

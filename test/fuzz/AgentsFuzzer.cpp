// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds clients' requests to the server, and tables of tools to the texts of
// answers. No tool runs.

#include "Agents/AnswerText.h"
#include "Agents/Server.h"
#include "Support/Failure.h"
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static void serve(StringRef Requests) {
  static int Null = open("/dev/null", O_WRONLY);
  static const Folders Of = cantFail(Folders::create({"/proc/self/fdinfo"}));
  int Input = memfd_create("requests", MFD_CLOEXEC);
  if (write(Input, Requests.data(), Requests.size()) !=
      static_cast<ssize_t>(Requests.size()))
    std::abort();
  lseek(Input, 0, SEEK_SET);
  Server::ServerOptions Options;
  Options.MayRecord = true;
  Options.Input = Input;
  Options.Output = Null;
  Options.Start = [](const ToolPlan &Plan) -> Expected<ToolRun> {
    return makeError(Plan.Tool + ": no tool runs here");
  };
  Server(Of, std::move(Options)).run();
  close(Input);
}

/// A filter in the first line, a table below.
static void answer(StringRef Data) {
  auto [First, Table] = Data.split('\n');
  RowFilter Filter;
  Filter.Max = 5;
  if (!First.empty()) {
    Filter.Test = std::string(1, "=~<>"[First[0] & 3]);
    std::tie(Filter.Column, Filter.Value) = [&] {
      auto [A, B] = First.drop_front().split(' ');
      return std::pair(A.str(), B.str());
    }();
  }
  for (bool IsCut : {false, true}) {
    Expected<std::string> Text =
        answerText(Filter, "a larger top", Table, IsCut);
    if (!Text)
      consumeError(Text.takeError());
    else if (Text->size() > MaxAnswer + Filter.Column.size())
      std::abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Text(reinterpret_cast<const char *>(Data), Size);
  if (Text.consume_front("T"))
    answer(Text);
  else
    serve(Text);
  return 0;
}

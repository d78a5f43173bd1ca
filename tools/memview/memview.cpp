// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows a trace in a browser.

#include "Cli/Browser.h"
#include "Cli/LargePages.h"
#include "Cli/OutputFile.h"
#include "Cli/Progress.h"
#include "Cli/SelectionFlags.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Cli/TraceGroups.h"
#include "Merge/FolderInput.h"
#include "Support/CommandText.h"
#include "Support/Json.h"
#include "View/HttpServer.h"
#include "View/Opening.h"
#include "View/Page.h"
#include "View/Router.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"
#include <atomic>
#include <csignal>
#include <malloc.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static cl::list<std::string>
    Inputs(cl::Positional,
           cl::desc("<trace>; <before> <after>; <before>... -- <after>...; or "
                    "more traces, as one job"),
           cl::cat(toolCategory()));
static cl::opt<std::string>
    Output("o", cl::value_desc("file"), cl::cat(toolCategory()),
           cl::desc("Write the page to this file, with answers, and end; the "
                    "file needs no network"));
static cl::opt<std::string> MaxBytes(
    "max-bytes", cl::init("2MiB"), cl::value_desc("size"),
    cl::cat(toolCategory()),
    cl::desc("Maximum size of the answers in the file (default 2MiB)"));
static cl::opt<unsigned>
    Port("port", cl::init(0), cl::value_desc("n"), cl::cat(toolCategory()),
         cl::desc("Serve the page on this port (default: a free one)"));
static cl::opt<bool>
    NoOpen("no-open", cl::cat(toolCategory()),
           cl::desc("Print the page's address, and open no browser"));

/// The command that gives the values of a trace on the command line.
static std::string commandOf(const AskedValues &V, const std::string &Path) {
  std::string File = " " + shellWords(Path);
  if (V.Process)
    File = " " + shellWord("--process=#" + std::to_string(V.Process)) + File;
  if (!V.Heap.empty())
    File = " " + shellWord("--heap=" + V.Heap) + File;
  if (V.What == "growth")
    return "memleak" + File;
  if (V.What == "layers")
    return "memdump --layers" + File;
  if (V.What == "operators")
    return "memdump --operators" + File;
  if (V.What == "programs")
    return "memdump --programs" + File;
  if (V.What == "map")
    return "memdump --map" + File;
  if (V.What == "map-at")
    return "memdump --map --at=" + std::to_string(V.AtNs) + "ns" + File;
  if (V.What == "peak")
    return "memflame --metric=peak" + File;
  if (V.What == "live")
    return "memflame --at=" + std::to_string(V.AtNs) + "ns" + File;
  std::string Window = " --since=" + std::to_string(V.BeginNs) +
                       "ns --until=" + std::to_string(V.EndNs) + "ns";
  if (V.What == "retained")
    return "memflame --metric=live" + Window + File;
  // No tool sums what was freed in a range.
  return V.What == "freed" ? "" : "memflame --metric=" + V.What + Window + File;
}

/// The command that compares the groups on the command line.
static std::string compareCommand(Metric M, size_t NumBefore) {
  std::vector<std::string> Words{"memdiff"};
  if (M == Metric::Live)
    Words.push_back("--metric=live");
  for (const std::string &Path : Inputs)
    Words.push_back(shellWord(Path));
  if (Inputs.size() > 2)
    Words.insert(Words.end() - (Inputs.size() - NumBefore), "--");
  return commandText(Words);
}

static std::atomic<HttpServer *> Server = nullptr;

/// Ctrl-C ends the server.
static void stopServer(int) { Server.load()->stop(); }

/// Opens the page in the user's browser, as long as the result lives.
static SecretPage openPage(StringRef Address) {
  Expected<SecretPage> Page = SecretPage::create(Address);
  if (!Page) {
    warn("cannot open a browser: " + toString(Page.takeError()));
    return {};
  }
  openInBrowser(Page->path()); // without a browser: the address is printed
  return std::move(*Page);
}

static HttpAnswer errorAnswer(unsigned Status, Error E) {
  json::Object Of{{"error", jsonText(toString(std::move(E)))}};
  HttpAnswer A;
  A.Status = Status;
  A.Body = formatv("{0}", json::Value(std::move(Of))).str();
  return A;
}

/// 404: the trace has no answer to such a question.
static unsigned statusOf(const Error &E) {
  unsigned Status = 500;
  visitErrors(E, [&](const ErrorInfoBase &Of) {
    if (!Of.isA<RequestError>())
      return;
    bool IsWrong = static_cast<const RequestError &>(Of).kind() ==
                   RequestError::RequestErrorKind::Malformed;
    Status = IsWrong ? 400 : 404;
  });
  return Status;
}

static HttpAnswer answerOf(Opening &V, const HttpRequest &R) {
  StringRef Name = R.Path;
  if (Name.empty())
    return {200, "text/html; charset=utf-8", servedPolicy().str(),
            servedPage().str()};
  if (!Name.consume_front("api/"))
    return errorAnswer(404, makeRequestError("there is no such page"));
  Expected<std::string> Text = V.answer(Question(Name, R.Query));
  // Long answers free much, which malloc would keep.
  malloc_trim(0);
  if (!Text) {
    Error E = Text.takeError();
    unsigned Status = statusOf(E);
    return errorAnswer(Status, std::move(E));
  }
  HttpAnswer A;
  A.Status = V.isWaiting() ? 202 : 200;
  A.Body = std::move(*Text);
  return A;
}

/// To: the server, which may be stopped as long as the traces are being opened.
static Error serve(Opening &V, std::unique_ptr<HttpServer> &To) {
  constexpr unsigned MaxPort = 65535;
  if (Port > MaxPort)
    return makeUsageError("--port=" + Twine(Port) + ": ports are up to 65535");
  Expected<std::unique_ptr<HttpServer>> S =
      HttpServer::listen(static_cast<uint16_t>(Port));
  if (!S)
    return S.takeError();
  To = std::move(*S);
  Server = To.get();
  struct sigaction Ends = {};
  Ends.sa_handler = stopServer;
  sigaction(SIGINT, &Ends, nullptr);
  sigaction(SIGTERM, &Ends, nullptr);
  struct sigaction Hangup;
  if (sigaction(SIGHUP, nullptr, &Hangup) == 0 && Hangup.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &Ends, nullptr);
  outs() << To->address() << '\n';
  outs().flush();
  SecretPage Page;
  if (!NoOpen)
    Page = openPage(To->address());
  Error Ended = To->run([&](const HttpRequest &R) { return answerOf(V, R); });
  // An error that came after the address was printed.
  return joinErrors(std::move(Ended), V.takeError());
}

/// The bytes of --max-bytes.
static Expected<uint64_t> maxBytes() {
  // Browsers refuse larger texts.
  constexpr uint64_t Most = 256 << 20;
  Expected<uint64_t> Max = parseSize(MaxBytes);
  if (!Max)
    return makeUsageError("--max-bytes=" + MaxBytes + ": " +
                          toString(Max.takeError()));
  if (*Max > Most)
    return makeUsageError("--max-bytes=" + MaxBytes +
                          ": a page can have up to 256 MiB");
  return *Max;
}

static Error writeFile(Router &V) {
  Expected<uint64_t> Max = maxBytes();
  if (!Max)
    return Max.takeError();
  Expected<std::string> Answers = V.fileAnswers(*Max);
  if (!Answers) {
    if (Answers.errorIsA<RequestError>())
      return makeUsageError("--max-bytes=" + MaxBytes + ": " +
                            toString(Answers.takeError()));
    return Answers.takeError();
  }
  Expected<std::unique_ptr<OutputFile>> Out =
      OutputFile::open(Output, OutputFile::Content::Machine);
  if (!Out)
    return Out.takeError();
  (*Out)->os() << filePage(*Answers);
  return (*Out)->keep();
}

/// Whether the traces of the command line are two sides of a comparison. More
/// than two without `--` are one job.
static bool isComparison(const GroupedArguments &Args) {
  return Args.isParted() || Inputs.size() == 2;
}

/// What the page shows: the sides of a comparison, else one trace.
static Expected<std::vector<std::string>>
chosenTraces(const GroupedArguments &Args) {
  if (isComparison(Args))
    return std::vector<std::string>(Inputs.begin(), Inputs.end());
  Expected<std::string> One = chooseTraces(Inputs);
  if (!One)
    return One.takeError();
  return std::vector<std::string>{*One};
}

/// Most traces are open at once. A trace that was cut off is replayed while the
/// page shows the progress.
static Expected<int> openAndServe(const Opening::Open &How) {
  constexpr unsigned AtOnceMs = 800;
  std::unique_ptr<HttpServer> S; // outlives V, which may stop it
  Opening V(How, [] {
    if (HttpServer *Now = Server)
      Now->stop();
  });
  V.waitFor(AtOnceMs);
  if (Error E = V.takeError())
    return std::move(E);
  if (Error E = serve(V, S))
    return std::move(E);
  // Nobody waits for the answer any more.
  if (V.isWorking())
    _exit(0);
  return 0;
}

static Expected<int> run(const SelectionFlags &Flags,
                         const GroupedArguments &Args) {
  size_t NumBefore = 1;
  if (isComparison(Args))
    if (Error E = Args.numBefore(Inputs).moveInto(NumBefore))
      return std::move(E);
  if (isComparison(Args) && count(Inputs, "-"))
    return makeUsageError("a comparison is of files: memview reads the parts "
                          "of a trace again and again");
  Expected<std::vector<std::string>> Paths = chosenTraces(Args);
  if (!Paths)
    return Paths.takeError();
  if (MaxBytes.getNumOccurrences() && Output.empty())
    return makeUsageError("--max-bytes needs -o");
  Expected<SelectionSpec> Spec = Flags.spec();
  if (!Spec)
    return Spec.takeError();
  auto Open = [&](ProgressCallback Tell) {
    return Router::open(
        *Paths, NumBefore, *Spec, std::move(Tell),
        [](const std::string &Path) {
          return [Path](const AskedValues &V) { return commandOf(V, Path); };
        },
        [&](Metric M) { return compareCommand(M, NumBefore); });
  };
  if (Output.empty())
    return openAndServe(Open);
  Expected<std::unique_ptr<Router>> V = Open(showProgress());
  if (!V)
    return V.takeError();
  if (Error E = writeFile(**V))
    return std::move(E);
  return 0;
}

int main(int Argc, char **Argv) {
  acceptFolders();
  useLargePages();
  // What one answer frees goes back at once; kept, it added 10 % to the peak.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  SelectionFlags Flags(SF_AllFrames);
  GroupedArguments Args(Argc, Argv);
  return runTool(Args.count(), Args.data(),
                 {"memview", "Shows a trace in a browser.",
                  "memview trace.fb\n"
                  "memview before.fb after.fb\n"
                  "memview run/\n"
                  "memview --no-open --port=8000 trace.fb",
                  "[trace | folder]..."},
                 [&] { return run(Flags, Args); });
}

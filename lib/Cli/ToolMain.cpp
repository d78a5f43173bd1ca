// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses options and reports errors for all tools.

#include "ToolMain.h"
#include "Live/LiveTrace.h"
#include "OutputFile.h"
#include "OutputFormat.h"
#include "ProjectConfig.h"
#include "ShellText.h"
#include "Support/CommandText.h"
#include "UsageText.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace memkit {

/// Whether standard input is a file, or a pipe with data: not a terminal or
/// /dev/null. Waits until a pipe has data or ends; programs often start others
/// with an empty pipe.
static bool hasInput() {
  struct stat Info;
  if (fstat(STDIN_FILENO, &Info) != 0)
    return false;
  if (S_ISREG(Info.st_mode))
    return true;
  if (!S_ISFIFO(Info.st_mode) && !S_ISSOCK(Info.st_mode))
    return false;
  pollfd Poll = {STDIN_FILENO, POLLIN, 0};
  int N;
  do
    N = poll(&Poll, 1, -1);
  while (N < 0 && errno == EINTR);
  int Bytes = 0;
  return N > 0 && ioctl(STDIN_FILENO, FIONREAD, &Bytes) == 0 && Bytes > 0;
}

Error chooseTrace(std::string &Input) {
  if (!Input.empty())
    return Error::success();
  if (hasInput()) {
    Input = "-";
    return Error::success();
  }
  constexpr StringLiteral Usual = "trace.fb";
  if (!sys::fs::exists(Usual))
    return makeUsageError("a trace is missing, and there is no trace.fb here; "
                          "try '" +
                          toolName() + " --help'");
  Input = Usual.str();
  say("reading trace.fb");
  return Error::success();
}

/// Whether the command line causes all errors in E.
static bool isUsage(const Error &E) {
  bool Malformed = E.isA<UsageError>();
  if (E.isA<RequestError>())
    visitErrors(E, [&](const ErrorInfoBase &Info) {
      Malformed = static_cast<const RequestError &>(Info).kind() ==
                  RequestError::RequestErrorKind::Malformed;
    });
  return Malformed;
}

namespace {

/// Captures standard error during the object's lifetime: the option parser
/// prints some errors directly, in its own form.
class HeldStderr {
public:
  HeldStderr()
      : Saved(dup(STDERR_FILENO)), Held(memfd_create("stderr", MFD_CLOEXEC)) {
    if (Saved >= 0 && Held >= 0)
      dup2(Held, STDERR_FILENO);
  }
  ~HeldStderr() {
    if (Held >= 0)
      close(Held);
  }

  /// Restores standard error and returns the captured text.
  std::string release() {
    std::string Text;
    if (Saved < 0)
      return Text;
    if (Held >= 0) {
      dup2(Saved, STDERR_FILENO);
      off_t Size = lseek(Held, 0, SEEK_END);
      Text.resize(Size > 0 ? Size : 0);
      ssize_t Got = pread(Held, Text.data(), Text.size(), 0);
      Text.resize(Got > 0 ? Got : 0);
    }
    close(Saved);
    return Text;
  }

private:
  int Saved;
  int Held;
};

} // namespace

/// What the project's files say.
static ProjectConfig OfProject;

/// Says which options that an error names stand in a file.
static void explainOrigin(StringRef Error) {
  for (const ConfigOption &O : OfProject.Options)
    if (StringRef(O.Text).contains('=') && Error.contains(O.Text))
      WithColor::note(errs(), toolName())
          << oneLine(O.Text + " stands in " + O.From) << '\n';
}

static void printUsageErrors(StringRef Text, ArrayRef<const char *> Args) {
  bool First = true;
  std::string All;
  for (const std::string &Line : usageMessages(Text, toolName(), Args)) {
    if (std::exchange(First, false))
      WithColor::error(errs(), toolName()) << oneLine(Line) << '\n';
    else
      WithColor::note(errs(), toolName()) << oneLine(Line) << '\n';
    All += Line;
  }
  explainOrigin(All);
}

/// The project's options, which the command line's follow. Ends the program if
/// they are wrong.
static std::vector<std::string> projectOptions(const ToolDescription &D,
                                               ArrayRef<const char *> Args) {
  // Help is there with any configuration.
  if (any_of(Args, [](StringRef Arg) {
        Arg = Arg.ltrim('-');
        return Arg == "help" || Arg == "h" || Arg == "version" ||
               Arg.starts_with("help=");
      }))
    return {};
  std::vector<StringRef> Names;
  for (const auto &Known : cl::getRegisteredOptions())
    Names.push_back(Known.first());
  Expected<ProjectConfig> C = readProjectConfig();
  Expected<std::vector<std::string>> Options =
      C ? optionsOf(*C, D.Name == "memkit run" ? "memrec" : D.Name, Names)
        : C.takeError();
  if (Options) {
    OfProject = std::move(*C);
    return std::move(*Options);
  }
  reportError(Options.takeError());
  exit(D.UsageStatus);
}

void parseToolOptions(int Argc, char **Argv, const ToolDescription &D) {
  setToolName(D.Name);
  // https://no-color.org: any text in the variable.
  if (const char *NoColor = getenv("NO_COLOR"); NoColor && *NoColor)
    WithColor::setAutoDetectFunction([](const raw_ostream &) { return false; });
  static cl::opt<bool> QuietOpt("q", cl::desc("Print no warnings and notes"),
                                cl::cat(toolCategory()));
  static cl::opt<bool> VerboseOpt("v", cl::desc("Print more details"),
                                  cl::cat(toolCategory()));
  cl::SetVersionPrinter([](raw_ostream &OS) {
    OS << toolName() << " (memkit) " << MEMKIT_VERSION << '\n';
  });
  StringMap<cl::Option *> &Known = cl::getRegisteredOptions();
  if (auto Color = Known.find("color"); Color != Known.end()) {
    Color->second->Categories.assign({&toolCategory()});
    Color->second->setHiddenFlag(cl::NotHidden);
    Color->second->setDescription("Use colours (default: on a terminal)");
  }

  removeForeignOptions();
  // In place of LLVM's own option, whose text has no groups and no width.
  static cl::opt<std::string> Help("help", cl::Hidden, cl::ValueOptional,
                                   cl::cat(toolCategory()));
  static cl::alias ShortHelp("h", cl::Hidden, cl::aliasopt(Help));

  // The parser takes the tool's name from the first argument.
  SmallVector<const char *, 32> Args(Argv, Argv + Argc);
  if (Args.empty())
    Args.push_back("");
  const std::string Name = toolName().str();
  Args[0] = Name.c_str();
  std::vector<std::string> Given = projectOptions(D, Args);
  for (const std::string &Option : reverse(Given))
    Args.insert(Args.begin() + 1, Option.c_str());
  HeldStderr Held;
  std::string Errors;
  raw_string_ostream ErrorStream(Errors);
  bool Fine = cl::ParseCommandLineOptions(Args.size(), Args.data(), D.Overview,
                                          &ErrorStream, nullptr,
                                          /*LongOptionsUseDoubleDash=*/true);
  std::string Others = Held.release();
  setVerbosity(QuietOpt, VerboseOpt);
  if (Help.getNumOccurrences()) {
    if (Help.empty()) {
      printHelp(outs(), D);
    } else if (!printShellText(outs(), D, Help)) {
      reportError(makeUsageError("--help=" + Help +
                                 ": man, bash, zsh or fish, or --help alone"));
      exit(D.UsageStatus);
    }
    outs().flush();
    exit(ExitOk);
  }
  if (Fine) {
    errs() << Others;
    for (const std::string &Path : OfProject.PassedOver)
      warn(Path + ": passed over, because other users may write it");
    chooseFormatByOutput(unsigned(Given.size()));
    return;
  }
  printUsageErrors(Others + Errors, ArrayRef(Args).drop_front());
  exit(D.UsageStatus);
}

int flushOutput(int Status) {
  outs().flush();
  if (!outs().has_error())
    return Status;
  std::error_code Code = outs().error();
  outs().clear_error();
  if (Code != std::errc::broken_pipe)
    reportError(makeError("<stdout>: " + Code.message()));
  return Status ? Status : int(ExitError);
}

int runTool(int Argc, char **Argv, const ToolDescription &D,
            function_ref<Expected<int>()> Body) {
  parseToolOptions(Argc, Argv, D);
  acceptRecordings();
  int Status = ExitOk;
  Expected<int> Result = Body();
  if (Result) {
    Status = *Result;
  } else {
    Error E = Result.takeError();
    Status = isUsage(E) ? ExitUsage : ExitError;
    std::string Text;
    visitErrors(E, [&](const ErrorInfoBase &I) { Text += I.message(); });
    // A closed pipe is not reported.
    if (E.isA<BrokenPipe>())
      consumeError(std::move(E));
    else
      reportError(std::move(E));
    explainOrigin(Text);
  }
  return flushOutput(Status);
}

} // namespace memkit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses options and reports errors for all tools.

#include "ToolMain.h"
#include "Advice.h"
#include "OutputFile.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/WithColor.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace memkit {

static std::string TheName = "memkit";
static bool Quiet = false;
static bool Verbose = false;

cl::OptionCategory &toolCategory() {
  static cl::OptionCategory Category("Options");
  return Category;
}

char UsageError::ID = 0;
void UsageError::log(raw_ostream &OS) const { OS << What; }
std::error_code UsageError::convertToErrorCode() const {
  return std::make_error_code(std::errc::invalid_argument);
}

Error requireArgument(StringRef Argument, StringRef What) {
  if (!Argument.empty())
    return Error::success();
  return makeUsageError(What + " is missing; try '" + TheName + " --help'");
}

StringRef toolName() { return TheName; }
bool isQuiet() { return Quiet; }
bool isVerbose() { return Verbose; }

/// The option for a field of a library's request: the option has the field's
/// name.
static std::string optionName(RequestField Field) {
  return ("--" + fieldName(Field)).str();
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

void reportError(Error E) {
  auto Print = [](const Twine &Text) {
    outs().flush();
    WithColor::error(errs(), TheName) << Text << '\n';
  };
  handleAllErrors(
      std::move(E),
      [&](const RequestError &R) {
        Print(R.text(optionName) + adviceFor(R.kind()));
      },
      [&](const ErrorInfoBase &Info) { Print(Info.message()); });
}

void warn(const Twine &What) {
  static StringSet<> Stored;
  std::string Text = What.str();
  if (Quiet || !Stored.insert(Text).second)
    return;
  outs().flush();
  WithColor::warning(errs(), TheName) << Text << '\n';
}

void say(const Twine &What) {
  if (Quiet)
    return;
  outs().flush();
  errs() << TheName << ": " << What << '\n';
}

void sayVerbose(const Twine &What) {
  if (Verbose)
    say(What);
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

/// Turns one line of the option parser into the form of all tools' errors.
static std::string restyle(StringRef Line) {
  Line.consume_front(TheName);
  Line.consume_front(": ");
  std::string Text = Line.rtrim(" .!").str();
  if (!Text.empty())
    Text[0] = toLower(Text[0]);
  size_t Try = Text.find(".  Try: ");
  if (Try != std::string::npos)
    Text.replace(Try, strlen(".  Try: "), "; try ");
  return Text;
}

static void printUsageErrors(StringRef Text) {
  bool First = true;
  for (StringRef Line : split(Text, '\n')) {
    if (Line.trim().empty())
      continue;
    if (First)
      WithColor::error(errs(), TheName) << restyle(Line) << '\n';
    else
      WithColor::note(errs(), TheName) << restyle(Line) << '\n';
    First = false;
  }
}

static std::string formatExamples(StringRef Examples) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "\nEXAMPLES:\n";
  for (StringRef Line : split(Examples, '\n'))
    OS << "  " << Line << '\n';
  return Text;
}

void parseToolOptions(int Argc, char **Argv, const ToolDescription &D) {
  TheName = D.Name.str();
  static cl::opt<bool> QuietOpt("q", cl::desc("Print only errors"),
                                cl::cat(toolCategory()));
  static cl::opt<bool> VerboseOpt("v", cl::desc("Print more details"),
                                  cl::cat(toolCategory()));
  static std::string Examples = formatExamples(D.Examples);
  static cl::extrahelp Extra(Examples);
  cl::SetVersionPrinter([](raw_ostream &OS) {
    OS << TheName << " (memkit) " << MEMKIT_VERSION << '\n';
  });
  cl::HideUnrelatedOptions(toolCategory());
  StringMap<cl::Option *> &Known = cl::getRegisteredOptions();
  if (auto Color = Known.find("color"); Color != Known.end()) {
    Color->second->Categories.assign({&toolCategory()});
    Color->second->setHiddenFlag(cl::NotHidden);
  }

  // The parser takes the tool's name from the first argument.
  SmallVector<const char *, 32> Args(Argv, Argv + Argc);
  if (Args.empty())
    Args.push_back("");
  Args[0] = TheName.c_str();
  HeldStderr Held;
  std::string Errors;
  raw_string_ostream ErrorStream(Errors);
  bool Fine = cl::ParseCommandLineOptions(Args.size(), Args.data(), D.Overview,
                                          &ErrorStream, nullptr,
                                          /*LongOptionsUseDoubleDash=*/true);
  std::string Others = Held.release();
  Quiet = QuietOpt;
  Verbose = VerboseOpt && !Quiet;
  if (Fine) {
    errs() << Others;
    return;
  }
  printUsageErrors(Others + Errors);
  exit(D.UsageStatus);
}

int runTool(int Argc, char **Argv, const ToolDescription &D,
            function_ref<Expected<int>()> Body) {
  parseToolOptions(Argc, Argv, D);
  int Status = ExitOk;
  Expected<int> Result = Body();
  if (Result) {
    Status = *Result;
  } else {
    Error E = Result.takeError();
    Status = isUsage(E) ? ExitUsage : ExitError;
    // A closed pipe is not reported.
    if (E.isA<BrokenPipe>())
      consumeError(std::move(E));
    else
      reportError(std::move(E));
  }
  return Status;
}

} // namespace memkit

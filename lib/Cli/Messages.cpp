// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages and exit statuses of all tools.

#include "Messages.h"
#include "Advice.h"
#include "Support/CommandText.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

namespace memkit {

static std::string TheName = "memkit";
static bool Quiet = false;
static bool Verbose = false;

StringRef toolName() { return TheName; }
bool isQuiet() { return Quiet; }
bool isVerbose() { return Verbose; }

void setToolName(StringRef Name) { TheName = Name.str(); }
void setVerbosity(bool IsQuiet, bool IsVerbose) {
  Quiet = IsQuiet;
  Verbose = IsVerbose && !IsQuiet;
}

char UsageError::ID = 0;
void UsageError::log(raw_ostream &OS) const { OS << What; }
std::error_code UsageError::convertToErrorCode() const {
  return std::make_error_code(std::errc::invalid_argument);
}

/// The option for a field of a library's request: the option has the field's
/// name.
static std::string optionName(RequestField Field) {
  return ("--" + fieldName(Field)).str();
}

void reportError(Error E) {
  auto Print = [](const Twine &Text) {
    outs().flush();
    WithColor::error(errs(), TheName) << harmlessLines(Text.str()) << '\n';
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
  WithColor::warning(errs(), TheName) << harmlessLines(Text) << '\n';
}

void say(const Twine &What) {
  if (Quiet)
    return;
  outs().flush();
  errs() << TheName << ": " << harmlessLines(What.str()) << '\n';
}

void sayVerbose(const Twine &What) {
  if (Verbose)
    say(What);
}

} // namespace memkit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user meant by a command that cannot start.

#include "StartHint.h"
#include "RunCommand.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace memkit {

std::string startHint(ArrayRef<std::string> Command) {
  StringRef Program = Command[0];
  StringRef First = Program.split(' ').first;
  if (Command.size() == 1 && First.size() != Program.size() &&
      sys::findProgramByName(First))
    return ("memrec -- " + Program).str();
  // A shell looks in the current folder only where a name has a slash.
  std::string Here = ("./" + Program).str();
  if (!Program.contains('/') && sys::fs::is_regular_file(Here) &&
      sys::fs::can_execute(Here))
    return Here;
  StringRef Interpreter = interpreterOf(Program);
  if (Interpreter.empty() || !sys::fs::is_regular_file(Program))
    return "";
  return ("memrec -- " + Interpreter + " " + join(Command, " ")).str();
}

std::string optionAfterProgram(ArrayRef<std::string> Command) {
  for (size_t I = 1; I + 1 < Command.size(); ++I)
    if (Command[I] == "-o" && StringRef(Command[I + 1]).ends_with(".fb"))
      return "-o " + Command[I + 1];
  return "";
}

} // namespace memkit

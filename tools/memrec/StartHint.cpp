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
  StringRef Interpreter = interpreterOf(Program);
  if (Interpreter.empty() || !sys::fs::is_regular_file(Program))
    return "";
  return ("memrec -- " + Interpreter + " " + join(Command, " ")).str();
}

} // namespace memkit

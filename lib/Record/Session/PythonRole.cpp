// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The role of a Python process: the name of what it runs.

#include "Session/PythonRole.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace memkit;

static constexpr size_t MaxRoleBytes = 200;

static StringRef lastPart(StringRef Path) {
  return Path.substr(Path.rfind('/') + 1);
}

/// `python`, `python3`, `python3.11`, `python3.11-dbg`, `pypy3`.
static bool isPython(StringRef Path) {
  StringRef Name = lastPart(Path);
  return (Name.consume_front("python") || Name.consume_front("pypy")) &&
         (Name.empty() || isDigit(Name.front()));
}

/// The task of multiprocessing's own command line; empty for other code.
static StringRef taskOf(StringRef Code) {
  if (!Code.consume_front("from multiprocessing."))
    return "";
  for (StringRef Task :
       {"spawn", "forkserver", "resource_tracker", "semaphore_tracker"})
    if (Code.starts_with((Task + " import ").str()))
      return Task;
  return "";
}

/// The name in Role, without the task in parentheses.
static StringRef nameOf(StringRef Role) {
  size_t At = Role.find(" (");
  return Role.take_front(At);
}

static std::string named(StringRef Name) {
  std::string Text = Name.take_front(MaxRoleBytes).str();
  return json::isUTF8(Text) ? Text : json::fixUTF8(Text);
}

std::string memkit::pythonRole(StringRef Exe, ArrayRef<std::string> Command,
                               StringRef ParentRole) {
  if (Command.empty() || (!isPython(Exe) && !isPython(Command[0])))
    return "";
  for (size_t I = 1; I < Command.size(); ++I) {
    StringRef Arg = Command[I];
    if (Arg == "-")
      break;
    if (!Arg.starts_with("-"))
      return named(lastPart(Arg.rtrim('/')));
    if (Arg.starts_with("--")) {
      I += Arg == "--check-hash-based-pycs";
      continue;
    }
    // Letters may share a dash; only the last letter may take a value.
    size_t At = Arg.find_first_of("cmWX", 1);
    if (At == StringRef::npos)
      continue;
    StringRef Value = Arg.drop_front(At + 1);
    if (Value.empty() && ++I < Command.size())
      Value = Command[I];
    if (Arg[At] == 'm')
      return named(Value);
    if (Arg[At] != 'c')
      continue;
    StringRef Task = taskOf(Value);
    if (Task.empty())
      return "-c";
    StringRef Name = ParentRole.empty() ? "python" : nameOf(ParentRole);
    return (Name + " (" + Task + ")").str();
  }
  return "python";
}

std::string memkit::dataWorkerRole(StringRef Own, unsigned Number) {
  return (nameOf(Own) + " (DataLoader worker " + Twine(Number) + ")").str();
}

std::string memkit::forkedRole(StringRef Parent) {
  if (Parent.empty() || Parent.ends_with(" (fork)") ||
      Parent.ends_with(" child)"))
    return Parent.str();
  StringRef Server = Parent;
  if (Server.consume_back("forkserver)"))
    return (Server + "forkserver child)").str();
  return (nameOf(Parent) + " (fork)").str();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs of two traces, paired.

#include "memkit/Model/MainNames.h"
#include "memkit/Model/SteadyNames.h"
#include "memkit/Model/Trace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace memkit {

namespace {
/// The distinct names of one kind of program, in the order of processes.
struct Programs {
  std::vector<std::string> InOrder;
  StringSet<> All;
  /// Whether the first process has a name, which is then the first.
  bool FirstHasOne = false;

  void add(StringRef Name, bool IsFirst) {
    if (Name.empty())
      return;
    FirstHasOne |= IsFirst;
    if (All.insert(Name).second)
      InOrder.push_back(Name.str());
  }
};
} // namespace

static Programs executablesOf(const Trace &T) {
  Programs P;
  for (const ProcessRecord &I : T.processes()) {
    std::string Room;
    P.add(steadyFile(T.string(I.Exe), Room), &I == T.processes().begin());
  }
  return P;
}

/// The scripts of processes: roles that are file names. Other roles name no
/// file.
static Programs scriptsOf(const Trace &T) {
  Programs P;
  for (const ProcessRecord &I : T.processes())
    if (StringRef Role = T.string(I.Role); Role.ends_with(".py"))
      P.add(Role, &I == T.processes().begin());
  return P;
}

/// Names of Mine that Other lacks. DropFirst leaves out the first process's
/// name.
static std::vector<StringRef> lackedBy(const Programs &Other,
                                       const Programs &Mine, bool DropFirst) {
  std::vector<StringRef> Lacked;
  for (const std::string &Name : drop_begin(Mine.InOrder, DropFirst))
    if (!Other.All.contains(Name))
      Lacked.push_back(Name);
  return Lacked;
}

static void pairPrograms(const Programs &Mine, const Programs &Other,
                         StringMap<std::string> &Names) {
  bool Firsts = Mine.FirstHasOne && Other.FirstHasOne &&
                !Other.All.contains(Mine.InOrder.front()) &&
                !Mine.All.contains(Other.InOrder.front());
  if (Firsts)
    Names[Mine.InOrder.front()] = Other.InOrder.front();
  std::vector<StringRef> From = lackedBy(Other, Mine, Firsts),
                         To = lackedBy(Mine, Other, Firsts);
  if (From.size() != To.size())
    return;
  for (auto [Name, New] : zip(From, To))
    Names[Name] = New.str();
}

MainNames::MainNames(const Trace &T, const Trace &Other) {
  pairPrograms(executablesOf(T), executablesOf(Other), Names);
  pairPrograms(scriptsOf(T), scriptsOf(Other), Names);
}

} // namespace memkit

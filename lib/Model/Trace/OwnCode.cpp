// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose code a frame is.

#include "OwnCode.h"
#include "memkit/Model/Rules.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// The part of Path after the last of the folders; empty without any of them.
static StringRef afterPackages(StringRef Path) {
  for (StringRef Folder : {"/site-packages/", "/dist-packages/"})
    if (size_t At = Path.rfind(Folder); At != StringRef::npos)
      return Path.drop_front(At + Folder.size());
  return StringRef();
}

/// The part of Path below `lib/python3.11/`; empty for another path.
static StringRef afterStandard(StringRef Path) {
  size_t At = Path.find("/lib/python");
  if (At == StringRef::npos)
    return StringRef();
  return Path.drop_front(At + strlen("/lib/python")).split('/').second;
}

bool isStandardPython(StringRef File) {
  return File.starts_with("<frozen ") ||
         (afterPackages(File).empty() && !afterStandard(File).empty());
}

StringRef packageOf(StringRef File) {
  if (File.consume_front("<frozen "))
    return File.drop_back().split('.').first;
  StringRef Below = afterPackages(File);
  if (Below.empty())
    Below = afterStandard(File);
  if (Below.empty()) {
    // Of another folder: the package's folder, or the file.
    StringRef Folder = File.rsplit('/').first;
    Below = File.ends_with("/__init__.py") ? baseName(Folder) : baseName(File);
  }
  StringRef First = Below.split('/').first;
  First.consume_back(".py");
  return First.split(".cpython").first;
}

bool isLauncher(StringRef File) {
  StringRef Name = baseName(File);
  return !Name.contains('.') && File.drop_back(Name.size()).ends_with("/bin/");
}

OwnCode::OwnCode(const Trace &T) : T(T) {
  for (const ProcessRecord &P : T.processes()) {
    Executables.insert(T.string(P.Exe));
    RunsText |= any_of(P.Command,
                       [&](uint32_t Word) { return T.string(Word) == "-c"; });
  }
}

void OwnCode::adopt(StringRef PythonPackage, bool WithExecutables) {
  Package = PythonPackage;
  OwnsExecutables = WithExecutables;
  Python.clear();
  Binaries.clear();
}

bool OwnCode::isOwnPython(StringRef File) const {
  if (File.empty())
    return false;
  auto [At, New] = Python.try_emplace(File.data(), false);
  if (!New)
    return At->second;
  bool Is;
  if (File == "<string>" && RunsText)
    Is = true;
  else if (!Package.empty() && packageOf(File) == Package &&
           !isStandardPython(File) && !File.contains("/_vendor/"))
    Is = true;
  else
    Is = T.rules().isOwnFile(File).value_or(!File.empty() && !isLauncher(File));
  return At->second = Is;
}

/// Of a binary that no rule names: a path, or a program without its folder;
/// neither `[vdso]` nor a library without its folder.
static bool isOwnByDefault(StringRef Path) {
  return Path.contains('/') || !(Path.starts_with("[") || Path.contains(".so"));
}

bool OwnCode::isOwnBinary(StringRef Path) const {
  if (Path.empty())
    return false;
  auto [At, New] = Binaries.try_emplace(Path.data(), false);
  if (!New)
    return At->second;
  bool Is = !Path.empty() && !T.rules().binaryRole(Path).IsInterpreter &&
            ((OwnsExecutables && isExecutable(Path)) ||
             T.rules().isOwnBinary(Path).value_or(isOwnByDefault(Path)));
  return At->second = Is;
}

bool OwnCode::isOwnSource(StringRef File) const {
  if (File.empty())
    return false;
  auto [At, New] = Sources.try_emplace(File.data(), false);
  if (New)
    At->second = T.rules().isOwnFile(File).value_or(!File.empty());
  return At->second;
}

/// Whether a function of C++ is a constructor, destructor or assignment.
static bool isSpecialMember(StringRef Function) {
  StringRef Name = Function.take_until([](char C) { return C == '('; });
  auto [Scope, Last] = Name.rsplit("::");
  if (Last.empty())
    return false;
  if (Last == "operator=")
    return true;
  Last.consume_front("~");
  // `Table` is the class of `ns::Table<std::string>::Table`, too.
  size_t At = Scope.find(Last.str() + "<");
  StringRef Class =
      At == StringRef::npos ? Scope : Scope.take_front(At + Last.size());
  return Class == Last || Class.ends_with("::" + Last.str());
}

bool OwnCode::isImplicit(const ShownFrame &F) const {
  if (F.IsPython || !F.Line || !isSpecialMember(F.Function))
    return false;
  StringRef Text = T.sourceLine(T.function(F.FunctionId).File, F.Line).trim();
  if (Text.ends_with("= default;"))
    return true;
  bool IsClass = Text.starts_with("struct ") || Text.starts_with("class ") ||
                 Text.starts_with("template");
  return IsClass && !Text.contains('(');
}

bool OwnCode::isOwn(const ShownFrame &F) const {
  if (F.IsPython)
    return isOwnPython(F.File);
  if (!F.FunctionId || !isOwnBinary(F.Binary))
    return false;
  return F.File.empty() ? isExecutable(F.Binary)
                        : isOwnSource(F.File) && F.Line != 0 && !isImplicit(F);
}

} // namespace memkit

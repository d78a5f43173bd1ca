// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of modules of Python in a program that runs.
//
// A module has its dictionary behind its header.

#include "Census/PythonNames.h"
#include "Census/PythonReader.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

namespace {

struct NamedModule {
  std::string Name, File; ///< File: else the name
  std::vector<NamedValue> Entries;

  std::string nameOf(StringRef Variable) const {
    return Name == "__main__" ? Variable.str() : Name + "." + Variable.str();
  }
  /// Not of the standard library, nor installed.
  bool isOfProgram() const {
    StringRef At = File;
    bool IsLibrary = At.contains("/site-packages/") ||
                     At.contains("/dist-packages/") ||
                     At.contains("/lib/python") || !At.contains('/');
    return Name == "__main__" || !IsLibrary;
  }
};

/// Names attributes of the program's variables: `cache.entries`.
class AttributeNames {
public:
  AttributeNames(PythonReader &Reader, BlockGraph &To)
      : Reader(Reader), To(To) {}
  void add(uint64_t Object, std::string Name, StringRef File) {
    push(Object, std::move(Name), File, 0);
  }
  /// Nearer names come first.
  void nameAll();

private:
  static constexpr size_t MaxObjects = 100'000;
  static constexpr unsigned MaxDepth = 3;
  struct NamedObject {
    uint64_t Object;
    std::string Name;
    StringRef File;
    unsigned Depth;
  };
  void push(uint64_t Object, std::string Name, StringRef File, unsigned Depth) {
    if (Seen.size() < MaxObjects && Seen.insert(Object).second)
      Waiting.push_back({Object, std::move(Name), File, Depth});
  }

  PythonReader &Reader;
  BlockGraph &To;
  DenseSet<uint64_t> Seen;
  std::vector<NamedObject> Waiting;
};

} // namespace

/// `__builtins__` and the like are not the program's own.
static bool isOwnName(StringRef Name) {
  return !Name.empty() && !(Name.starts_with("__") && Name.ends_with("__"));
}

/// Whether the object is code, or too small to be worth a name.
static bool isNameless(StringRef Type) {
  return StringSwitch<bool>(Type)
      .Cases("", "function", "builtin_function_or_method", "method", true)
      .Cases("property", "staticmethod", "classmethod", "code", true)
      .Cases("wrapper_descriptor", "method_descriptor", "getset_descriptor",
             "member_descriptor", true)
      .Cases("str", "int", "float", "bool", "NoneType", "module", true)
      .Default(false);
}

void AttributeNames::nameAll() {
  for (size_t I = 0; I != Waiting.size(); ++I) {
    NamedObject Of = Waiting[I];
    for (const NamedValue &A : Reader.attributes(Of.Object)) {
      if (!isOwnName(A.Name) || isNameless(Reader.typeName(A.Value)))
        continue;
      std::string Name = Of.Name + "." + A.Name;
      To.addRoot(A.Value, Name, Of.File);
      if (Of.Depth + 1 != MaxDepth)
        push(A.Value, std::move(Name), Of.File, Of.Depth + 1);
    }
  }
}

static std::vector<NamedModule> modulesOf(const TargetMemory &Memory,
                                          const PythonReader &Reader,
                                          const BlockGraph &Graph) {
  std::vector<NamedModule> Modules;
  for (const BlockGraph::GraphBlock &B : Graph.blocks()) {
    uint64_t Object = B.Address + B.Is.Offset, Dictionary = 0;
    if (Reader.typeName(&B) != "module" ||
        !Memory.read(Object + 16, Dictionary) ||
        Reader.typeName(Dictionary) != "dict")
      continue;
    NamedModule M;
    M.Entries = Reader.dictionary(Dictionary);
    for (const NamedValue &E : M.Entries)
      if (E.Name == "__name__")
        M.Name = Reader.text(E.Value);
      else if (E.Name == "__file__")
        M.File = Reader.text(E.Value);
    if (M.File.empty())
      M.File = M.Name;
    if (!M.Name.empty())
      Modules.push_back(std::move(M));
  }
  std::partition(Modules.begin(), Modules.end(),
                 [](const NamedModule &M) { return M.Name == "__main__"; });
  return Modules;
}

void memkit::addPythonNames(const TargetMemory &Memory, const BlockKinds &Kinds,
                            BlockGraph &To) {
  PythonReader Reader(Memory, Kinds, To);
  AttributeNames Attributes(Reader, To);
  std::vector<NamedModule> Modules = modulesOf(Memory, Reader, To);
  for (const NamedModule &M : Modules)
    for (const NamedValue &E : M.Entries) {
      if (!isOwnName(E.Name) || Reader.typeName(E.Value) == "module")
        continue;
      To.addRoot(E.Value, M.nameOf(E.Name), M.File);
      if (M.isOfProgram() && !isNameless(Reader.typeName(E.Value)))
        Attributes.add(E.Value, M.nameOf(E.Name), M.File);
    }
  Attributes.nameAll();
}

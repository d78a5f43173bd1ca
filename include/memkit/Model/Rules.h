// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules by name: functions that views fold, code that is the user's own, memory
// that is no leak, and names for memory that no line of the program explains.
//
// A rules file has one rule a line; empty lines and lines that start with `#`
// are skipped:
//
//     fold:^c10::Dispatcher::              a function that says nothing
//     keep:^c10::Dispatcher::registerDef   but this one
//     own:file=^/srv/app/                  the user's own code
//     library:/vendor/                     somebody else's
//     leak:^_dl_new_object$                memleak does not report it
//     change:^Cache::fill$                 memdiff does not report it
//     category:^_PyGC_Init$ => Python start
//     owner:binary=/libnccl.so => NCCL     names memory, whoever asked for it
//     pool:binary=/libarrow.so => Arrow's pool
//     forwards:^libmyalloc.so              passes on requests for memory
//
// A pattern is searched anywhere in a name; `*` stands for any text, `^` at
// the start and `$` at the end bind the pattern to the ends of the name. The
// names are functions (fold, keep), paths of source files and binaries (own,
// library), all three (leak, change, category, owner), or file names of
// binaries without folders (forwards); `function=`, `file=` or `binary=` before
// the pattern chooses one. `leak(HEAP):` holds only in traces with that heap.
// The first rule that matches counts, so the user's rules come before the
// built-in rules. A file of LeakSanitizer's suppressions is a rules file.

#ifndef MEMKIT_MODEL_RULES_H
#define MEMKIT_MODEL_RULES_H

#include "memkit/Model/FrameRoles.h"
#include "memkit/Model/Patterns.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memkit {

/// The kind of a rule. Kinds from Glue on are for the frames of an interpreter
/// (FrameRoles.h).
enum class NameRuleKind : uint8_t {
  Fold,        ///< `fold` and `keep`
  Own,         ///< `own` and `library`
  Leak,        ///< `leak`
  Change,      ///< `change`
  Category,    ///< `category`
  Owner,       ///< `owner`
  Pool,        ///< `pool`
  Requests,    ///< `forwards`, `cache` and `driver`
  Glue,        ///< functions of an interpreter that only call others
  Allocator,   ///< functions of an interpreter's allocators
  Start,       ///< the start of a process or thread
  Import,      ///< Python files that import or run modules
  Interpreter, ///< binaries
};
inline constexpr unsigned NumRuleKinds = 13;

/// What the rules say about a function, or a binary, of native code.
struct FunctionRole {
  bool IsGlue = false, IsAllocator = false, IsStart = false, IsFolded = false;
};
/// What a binary does with a request for memory.
enum class RequestRole : uint8_t {
  Makes,    ///< requests memory
  Forwards, ///< passes on the request of a frame further out
  Cache,    ///< as Forwards, unless the binary itself requests from the driver
  Driver,   ///< takes memory from the device for a frame further out
};
struct BinaryRole {
  bool IsInterpreter = false;
  /// Outermost frames without symbols are the start of the process or thread.
  bool IsStart = false;
};

class Rules {
public:
  /// The built-in rules alone. The object lives to the end of the process.
  static const Rules &builtIn();
  /// The text of the built-in rules, in the syntax of a rules file.
  static llvm::StringRef builtInText();

  /// Adds the rules of a file's text after the rules added before. File names
  /// the file in errors (`FILE:LINE: what`). IsUsers: the user wrote the rules.
  llvm::Error parse(llvm::StringRef Text, llvm::StringRef File,
                    bool IsUsers = true);
  llvm::Error parseFile(llvm::StringRef Path);
  /// Code whose source file or binary matches the glob is the user's own.
  void addOwn(llvm::StringRef Glob);
  void addBuiltIn();

  FunctionRole functionRole(llvm::StringRef Function) const;
  BinaryRole binaryRole(llvm::StringRef Path) const;
  /// Name: without folders.
  RequestRole requestRole(llvm::StringRef Name) const;
  /// The role of a native frame. Functions: with inlined functions; empty
  /// without symbols.
  static FrameRole nativeRole(BinaryRole B,
                              llvm::ArrayRef<FunctionRole> Functions);
  /// The role of a Python frame of a file.
  FrameRole pythonRole(llvm::StringRef Function, llvm::StringRef File) const;
  /// Whether the source file, or binary, is the user's (true) or somebody
  /// else's (false); none: no rule says.
  std::optional<bool> isOwnFile(llvm::StringRef Path) const;
  std::optional<bool> isOwnBinary(llvm::StringRef Path) const;
  /// The category of memory below the function; empty: no rule says.
  llvm::StringRef category(const FrameNames &F) const;
  /// As category(), for memory that a library keeps for itself, also where a
  /// line of the user's has called the library.
  llvm::StringRef owner(const FrameNames &F) const;

  /// The name of a library's private allocator; empty: no rule says.
  llvm::StringRef pool(llvm::StringRef Binary) const;

  /// A `leak` rule.
  struct LeakRule {
    std::string Pattern; ///< as written, with the field
    std::string Heap;    ///< holds only in traces with this heap; empty: in all
    bool IsUsers;
  };
  llvm::ArrayRef<LeakRule> leaks() const { return Leaks; }
  /// The patterns of `change` rules, as written, with the field.
  llvm::ArrayRef<std::string> changes() const { return Changes; }

private:
  llvm::Error add(llvm::StringRef Line, bool IsUsers);
  llvm::StringRef nameOf(NameRuleKind K, const FrameNames &F) const;
  const NamePatterns &of(NameRuleKind K) const {
    return Lists[static_cast<size_t>(K)];
  }

  NamePatterns Lists[NumRuleKinds];
  /// The values of Category's patterns.
  std::vector<std::string> Categories;
  std::vector<LeakRule> Leaks;
  std::vector<std::string> Changes;
};

} // namespace memkit

#endif // MEMKIT_MODEL_RULES_H

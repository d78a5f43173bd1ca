// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which places of two versions of a program are the same.

#ifndef MEMKIT_LIB_ANALYSIS_PLACEMATCHER_H
#define MEMKIT_LIB_ANALYSIS_PLACEMATCHER_H

#include "LineAlignment.h"
#include "OwnLines.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <string>

namespace memkit {

/// A place of a run, as the runs are compared.
struct ComparedPlace {
  std::string Function; ///< what kind of place, and its name in all builds
  std::string File;     ///< empty: no line of a function
  FunctionLine Text;    ///< of a line
  /// Of the line's function: what recognises the function in stacks.
  uint64_t FunctionKey = 0;
};

/// A place of all runs, as the last run with this place has it.
struct SharedPlace {
  FunctionLine Text;
  uint32_t Run = 0, Place = 0;
  uint32_t Number = 0;
};

/// Numbers the places of all runs. Runs are added from the last to the first,
/// so that places look as in the last run.
///
/// Lines of one function in one file are aligned (LineAlignment.h). A function
/// that one run lacks is, in this order:
///
///  1. the only other one of its name, in another file;
///  2. the only other one of its name without parameters and arguments of
///     templates;
///  3. the function with most lines of the same text, of those with the same
///     name without its scope before others;
///  4. the only function without a counterpart that the same line calls: a line
///     with a counterpart whose text is alike. Several functions may become
///     one.
///
/// At last, a line without a counterpart is paired by its text, if each run has
/// one such line.
class PlaceMatcher {
public:
  /// Returns the number of each place of the run. Calls: between places. The
  /// texts must outlive the matcher.
  std::vector<uint32_t> add(uint32_t Run, llvm::ArrayRef<ComparedPlace> All,
                            llvm::ArrayRef<LineCall> Calls = {});
  std::vector<SharedPlace> byNumber() const;
  /// For each place of the run that add() added last: its function's key in the
  /// last run with this function.
  std::vector<uint64_t> functionKeys() const;
  /// Likewise: the number of its function, which all runs share.
  std::vector<uint32_t> functionNumbers() const;

private:
  /// The lines of a function in one file.
  struct SharedFunction {
    std::string Function, File;
    uint64_t Key = 0;               ///< ComparedPlace::FunctionKey
    uint32_t Number = 0;            ///< of the function, from 0
    std::vector<SharedPlace> Lines; ///< by line
  };
  struct RunLine {
    FunctionLine Text;
    /// Several: a comprehension has the same line and counts as its function.
    llvm::SmallVector<uint32_t, 1> Places;
    std::optional<uint32_t> Number;
  };
  struct RunFunction {
    std::string Function, File;
    uint64_t Key = 0;
    std::vector<RunLine> Lines; ///< by line
    SharedFunction *Of = nullptr;
  };
  using RunFunctions = llvm::MapVector<llvm::StringRef, RunFunction>;
  /// What a line of the run calls.
  struct Callees {
    llvm::SmallSetVector<RunFunction *, 2> Left; ///< without a counterpart
    llvm::SmallPtrSet<const SharedFunction *, 2> Paired; ///< of all others
  };
  using FunctionsOfCall = llvm::SmallSetVector<SharedFunction *, 2>;

  void align(RunFunction &Mine);
  void pair(RunFunction &Mine, SharedFunction &Other);
  void pairNames(llvm::function_ref<std::string(llvm::StringRef)> NameOf);
  void pairTexts();
  llvm::MapVector<const RunLine *, Callees>
  calleesOf(llvm::ArrayRef<LineCall> Calls);
  bool pairCalls(llvm::ArrayRef<LineCall> Calls);
  void pairLines();
  static void sortLines(RunFunction &F);
  void locate(uint32_t Places);
  void number(uint32_t Run, std::vector<uint32_t> &Numbers);
  void keepCalls(llvm::ArrayRef<LineCall> Calls,
                 llvm::ArrayRef<uint32_t> Numbers);
  std::vector<RunFunction *> leftOfMine();
  std::vector<SharedFunction *> leftOfShared();

  llvm::StringMap<SharedFunction> Shared;     ///< by function and file
  std::vector<llvm::StringRef> Sources;       ///< by number
  std::map<uint32_t, FunctionsOfCall> Called; ///< by the number of the line
  uint32_t Count = 0;
  /// Of the run that was added last.
  std::vector<std::string> Names; ///< by place: function and file
  RunFunctions Mine;
  std::vector<RunFunction *> FunctionOf; ///< by place
  std::vector<RunLine *> LineOf;         ///< by place
  llvm::BitVector IsTaken;               ///< by number
};

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_PLACEMATCHER_H

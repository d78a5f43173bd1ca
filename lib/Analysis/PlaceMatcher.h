// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which places of two versions of a program are the same.

#ifndef MEMKIT_LIB_ANALYSIS_PLACEMATCHER_H
#define MEMKIT_LIB_ANALYSIS_PLACEMATCHER_H

#include "LineAlignment.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace memkit {

/// A place of a run, as the runs are compared.
struct ComparedPlace {
  std::string Function; ///< what kind of place, and its name in all builds
  std::string File;     ///< empty: no line of a function
  FunctionLine Text;    ///< of a line
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
/// that one run lacks is, in this order: the only other one of its name, in
/// another file; the function with most lines of the same text, of those with
/// the same name without its scope before others. Lines that have no
/// counterpart then are the same if each run has one such line of this text.
class PlaceMatcher {
public:
  /// Returns the number of each place of the run. The texts must outlive the
  /// matcher.
  std::vector<uint32_t> add(uint32_t Run, llvm::ArrayRef<ComparedPlace> All);
  std::vector<SharedPlace> byNumber() const;

private:
  /// The lines of a function in one file.
  struct SharedFunction {
    std::string Function, File;
    std::vector<SharedPlace> Lines; ///< by line
  };
  struct RunLine {
    FunctionLine Text;
    uint32_t Place = 0;
    std::optional<uint32_t> Number;
  };
  struct RunFunction {
    std::string Function, File;
    std::vector<RunLine> Lines; ///< by line
    SharedFunction *Of = nullptr;
  };
  using RunFunctions = llvm::MapVector<llvm::StringRef, RunFunction>;

  void align(RunFunction &Mine);
  void pairNames();
  void pairTexts();
  void pairLines();
  void number(uint32_t Run, std::vector<uint32_t> &Numbers);
  std::vector<RunFunction *> leftOfMine();
  std::vector<SharedFunction *> leftOfShared();

  llvm::StringMap<SharedFunction> Shared; ///< by function and file
  uint32_t Count = 0;
  /// Of the run that is being added.
  RunFunctions Mine;
  llvm::BitVector IsTaken; ///< by number
};

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_PLACEMATCHER_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags that select a part of a trace.
//
// One definition of --heap, --process, --stack, ... for all tools: the same
// names, meaning and help. The values form a SelectionSpec.

#ifndef MEMKIT_LIB_CLI_SELECTIONFLAGS_H
#define MEMKIT_LIB_CLI_SELECTIONFLAGS_H

#include "memkit/Model/SelectionSpec.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace memkit {

/// The flags that a tool takes.
enum SelectionFlag : unsigned {
  SF_Heap = 1,
  SF_Process = 2,
  SF_Stack = 4,
  SF_Scope = 8,
  SF_MinSize = 16,
  SF_Thread = 32,
  SF_AllFrames = 64, ///< --all-frames, --own, --rules
  SF_Layer = 128,
  SF_Window = 256, ///< --since, --until
  SF_At = 512,
  SF_All = 1023,
};

/// Registers the flags in Wanted as options of toolCategory(). Create before
/// the command line is parsed, and keep while options are read.
class SelectionFlags {
public:
  explicit SelectionFlags(unsigned Wanted = SF_All);
  ~SelectionFlags();
  /// Also reads these files of rules (of suppressions), before the user's own
  /// file.
  void addRules(std::vector<std::string> Files);
  /// The selection from the flags, and with SF_AllFrames the rules: of --own,
  /// of --rules, of addRules(), of the user's file, then the built-in rules.
  /// The user's file is $MEMKIT_RULES, else memkit/rules in $XDG_CONFIG_HOME or
  /// ~/.config, if there. Errors: UsageErrors; of a rules file, its errors.
  llvm::Expected<SelectionSpec> spec() const;

private:
  llvm::Error readRules(SelectionSpec &S) const;

  struct Options;
  std::unique_ptr<Options> O;
};

} // namespace memkit

#endif // MEMKIT_LIB_CLI_SELECTIONFLAGS_H

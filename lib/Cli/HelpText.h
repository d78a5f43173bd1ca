// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of --help: options in groups, within 80 columns.

#ifndef MEMKIT_LIB_CLI_HELPTEXT_H
#define MEMKIT_LIB_CLI_HELPTEXT_H

#include "llvm/Support/CommandLine.h"
#include <string>
#include <vector>

namespace memkit {

struct ToolDescription;

/// The groups in which --help lists options, in this order.
enum class HelpGroup {
  Common,
  Record, ///< what to record
  Select, ///< a part of a trace
  Names,  ///< frames, and whose code is whose
  Limits, ///< how much a recording writes
  Gates,  ///< conditions for scripts
  Expert,
};
inline constexpr unsigned NumHelpGroups = 7;

/// The category of a group's options.
llvm::cl::OptionCategory &helpGroup(HelpGroup G);
/// Of the options that all tools have.
llvm::cl::OptionCategory &toolCategory();
/// Whether the option is in one of the groups.
bool isInHelp(const llvm::cl::Option &O);

/// What an option prints about itself: lines of an option or value, ` - ` and a
/// text. Not for several threads at once: borrows standard output.
std::string optionInfo(const llvm::cl::Option &O);

/// The values of an option with a list of values: `text`, `json`. Borrows
/// standard output, as optionInfo().
std::vector<std::string> optionValues(const llvm::cl::Option &O);

/// A line of --help: an option, or a value of the option before.
struct HelpEntry {
  std::string Name; ///< `--top=<n>`, `-o <file>`, `-q`; of a value: `json`
  std::string Text;
  bool IsValue = false;
};

/// The lines of a group's options by name; the common ones end with --help and
/// --version.
std::vector<HelpEntry> helpEntries(HelpGroup G);

/// Prints the text of --help.
void printHelp(llvm::raw_ostream &OS, const ToolDescription &D);

} // namespace memkit

#endif // MEMKIT_LIB_CLI_HELPTEXT_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of a project: memkit.toml, or the table tool.memkit in
// pyproject.toml.

#ifndef MEMKIT_LIB_CLI_PROJECTCONFIG_H
#define MEMKIT_LIB_CLI_PROJECTCONFIG_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace memkit {

/// An option as on the command line, and where it stands.
struct ConfigOption {
  std::string Tool; ///< empty: of all tools that have it
  std::string Text; ///< `--top=5`
  std::string From; ///< `/home/me/shop/memkit.toml:4`
};

struct ProjectConfig {
  std::string Path; ///< empty: there is none
  std::vector<ConfigOption> Options;
  /// The files before Path that others could have written.
  std::vector<std::string> PassedOver;
};

/// The file of MEMKIT_CONFIG (`off`: none), else the first memkit.toml or
/// pyproject.toml with a table tool.memkit in the current folder or above, up
/// to the folder of the version control, the home or the root. Passes over
/// files that another user could have written, and names them. Errors: the file
/// cannot be read or is no TOML; a value is no text, number, boolean or list of
/// texts; a file that was only found sets what writes files or runs programs.
llvm::Expected<ProjectConfig> readProjectConfig();

/// The options of a tool, as arguments. Names: the options that the tool has.
/// Of the options for all tools, the tool gets those that it has. Errors: the
/// table of the tool names an option that the tool does not have.
llvm::Expected<std::vector<std::string>>
optionsOf(const ProjectConfig &C, llvm::StringRef Tool,
          llvm::ArrayRef<llvm::StringRef> Names);

} // namespace memkit

#endif // MEMKIT_LIB_CLI_PROJECTCONFIG_H

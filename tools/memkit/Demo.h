// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `memkit demo`: the page of a recording that ships with memkit.

#ifndef MEMKIT_TOOLS_MEMKIT_DEMO_H
#define MEMKIT_TOOLS_MEMKIT_DEMO_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace memkit {

/// What follows `memkit demo`.
struct DemoRequest {
  bool IsHelp = false;
  bool Compares = false;    ///< the page of both recordings
  std::string CopyTo;       ///< a folder; empty: the page is shown
  std::vector<char *> Page; ///< memview's arguments
};

extern const char DemoUsage[];

/// Error: an argument that the command does not have.
llvm::Expected<DemoRequest> parseDemo(llvm::ArrayRef<char *> Arguments);

/// The paths of the two recordings: of a program that leaks, and of the program
/// after it was mended.
struct DemoTraces {
  std::string Leaks, Fixed;
};

/// The path of `share/memkit/NAME` beside the program.
std::string installedFolder(llvm::StringRef Name);

/// As they are installed. Error: they are not there.
llvm::Expected<DemoTraces> findDemoTraces();

/// Copies the recordings into a folder, which is made if it is missing. Error:
/// also where a file of the name exists.
llvm::Expected<DemoTraces> copyDemoTraces(const DemoTraces &From,
                                          llvm::StringRef Folder);

/// A text for the terminal: what the recordings are, and commands to try with
/// them.
std::string demoText(const DemoTraces &T);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMKIT_DEMO_H

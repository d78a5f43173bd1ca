// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens an address in the user's browser.

#ifndef MEMKIT_LIB_CLI_BROWSER_H
#define MEMKIT_LIB_CLI_BROWSER_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit {

/// A file that leads a browser to an address. All users of the machine can read
/// the arguments of a program: an address with a secret is no argument, but the
/// name of a file that only this user can read. Removes the file with the
/// object.
class BrowserFile {
public:
  BrowserFile() = default;
  ~BrowserFile();
  BrowserFile(const BrowserFile &) = delete;
  BrowserFile &operator=(const BrowserFile &) = delete;

  /// Opens Address, if there is a browser and a place for the file. A missing
  /// browser is no error: the caller has printed the address.
  void open(llvm::StringRef Address);

private:
  void remove();
  std::string Folder, File;
};

} // namespace memkit

#endif // MEMKIT_LIB_CLI_BROWSER_H

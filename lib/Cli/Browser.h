// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows pages in the user's browser.

#ifndef MEMKIT_LIB_CLI_BROWSER_H
#define MEMKIT_LIB_CLI_BROWSER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace memkit {

/// Shows a file in the user's browser, with xdg-open. False: there is none.
bool openInBrowser(llvm::StringRef Path);

/// Shows an address that is a secret. Every user of the machine can read the
/// arguments of the browser, so the browser gets the path of a page that only
/// this user can read, and that leads to the address.
class SecretPage {
public:
  SecretPage() = default;
  SecretPage(SecretPage &&Other) : Folder(std::move(Other.Folder)) {
    Other.Folder.clear();
  }
  SecretPage &operator=(SecretPage &&Other) {
    std::swap(Folder, Other.Folder);
    return *this;
  }
  /// Removes the page.
  ~SecretPage();

  /// Makes the page. Errors: the page cannot be written.
  static llvm::Expected<SecretPage> create(llvm::StringRef Address);
  std::string path() const;

private:
  std::string Folder; ///< holds the page alone; empty: no page
};

} // namespace memkit

#endif // MEMKIT_LIB_CLI_BROWSER_H

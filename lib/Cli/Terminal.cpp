// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Capabilities of the terminal.

#include "Terminal.h"
#include "llvm/ADT/StringRef.h"
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace llvm;

namespace memkit {

unsigned outputWidth() {
  if (!isatty(STDOUT_FILENO))
    return 0;
  winsize Size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &Size) == 0 && Size.ws_col)
    return Size.ws_col;
  const char *Columns = getenv("COLUMNS");
  unsigned Width = 0;
  if (Columns && !StringRef(Columns).getAsInteger(10, Width))
    return Width;
  return 80;
}

bool isUtf8Locale() {
  for (const char *Name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    // The first variable with a value decides.
    const char *Value = getenv(Name);
    if (Value && *Value)
      return StringRef(Value).contains_insensitive("UTF-8") ||
             StringRef(Value).contains_insensitive("UTF8");
  }
  return false;
}

} // namespace memkit

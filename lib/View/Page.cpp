// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page as one HTML document.

#include "Page.h"

// Made by embed.py from the files of page/.
#include "PageText.inc"

using namespace llvm;

namespace memkit {

StringRef servedPage() {
  return {reinterpret_cast<const char *>(PageBytes), sizeof PageBytes};
}

std::string pagePolicy() { return PagePolicy; }

} // namespace memkit

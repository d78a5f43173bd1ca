// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page as one HTML document.

#ifndef MEMKIT_LIB_VIEW_PAGE_H
#define MEMKIT_LIB_VIEW_PAGE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace memkit {

/// The page that asks its server. Lives to the end of the process.
llvm::StringRef servedPage();
/// The Content-Security-Policy of servedPage(): only its own script and style,
/// and requests to its own server.
std::string pagePolicy();

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_PAGE_H

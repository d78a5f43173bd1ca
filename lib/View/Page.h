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
llvm::StringRef servedPolicy();
/// The page as a file with answers. Answers: a JSON object, by request. The
/// file needs no network, and its own policy forbids requests.
std::string filePage(llvm::StringRef Answers);

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_PAGE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file with speedscope and a profile.

#ifndef MEMKIT_LIB_EXPORT_HTML_H
#define MEMKIT_LIB_EXPORT_HTML_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// Writes a page that shows Profile, the text of a file of speedscope's format,
/// in speedscope. Folder: a release of speedscope (`dist/release` of its npm
/// package). The page contains all scripts, styles and fonts and needs no
/// network. Title: of the page. View: the view that opens first, `left-heavy`
/// or `time-ordered`.
llvm::Error writeHtml(llvm::raw_ostream &OS, llvm::StringRef Folder,
                      llvm::StringRef Title, llvm::StringRef View,
                      llvm::StringRef Profile);

/// The folder of speedscope's release below Package (its npm package, or a
/// release itself); empty if not found.
std::string findSpeedscope(llvm::StringRef Package);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_HTML_H

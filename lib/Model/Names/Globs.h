// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns of which one must match.

#ifndef MEMKIT_LIB_MODEL_GLOBS_H
#define MEMKIT_LIB_MODEL_GLOBS_H

#include "memkit/Support/RequestError.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include <string>
#include <vector>

namespace memkit {

/// A set of globs; a text matches if any glob matches.
class Globs {
public:
  /// Fails (RequestError) on an invalid pattern. Of: the field of the request.
  static llvm::Expected<Globs> create(RequestField Of,
                                      llvm::ArrayRef<std::string> Texts);
  bool match(llvm::StringRef Text) const;

private:
  std::vector<llvm::GlobPattern> Patterns;
};

/// `no heap matches 'cuda*'; heaps: host.malloc, host.mmap`. There: the
/// existing names; the message shows the first few distinct names.
llvm::Error nothingMatches(llvm::StringRef What,
                           llvm::ArrayRef<std::string> Patterns,
                           llvm::ArrayRef<std::string> There);

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_GLOBS_H

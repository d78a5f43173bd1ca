// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an output goes, in folders that other users may write to.

#ifndef MEMKIT_LIB_SUPPORT_OUTPUTPATH_H
#define MEMKIT_LIB_SUPPORT_OUTPUTPATH_H

#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <sys/stat.h>

namespace memkit {

/// The place of an output. In a folder that other users may write to (/tmp), a
/// link or a pipe of another user leads where that user wants.
struct OutputPlace {
  std::string Path;               ///< without links in its last part
  std::optional<struct stat> Old; ///< the file there; none: no file

  /// Whether the file there is another user's, root's own files included.
  bool isForeign() const;
};

/// Follows the links at the end of Path. Errors name Path: a link, or a pipe,
/// of another user in a shared folder; too many links; a folder that is not
/// there.
llvm::Expected<OutputPlace> placeOfOutput(llvm::StringRef Path);

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_OUTPUTPATH_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose code the frames of a drawn tree are.

#ifndef MEMKIT_LIB_MODEL_FRAMEOWNERS_H
#define MEMKIT_LIB_MODEL_FRAMEOWNERS_H

#include "memkit/Model/Places.h"
#include "memkit/Model/ScopeView.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

enum class CodeOwner : uint8_t {
  User,    ///< the user's own code, see Places.h
  Library, ///< all other code
  Import,  ///< `imports` and `import MODULE`
  Other,   ///< no code: scopes, heaps, groups, markers
};

/// The owners of all frames of a trace, by their texts. The frames of a tree
/// may lack a prefix of the trace's texts (--strip-prefix), but end where the
/// texts end. Takes time in proportion to the frames of the trace.
class FrameOwners {
public:
  /// By: the grouping of the tree.
  FrameOwners(const Trace &T, const Places &Where, GroupBy By);

  /// Function and Place: of a frame of a tree of the trace. Place: the file,
  /// else the binary; may be empty.
  CodeOwner of(llvm::StringRef Function, llvm::StringRef Place) const;

private:
  /// By the end of a text: the user owns a text that a frame of the user's has.
  llvm::DenseMap<const char *, CodeOwner> ByEnd;
};

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_FRAMEOWNERS_H

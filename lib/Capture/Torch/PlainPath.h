// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths of modules without wrappers.
//
// torch.compile, checkpoint wrappers and those that spread a model over devices
// put a module of theirs around one of the program's: `layers.0` is theirs, and
// `layers.0._orig_mod.attn` is what `layers.0.attn` is without.

#ifndef MEMKIT_CAPTURE_TORCH_PLAINPATH_H
#define MEMKIT_CAPTURE_TORCH_PLAINPATH_H

#include <cstddef>

namespace memkit::capture {

/// Takes the paths of a root in the order of named_modules().
class PlainPath {
public:
  static constexpr size_t MaxBytes = 512; ///< longer paths are cut

  /// \p Path without wrappers, until the next call. \p Class: the module's. A
  /// module that a wrapper holds has the path of the wrapper then, with its
  /// class at the end. \p Spreads: its model is `module` in it.
  const char *of(const char *Path, const char *Class, bool Spreads);

private:
  char Spreader[MaxBytes]; ///< the path of the last one that spreads
  bool HasSpreader = false;
  char Plain[MaxBytes];
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_PLAINPATH_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths of modules without wrappers.
//
// torch.compile, checkpoint wrappers and wrappers that spread a model over
// devices (spreaders) each put a module around a module of the program.
// `layers.0` is then the wrapper, and the plain path of
// `layers.0._orig_mod.attn` is `layers.0.attn`.

#ifndef MEMKIT_CAPTURE_TORCH_PLAINPATH_H
#define MEMKIT_CAPTURE_TORCH_PLAINPATH_H

#include <cstddef>

namespace memkit::capture {

/// Takes the paths of a root in the order of named_modules().
class PlainPath {
public:
  static constexpr size_t MaxBytes = 512; ///< longer paths are cut

  /// \p Path without wrappers, valid until the next call. \p Class: the
  /// module's. A wrapped module has the wrapper's path, with its own class at
  /// the end. \p Spreads: the module spreads its child `module`.
  const char *of(const char *Path, const char *Class, bool Spreads);

private:
  char Spreader[MaxBytes]; ///< the path of the last spreader
  bool HasSpreader = false;
  char Plain[MaxBytes];
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_PLAINPATH_H

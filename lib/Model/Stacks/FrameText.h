// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a frame.

#ifndef MEMKIT_LIB_MODEL_FRAMETEXT_H
#define MEMKIT_LIB_MODEL_FRAMETEXT_H

#include "memkit/Model/TraceStacks.h"

namespace memkit {

/// The parts of a frame in its text.
enum FramePlace : unsigned {
  FP_Path = 1,   ///< the whole path of a file, not only its last part
  FP_Binary = 2, ///< the binary's name, if no file is known
};

/// `function (file:line)`; of Python `file:line function`. Place: FramePlace.
std::string frameText(const ShownFrame &F, unsigned Place);

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_FRAMETEXT_H

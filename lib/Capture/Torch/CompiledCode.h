// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code that torch.compile generates.
//
// A compiled graph runs as generated code of Python. PyTorch knows which lines
// of the program each generated line stands for. When PyTorch's compiler first
// runs, memkit asks the interpreter, by a pending call, to import _compiled.py
// of the package memkit. _compiled.py follows the compiler, and reports the
// lines of each generated file before the file's functions run.

#ifndef MEMKIT_CAPTURE_TORCH_COMPILEDCODE_H
#define MEMKIT_CAPTURE_TORCH_COMPILEDCODE_H

#include "Python/PendingCode.h"

namespace memkit::capture {

/// \p To: to be asked for when PyTorch's compiler runs.
void beginCompiledCode(PendingCode &To, const Exports &E);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_COMPILEDCODE_H

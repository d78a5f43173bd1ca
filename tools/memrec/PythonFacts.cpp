// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --check tells of Python.

#include "PythonFacts.h"
#include "RunCommand.h"
#include "Support/CommandText.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace memkit;

/// The versions of packages that were installed; nothing is imported.
static constexpr StringLiteral Ask = R"(
import platform, sys
try:
    from importlib.metadata import version, PackageNotFoundError
except ImportError:
    version = None
found = []
for name in ("torch", "tensorflow", "jax", "jaxlib", "numpy", "pandas", "pyarrow", "polars", "cupy"):
    try:
        found.append(name + " " + version(name))
    except Exception:
        pass
print(platform.python_implementation() + " " + platform.python_version() + (": " + ", ".join(found) if found else ""))
)";

std::string memkit::pythonFacts() {
  std::string Python = pythonPath();
  if (Python.empty())
    return "python: none on PATH";
  SmallString<128> Answer;
  if (sys::fs::createTemporaryFile("memkit-python", "txt", Answer))
    return "python: " + Python;
  constexpr unsigned MaxSeconds = 20;
  std::optional<StringRef> Streams[] = {StringRef(), StringRef(Answer),
                                        StringRef()};
  int Status = sys::ExecuteAndWait(Python, {Python, "-c", Ask}, std::nullopt,
                                   Streams, MaxSeconds);
  auto Text = MemoryBuffer::getFile(Answer, /*IsText=*/true);
  (void)sys::fs::remove(Answer);
  if (Status != 0 || !Text)
    return "python: " + Python + " does not answer";
  return "python: " + Python + ", " +
         oneLine((*Text)->getBuffer().trim().take_front(1000));
}

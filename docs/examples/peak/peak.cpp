// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the peak of each memory space of a trace: `peak trace.fb`.

#include <llvm/Support/raw_ostream.h>
#include <memkit/Model/Trace.h>
#include <memkit/Support/Format.h>

int main(int Argc, char **Argv) {
  if (Argc != 2) {
    llvm::errs() << "usage: peak TRACE\n";
    return 2;
  }
  llvm::Expected<std::unique_ptr<memkit::Trace>> T =
      memkit::Trace::open(Argv[1]);
  if (!T) {
    llvm::errs() << "peak: " << llvm::toString(T.takeError()) << '\n';
    return 1;
  }
  for (const std::string &Warning : (*T)->warnings())
    llvm::errs() << "peak: warning: " << Warning << '\n';

  for (const memkit::TotalStats &Of : (*T)->summary().Spaces)
    llvm::outs() << (*T)->spaceName(Of.Id) << ": "
                 << memkit::formatSize(Of.PeakBytes) << " at "
                 << memkit::formatTime(Of.PeakTimeNs) << '\n';
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of a trace, with their place in the file.

#include "memkit/Trace/TraceError.h"
#include "llvm/Support/raw_ostream.h"

using namespace memkit;

char TraceError::ID = 0;

void TraceError::log(llvm::raw_ostream &OS) const {
  OS << File << ": ";
  if (Offset != NoOffset)
    OS << "offset " << Offset << ": ";
  OS << What;
}

std::error_code TraceError::convertToErrorCode() const {
  return std::make_error_code(std::errc::bad_message);
}

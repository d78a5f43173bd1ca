// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors in a trace, with their offset.
//
// All readers of traces return this error. The message is `FILE: offset N:
// what`, ready to follow `TOOL: error: `.

#ifndef MEMKIT_TRACE_TRACEERROR_H
#define MEMKIT_TRACE_TRACEERROR_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace memkit {

class TraceError : public llvm::ErrorInfo<TraceError> {
public:
  static char ID;
  /// The error is about the file and no place in the file.
  static constexpr uint64_t NoOffset = UINT64_MAX;
  TraceError(std::string File, uint64_t Offset, std::string What)
      : File(std::move(File)), Offset(Offset), What(std::move(What)) {}

  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

  llvm::StringRef file() const { return File; }
  uint64_t offset() const { return Offset; }
  llvm::StringRef what() const { return What; }

private:
  std::string File;
  uint64_t Offset;
  std::string What;
};

inline llvm::Error makeTraceError(llvm::StringRef File, uint64_t Offset,
                                  const llvm::Twine &What) {
  return llvm::make_error<TraceError>(File.str(), Offset, What.str());
}

/// About the file as a whole: the file cannot be opened, or is no trace.
inline llvm::Error makeFileError(llvm::StringRef File,
                                 const llvm::Twine &What) {
  return makeTraceError(File, TraceError::NoOffset, What);
}

} // namespace memkit

#endif // MEMKIT_TRACE_TRACEERROR_H

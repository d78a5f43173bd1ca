// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of a caller's request.
//
// A library does not know the caller's user: a command line, a page, another
// program. The error holds the field of the request, the field's value and the
// mistake; the caller names the field in the words of the user. A tool says
// `--until=1s is not after --since=2s`.

#ifndef MEMKIT_SUPPORT_REQUESTERROR_H
#define MEMKIT_SUPPORT_REQUESTERROR_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace memkit {

/// The fields of a request.
enum class RequestField {
  None, ///< the request as a whole
  Heaps,
  Processes,
  Threads,
  Stacks,
  ScopePaths,
  Layers,
  Since,
  Until,
  At,
  Renames,  ///< names that changed from one build to the next
  Binaries, ///< files that stand for binaries
  PerfMaps, ///< names of JIT code
  // Of a recording:
  PythonObjects, ///< record objects of Python interpreters
  Overwrite,     ///< overwrite a file even if it is not a trace
};

/// A field with its value.
struct RequestPart {
  RequestField Field = RequestField::None;
  std::string Value; ///< in the caller's words; may be empty
};

/// A value of a request is wrong, or this trace has no answer.
class RequestError : public llvm::ErrorInfo<RequestError> {
public:
  static char ID;
  enum class RequestErrorKind {
    Malformed,    ///< wrong for every trace
    NoAnswer,     ///< this trace has none
    NoSteps,      ///< as NoAnswer: no step was recorded
    NoCategories, ///< as NoAnswer: no category of tensors was recorded
    NoDtypes,     ///< as NoAnswer: no dtype of tensors was recorded
  };
  /// The message is Of, What and Than, one behind the other. What is a text
  /// such as `: invalid glob` or ` is not after `, with its punctuation.
  /// Than may be empty.
  RequestError(RequestErrorKind K, RequestPart Of, const llvm::Twine &What,
               RequestPart Than = {})
      : TheKind(K), Of(std::move(Of)), What(What.str()), Than(std::move(Than)) {
  }

  RequestErrorKind kind() const { return TheKind; }
  const RequestPart &part() const { return Of; }
  /// The message in which NameOf gives the name of each field.
  std::string text(llvm::function_ref<std::string(RequestField)> NameOf) const;
  /// The message with plain names of fields: `until=1s is not after since=2s`.
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

private:
  RequestErrorKind TheKind;
  RequestPart Of;
  std::string What;
  RequestPart Than;
};

/// The plain name of a field: `heap`, `since`; empty for None.
llvm::StringRef fieldName(RequestField Field);

/// The Malformed error of a whole request, with the message What.
inline llvm::Error makeRequestError(const llvm::Twine &What) {
  return llvm::make_error<RequestError>(
      RequestError::RequestErrorKind::Malformed, RequestPart(), What);
}

} // namespace memkit

#endif // MEMKIT_SUPPORT_REQUESTERROR_H

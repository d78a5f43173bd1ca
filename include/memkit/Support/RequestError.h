// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with a question that a caller asks.
//
// A library does not know how its caller was asked: on a command line, in a
// page, by another program. So the error holds the field of the request, its
// value and what is wrong with it, and the caller names the field as its own
// user knows it: a tool says `--until=1s is not after --since=2s`.

#ifndef MEMKIT_SUPPORT_REQUESTERROR_H
#define MEMKIT_SUPPORT_REQUESTERROR_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace memkit {

/// What of a request is meant.
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
  Renames, ///< names that changed from one build to the next
};

/// A field with its value.
struct RequestPart {
  RequestField Field = RequestField::None;
  std::string Value; ///< as the caller gave the value; may be empty
};

/// Two values of a request do not go together, or one cannot be answered.
class RequestError : public llvm::ErrorInfo<RequestError> {
public:
  static char ID;
  enum class Kind {
    Malformed,    ///< wrong for every trace
    NoAnswer,     ///< this trace has none
    NoSteps,      ///< as NoAnswer: no step was recorded
    NoCategories, ///< as NoAnswer: no category of tensors was recorded
  };
  /// What follows the words for Of, and Than, if it names a field, follows
  /// What:
  /// `: invalid glob`, ` is not after `.
  RequestError(Kind K, RequestPart Of, const llvm::Twine &What,
               RequestPart Than = {})
      : TheKind(K), Of(std::move(Of)), What(What.str()), Than(std::move(Than)) {
  }

  Kind kind() const { return TheKind; }
  const RequestPart &part() const { return Of; }
  /// The message in which NameOf gives the name of each field.
  std::string text(llvm::function_ref<std::string(RequestField)> NameOf) const;
  /// The message with plain names of fields: `until=1s is not after since=2s`.
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

private:
  Kind TheKind;
  RequestPart Of;
  std::string What;
  RequestPart Than;
};

/// The plain name of a field: `heap`, `since`; empty for None.
llvm::StringRef fieldName(RequestField Field);

/// The error of a request that no trace could answer; What says all.
inline llvm::Error makeRequestError(const llvm::Twine &What) {
  return llvm::make_error<RequestError>(RequestError::Kind::Malformed,
                                        RequestPart(), What);
}

} // namespace memkit

#endif // MEMKIT_SUPPORT_REQUESTERROR_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of the text form for enum values.
//
// One word for each value of an enum of Sections.h, in the order of the values.
// The text form, JSON and CSV use the words. The words are part of the text
// form and do not change.

#ifndef MEMKIT_LIB_TRACETEXT_ENUMNAMES_H
#define MEMKIT_LIB_TRACETEXT_ENUMNAMES_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace memkit {

using EnumNames = llvm::ArrayRef<llvm::StringLiteral>;

EnumNames enumNames(FrameKind);
EnumNames enumNames(ScopeKind);
EnumNames enumNames(ProcessOrigin);
EnumNames enumNames(EventKind);
EnumNames enumNames(MarkKind);
EnumNames enumNames(ResidentPart);
EnumNames enumNames(LossKind);
EnumNames enumNames(WorkKind);
EnumNames enumNames(TensorCategory);
EnumNames enumNames(IntervalDetail);
EnumNames enumNames(OomKind);
EnumNames enumNames(LimitKind);

/// The word for V; `unknown` for the value by which readers replace unknown
/// kinds.
template <class E> llvm::StringRef enumName(E V) {
  EnumNames Names = enumNames(V);
  size_t At = static_cast<size_t>(V);
  return At < Names.size() ? llvm::StringRef(Names[At]) : "unknown";
}

/// `optimizer state`; in JSON and CSV `optimizer_state`.
std::string categoryName(TensorCategory K);
std::string categoryKey(TensorCategory K);

} // namespace memkit

#endif // MEMKIT_LIB_TRACETEXT_ENUMNAMES_H

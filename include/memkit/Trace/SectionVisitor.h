// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base class for consumers of decoded sections.

#ifndef MEMKIT_TRACE_SECTIONVISITOR_H
#define MEMKIT_TRACE_SECTIONVISITOR_H

#include "memkit/Trace/TraceReader.h"

namespace memkit {

/// Visits the sections of a trace in file order. Every function does nothing
/// unless overridden, so a consumer overrides only the kinds of interest.
class SectionVisitor {
public:
  virtual ~SectionVisitor();
  virtual llvm::Error visit(const SectionInfo &, const Header &);
  virtual llvm::Error visit(const SectionInfo &, const Dictionary &);
  virtual llvm::Error visit(const SectionInfo &, const Events &);
  virtual llvm::Error visit(const SectionInfo &, const Marks &);
  virtual llvm::Error visit(const SectionInfo &, const Intervals &);
  virtual llvm::Error visit(const SectionInfo &, const Snapshot &);
  virtual llvm::Error visit(const SectionInfo &, const Summary &);
  virtual llvm::Error visit(const SectionInfo &, const Index &);
  virtual llvm::Error visit(const SectionInfo &, const Lifetimes &);
  virtual llvm::Error visit(const SectionInfo &, const Partial &);
  virtual llvm::Error visit(const SectionInfo &, const BlockCategories &);
  virtual llvm::Error visit(const SectionInfo &, const ScopeTimes &);
  virtual llvm::Error visit(const SectionInfo &, const DeviceSpans &);
};

/// Calls V for every section of Stream until the end or the first error.
llvm::Error visitSections(SectionStream &Stream, SectionVisitor &V);

} // namespace memkit

#endif // MEMKIT_TRACE_SECTIONVISITOR_H

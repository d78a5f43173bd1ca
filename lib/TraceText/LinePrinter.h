// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A visitor over a printer of lines.

#ifndef MEMKIT_LIB_TRACETEXT_LINEPRINTER_H
#define MEMKIT_LIB_TRACETEXT_LINEPRINTER_H

#include "Printers.h"
#include "SectionLines.h"

namespace memkit::tracetext {

/// Passes all sections to the printer of lines P.
template <class P> class LinePrinter final : public SectionVisitor {
public:
  explicit LinePrinter(llvm::raw_ostream &OS) : OS(OS), Map(OS), Lines(Map) {}

  using Err = llvm::Error;
  Err visit(const SectionInfo &, const Header &B) override { return print(B); }
  Err visit(const SectionInfo &, const Dictionary &B) override {
    return print(B);
  }
  Err visit(const SectionInfo &, const Events &B) override { return print(B); }
  Err visit(const SectionInfo &, const Marks &B) override { return print(B); }
  Err visit(const SectionInfo &, const Intervals &B) override {
    return print(B);
  }
  Err visit(const SectionInfo &, const Lifetimes &B) override {
    return print(B);
  }
  Err visit(const SectionInfo &, const Snapshot &B) override {
    return print(B);
  }
  Err visit(const SectionInfo &, const Summary &B) override { return print(B); }
  Err visit(const SectionInfo &, const Partial &B) override { return print(B); }
  Err visit(const SectionInfo &, const BlockCategories &B) override {
    return print(B);
  }
  Err visit(const SectionInfo &, const DeviceSpans &B) override {
    return print(B);
  }
  Err visit(const SectionInfo &, const ScopeTimes &B) override {
    return print(B);
  }
  Err visit(const SectionInfo &, const Index &B) override { return print(B); }

private:
  template <class B> llvm::Error print(const B &Section) {
    Lines.section(Section);
    OS.flush();
    return llvm::Error::success();
  }

  llvm::raw_ostream &OS;
  P Map;
  SectionLines<P> Lines;
};

} // namespace memkit::tracetext

#endif // MEMKIT_LIB_TRACETEXT_LINEPRINTER_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A visitor over a printer of lines.

#ifndef MEMKIT_TRACETEXT_LINEPRINTER_H
#define MEMKIT_TRACETEXT_LINEPRINTER_H

#include "BlockLines.h"
#include "memkit/TraceText/Printers.h"

namespace memkit::tracetext {

/// Gives all blocks to the printer of lines P.
template <class P> class LinePrinter final : public BlockVisitor {
public:
  explicit LinePrinter(llvm::raw_ostream &OS) : OS(OS), Map(OS), Lines(Map) {}

  using Err = llvm::Error;
  Err visit(const BlockInfo &, const Header &B) override { return print(B); }
  Err visit(const BlockInfo &, const Dictionary &B) override {
    return print(B);
  }
  Err visit(const BlockInfo &, const Events &B) override { return print(B); }
  Err visit(const BlockInfo &, const Marks &B) override { return print(B); }
  Err visit(const BlockInfo &, const Intervals &B) override { return print(B); }
  Err visit(const BlockInfo &, const Lifetimes &B) override { return print(B); }
  Err visit(const BlockInfo &, const Snapshot &B) override { return print(B); }
  Err visit(const BlockInfo &, const Summary &B) override { return print(B); }
  Err visit(const BlockInfo &, const Index &B) override { return print(B); }

private:
  template <class B> llvm::Error print(const B &Block) {
    Lines.block(Block);
    OS.flush();
    return llvm::Error::success();
  }

  llvm::raw_ostream &OS;
  P Map;
  BlockLines<P> Lines;
};

} // namespace memkit::tracetext

#endif // MEMKIT_TRACETEXT_LINEPRINTER_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events as comma-separated values.

#include "Printers.h"
#include "SectionLines.h"
#include "Support/CsvField.h"
#include "memkit/Model/Trace.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

namespace {

using tracetext::EventRow;

/// Prints one line for each event. A value that the row lacks is empty.
class CsvPrinter final : public SectionVisitor {
public:
  explicit CsvPrinter(raw_ostream &OS) : OS(OS) {}

  Error visit(const SectionInfo &, const Header &) override {
    OS << "time_ns,process,thread,event,block,heap,size,stack,scope_path,"
          "address,"
          "in,requested,weight,stream,pool\n";
    return Error::success();
  }

  Error visit(const SectionInfo &Info, const Dictionary &D) override {
    // After an invalid dictionary, heaps have no names.
    if (!IsBroken)
      if (Error E = Names->add(Info, D)) {
        IsBroken = true;
        consumeError(std::move(E));
      }
    return Error::success();
  }

  Error visit(const SectionInfo &, const Events &E) override {
    for (size_t I = 0; I < E.Rows.size(); ++I)
      row(E.Process, tracetext::eventRow(E, I, 0));
    OS.flush();
    return Error::success();
  }

private:
  void row(uint32_t Process, const EventRow &R) {
    const Event &E = R.E;
    OS << E.TimeNs << ',' << Process << ',' << E.Thread << ','
       << enumName(E.Kind) << ',' << E.Block << ',';
    bool New = E.Kind == EventKind::Allocate;
    if (New)
      printField(OS, Names->heapName(E.Heap));
    OS << ',';
    if (E.Kind != EventKind::Free)
      OS << E.Size;
    OS << ',';
    if (New)
      OS << E.Stack;
    OS << ',';
    if (New)
      OS << E.ScopePath;
    OS << ',';
    if (R.Address)
      OS << "0x" << utohexstr(R.Address, /*LowerCase=*/true);
    OS << ',';
    if (R.Enclosing)
      OS << R.Enclosing - 1;
    for (uint64_t V :
         {R.Requested, R.Weight, uint64_t(R.Stream), uint64_t(R.Pool)}) {
      OS << ',';
      if (V)
        OS << V;
    }
    OS << '\n';
  }

  raw_ostream &OS;
  std::unique_ptr<Trace> Names = Trace::createGrowing("trace");
  bool IsBroken = false;
};

} // namespace

std::unique_ptr<SectionVisitor> createCsvPrinter(raw_ostream &OS) {
  return std::make_unique<CsvPrinter>(OS);
}

} // namespace memkit

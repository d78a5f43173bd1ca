// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answer to the page's question about two traces, or two groups of traces.

#ifndef MEMKIT_LIB_VIEW_COMPAREVIEW_H
#define MEMKIT_LIB_VIEW_COMPAREVIEW_H

#include "Question.h"
#include "Report/DiffRows.h"
#include "memkit/Analysis/Query.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace memkit {

/// The command line that gives the same comparison. A library does not know the
/// options of tools, so the tool gives this function. M: Peak or Live.
using CompareCommand = std::function<std::string(Metric M)>;

/// Two groups of traces, compared when the page asks. Belongs to one thread.
class CompareView {
public:
  /// The stats of all traces, those before first; they must outlive the object.
  /// Spec: how the traces were opened.
  CompareView(llvm::ArrayRef<const SelectedStats *> Traces, size_t NumBefore,
              const SelectionSpec &Spec, CompareCommand Command);
  ~CompareView();

  /// The answer as JSON, to `what=peak|live&space=N`; spaces are numbered as in
  /// the answer. Errors: a RequestError for a wrong question, else a
  /// TraceError.
  llvm::Expected<std::string> answer(const Question &Q);
  /// To be called when the frames of a trace were folded anew.
  void forgetFrames() { Reports.clear(); }
  /// The number of memory spaces with memory, after an answer.
  size_t numSpaces() const;

private:
  /// A comparison by a metric.
  struct Compared {
    DiffOptions Options;
    DiffReport Report;
  };
  llvm::Expected<const Compared *> compared(Metric M);
  DiffView viewOf(const Compared &C) const;
  std::string nameOf(bool IsAfter) const;
  size_t largestSpace(const DiffReport &R) const;
  llvm::Error readCurves();
  std::string make(Metric M, const Compared &C, size_t Space);
  void writeWords(llvm::json::OStream &J, const DiffView &V) const;
  void writeRows(llvm::json::OStream &J, const DiffView &V,
                 const SpaceChange &S) const;
  void writeCurves(llvm::json::OStream &J, llvm::StringRef Space) const;
  void writeTree(llvm::json::OStream &J, const Compared &C, Metric M,
                 llvm::StringRef Space) const;

  CompareCommand Command;
  Renames NoRenames;
  DiffRuns Runs;
  std::map<Metric, Compared> Reports;
  std::vector<HeapCurves> Curves; ///< by run; empty: not read
  /// By metric and space.
  std::map<std::pair<Metric, size_t>, std::string> Answers;
};

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_COMPAREVIEW_H

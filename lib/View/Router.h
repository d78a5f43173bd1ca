// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answers of a page about one trace or several.

#ifndef MEMKIT_LIB_VIEW_ROUTER_H
#define MEMKIT_LIB_VIEW_ROUTER_H

#include "CompareView.h"
#include "Question.h"
#include "TraceView.h"

namespace memkit {

/// Passes each question to the trace that the question is about: `trace=N`, by
/// default the last. With several traces, `compare` compares the first
/// NumBefore with the others. Belongs to one thread.
class Router {
public:
  /// The command lines of the tools for one trace, and for the comparison.
  using CommandsOf = std::function<CommandWriter(const std::string &Path)>;

  /// Opens the traces, two at a time. NumBefore: ignored for a single trace.
  static llvm::Expected<std::unique_ptr<Router>>
  open(llvm::ArrayRef<std::string> Paths, size_t NumBefore,
       const SelectionSpec &Spec, ProgressCallback OnProgress,
       const CommandsOf &Commands, CompareCommand Command);

  /// The answer as JSON. Errors: as TraceView::answer(). `start` with `fresh=1`
  /// opens the traces again whose files have changed; its only answer is
  /// `changed`, whether there was any.
  llvm::Expected<std::string> answer(const Question &Q);
  /// Whether the last answer is progress of long work, to be asked again.
  bool isWaiting() const { return Waits; }
  /// Whether long work runs.
  bool isWorking() const;
  /// The answers of a page that is a file: those of the last trace, and of the
  /// comparison.
  llvm::Expected<std::string> fileAnswers(uint64_t MaxBytes);

private:
  Router() = default;
  llvm::Expected<std::unique_ptr<TraceView>> openTrace(size_t Of) const;
  void compareTraces();
  llvm::Expected<std::string> compare(const Question &Q);
  llvm::Error refresh();

  std::vector<std::string> Paths;
  size_t NumBefore = 1;
  SelectionSpec Spec;
  ProgressCallback OnProgress;
  CommandsOf Commands;
  CompareCommand Command;
  std::vector<std::unique_ptr<TraceView>> Traces;
  std::optional<CompareView> Comparison;
  bool Waits = false;
  bool HasNews = false; ///< from the last refresh()
};

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_ROUTER_H

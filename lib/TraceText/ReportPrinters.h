// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers of Model/Query.h as text, JSON and CSV.
//
// T has the names for the ids in an answer. Width: of the text, 0: any. JSON is
// written as attributes into the object open in J, with the fields that
// docs/CommandGuide/memdump.md defines.

#ifndef MEMKIT_LIB_TRACETEXT_REPORTPRINTERS_H
#define MEMKIT_LIB_TRACETEXT_REPORTPRINTERS_H

#include "CategorySums.h"
#include "memkit/Model/Query.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// A run with its counts and its tensors by category. OomHint is printed after
/// the number of out-of-memory events.
void printRun(llvm::raw_ostream &OS, const RunReport &R, const Trace &T,
              llvm::ArrayRef<CategorySum> Categories, unsigned Width,
              llvm::StringRef OomHint);
void writeRunJson(llvm::json::OStream &J, const RunReport &R, const Trace &T,
                  llvm::ArrayRef<CategorySum> Categories);

/// The processes of a run.
void printProcesses(llvm::raw_ostream &OS, const RunReport &R, const Trace &T,
                    unsigned Width);
void writeProcessesJson(llvm::json::OStream &J, const RunReport &R,
                        const Trace &T);

/// Why a trace without layers has none, and what to do: `no layers: ...`.
std::string whyNoLayers(const Trace &T);
/// `{"layers": [...]}`; CSV below a header. As text, no layers are a sentence.
void printLayers(llvm::raw_ostream &OS, const Trace &T,
                 llvm::ArrayRef<LayerStats> Layers, unsigned Width);
void writeLayersJson(llvm::json::OStream &J, const Trace &T,
                     llvm::ArrayRef<LayerStats> Layers);
void printLayersCsv(llvm::raw_ostream &OS, const Trace &T,
                    llvm::ArrayRef<LayerStats> Layers);

/// The operators, `{"operators": [...]}`.
void printOperators(llvm::raw_ostream &OS, const Trace &T,
                    llvm::ArrayRef<LayerStats> Operators, unsigned Width);
void writeOperatorsJson(llvm::json::OStream &J, const Trace &T,
                        llvm::ArrayRef<LayerStats> Operators);
void printOperatorsCsv(llvm::raw_ostream &OS, const Trace &T,
                       llvm::ArrayRef<LayerStats> Operators);

/// The scopes and ranges, `{"scopes": [...]}`.
void printScopes(llvm::raw_ostream &OS, const Trace &T,
                 llvm::ArrayRef<LayerStats> Scopes, unsigned Width);
void writeScopesJson(llvm::json::OStream &J, const Trace &T,
                     llvm::ArrayRef<LayerStats> Scopes);
void printScopesCsv(llvm::raw_ostream &OS, const Trace &T,
                    llvm::ArrayRef<LayerStats> Scopes);

/// The steps, `{"steps": [...]}`, a row for each memory space in which a step
/// had allocations or live blocks.
void printSteps(llvm::raw_ostream &OS, const Trace &T,
                llvm::ArrayRef<StepReport> Steps, unsigned Width);
void writeStepsJson(llvm::json::OStream &J, const Trace &T,
                    llvm::ArrayRef<StepReport> Steps);
void printStepsCsv(llvm::raw_ostream &OS, const Trace &T,
                   llvm::ArrayRef<StepReport> Steps);

/// The tensors by category, `{"categories": [...]}`.
void printCategories(llvm::raw_ostream &OS, const Trace &T,
                     llvm::ArrayRef<CategorySum> Categories, unsigned Width);
void writeCategoriesJson(llvm::json::OStream &J, const Trace &T,
                         llvm::ArrayRef<CategorySum> Categories,
                         bool WithLayers);
void printCategoriesCsv(llvm::raw_ostream &OS, const Trace &T,
                        llvm::ArrayRef<CategorySum> Categories);
/// A line for each heap of tensors.
void printCategoryLines(llvm::raw_ostream &OS, const Trace &T,
                        llvm::ArrayRef<CategorySum> Categories);

/// The fields of a share of a memory space, by the kind of row.
enum ShareOf : unsigned {
  SO_Step = 1,
  SO_Process = 2, ///< live bytes and peak alone
  SO_Layer = 4,
  SO_Scope = 8,
  SO_Operator = 16,
};
/// The attribute `spaces`.
void writeSpaces(llvm::json::OStream &J, const Trace &T,
                 llvm::ArrayRef<SpaceShare> Shares, ShareOf Of);
/// `5 GiB cuda:0, 1 GiB cuda:1`; empty if the process had no memory on devices.
std::string devicePeaks(const Trace &T,
                        const std::optional<ProcessStats> &Stats);

} // namespace memkit

#endif // MEMKIT_LIB_TRACETEXT_REPORTPRINTERS_H

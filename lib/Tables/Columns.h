// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The columns of rows that several outputs show.
//
// Each function has all columns of its rows, with their names and values. An
// output picks its columns (TableMaker::pick()): tables with a name, memdump's
// reports, memstat's sections, JSON, memview's page. The column X_if_any is X,
// with no value where the usual 0 says nothing. T and the rows that a function
// gets must live as long as the columns.

#ifndef MEMKIT_LIB_TABLES_COLUMNS_H
#define MEMKIT_LIB_TABLES_COLUMNS_H

#include "TableMaker.h"
#include "memkit/Analysis/HeldBlocks.h"
#include "memkit/Analysis/Programs.h"
#include "memkit/Model/DeviceWork.h"
#include "memkit/Model/Query.h"

namespace memkit {

/// Layers, operators and scopes, of all memory spaces (queryLayers(), ...) or
/// each in one memory space (rowsOfSpaces()). All: all rows.
TableMaker<LayerStats> scopeColumns(const Trace &T,
                                    llvm::ArrayRef<LayerStats> All);
/// Adds the columns `cuda:0_allocations`, ... of each device in All.
void addDeviceColumns(const Trace &T, llvm::ArrayRef<LayerStats> All,
                      TableMaker<LayerStats> &To);
/// The rows of All by memory space.
std::vector<LayerStats> rowsOfSpaces(llvm::ArrayRef<LayerStats> All);

/// A step in one memory space, or all of it.
struct StepRow {
  const StepReport *Of;
  SpaceShare Share;
};
TableMaker<StepRow> stepColumns(const Trace &T);
/// A row for each step and memory space of allShares().
std::vector<StepRow> stepsBySpace(llvm::ArrayRef<StepReport> Steps);
/// A row for each step, with its values on the host.
std::vector<StepRow> stepsInAll(llvm::ArrayRef<StepReport> Steps);

/// Memory spaces and heaps of a run.
TableMaker<SpaceReport> spaceColumns(const Trace &T);
TableMaker<HeapReport> heapColumns();

/// Names of Python that hold blocks.
TableMaker<HeldPath> holderColumns();

/// Threads.
TableMaker<ThreadStats> threadColumns(const Trace &T);

/// The processes of a run.
TableMaker<ProcessReport> processColumns(const Trace &T);

/// A category of tensors in a heap; Layer: the part of one layer.
struct TensorCategoryRow {
  const CategorySum *Of;
  uint64_t Whole = 0; ///< bytes of which the row has a share
  CategorySum::Layer Layer{};
};
TableMaker<TensorCategoryRow> categoryColumns(const Trace &T);
/// A row for each of Categories, as a share of Whole.
std::vector<TensorCategoryRow>
categoryRows(llvm::ArrayRef<CategorySum> Categories, uint64_t Whole);

/// Compiled programs of JAX.
TableMaker<CompiledProgram> programColumns();
/// Name, then the recorded values and the values of the largest plan.
std::vector<ColumnPick> programPicks(ColumnPick Name);

/// The work of devices.
TableMaker<DeviceWorkRow> workColumns(const Trace &T);

/// A type and shape of live arrays at a mark, or all of the mark.
struct ArrayRow {
  const ArraysAtMark *At;
  ArraysAtMark::Shape Of;
};
TableMaker<ArrayRow> arrayColumns(const Trace &T);
std::vector<ArrayRow> arraysByShape(llvm::ArrayRef<ArraysAtMark> Arrays);
std::vector<ArrayRow> arraysByMark(llvm::ArrayRef<ArraysAtMark> Arrays);

} // namespace memkit

#endif // MEMKIT_LIB_TABLES_COLUMNS_H

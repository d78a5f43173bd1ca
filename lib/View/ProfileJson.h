// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON of flame graphs and of tables.

#ifndef MEMKIT_LIB_VIEW_PROFILEJSON_H
#define MEMKIT_LIB_VIEW_PROFILEJSON_H

#include "TraceView.h"
#include "llvm/ADT/StringMap.h"

namespace memkit {

/// The names of graphs, numbered from 0. Several graphs may share a table.
class GraphNames {
public:
  struct GraphName {
    std::string Text, File;
    std::string Source; ///< the text of the line
    std::string HeldBy; ///< the names of Python that hold the line's blocks
    uint32_t Line = 0;  ///< 0: none
    CodeOwner Owner = CodeOwner::Other;
  };
  /// The number of a row; rows with the same text, file and owner are one.
  uint32_t add(GraphName Row);
  size_t size() const { return Rows.size(); }
  /// From now on, rows are written with the names that hold blocks.
  void showHolders() { ShowsHolders = true; }
  /// Removes the rows from Size on.
  void truncate(size_t Size);
  /// Writes the rows from First on as an object of columns.
  void write(llvm::json::OStream &J, size_t First = 0) const;

private:
  static std::string keyOf(const GraphName &Row);

  std::vector<GraphName> Rows;
  llvm::StringMap<uint32_t> Numbers;
  bool ShowsHolders = false;
};

/// The row of a name of a graph. Held: null if no holders are known.
GraphNames::GraphName nameRow(const FlameNames::FlameName &N, CodeOwner Owner,
                              const SourceTexts &Sources,
                              const HeldNames *Held = nullptr);

/// Writes the columns of nodes. RowOf: the row of a name of the nodes.
void writeNodes(llvm::json::OStream &J, llvm::ArrayRef<FlameNode> Nodes,
                GraphNames &Names,
                llvm::function_ref<GraphNames::GraphName(uint32_t)> RowOf);

/// The answer to `table`. The keys of V are stacks; Calls: of Where. At most
/// Limit rows, the largest. Held: null if no holders are known.
std::string tableText(const Trace &T, const Places &Where, const OwnTree &Calls,
                      const KeyedValues &V, size_t Limit,
                      const HeldNames *Held = nullptr);

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_PROFILEJSON_H

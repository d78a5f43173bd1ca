// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frames of stacks as a table.

#include "EventsTable.h"
#include "TableMaker.h"

using namespace llvm;

namespace memkit {

namespace {

/// A shown function of a stack.
struct StackFrame {
  uint32_t Stack = 0, Depth = 0;
  ShownFrame Frame;
};

TableMaker<StackFrame> makerOfFrames() {
  TableMaker<StackFrame> Out;
  Out.id("stack", [](const StackFrame &F) { return F.Stack; })
      .id("depth", [](const StackFrame &F) { return F.Depth; })
      .text("function",
            [](const StackFrame &F) { return F.Frame.Function.str(); })
      .text("file", [](const StackFrame &F) { return F.Frame.File.str(); })
      .maybe("line",
             [](const StackFrame &F) {
               return F.Frame.Line ? std::optional<uint64_t>(F.Frame.Line)
                                   : std::nullopt;
             })
      .text("binary", [](const StackFrame &F) { return F.Frame.Binary.str(); })
      .flag("is_python", [](const StackFrame &F) { return F.Frame.IsPython; });
  return Out;
}

class FrameStream : public TableStream {
public:
  FrameStream(std::shared_ptr<SharedTrace> Of, uint32_t First, uint32_t Last)
      : Of(std::move(Of)), Next(First), Last(Last) {}
  Expected<std::optional<TableBatch>> next() override;

private:
  std::shared_ptr<SharedTrace> Of;
  uint32_t Next, Last;
};

class FramesTable : public TypedTable {
public:
  FramesTable(std::shared_ptr<SharedTrace> O, uint32_t First, uint32_t Last)
      : Of(std::move(O)), First(First), Last(Last) {
    TableRef Empty = cantFail(makerOfFrames().make({}));
    Columns = Empty->columns().vec();
  }
  std::optional<uint64_t> rows() const override { return std::nullopt; }
  Expected<std::unique_ptr<TableStream>> stream() const override {
    return std::make_unique<FrameStream>(Of, First, Last);
  }

private:
  std::shared_ptr<SharedTrace> Of;
  uint32_t First, Last;
};

} // namespace

Expected<std::optional<TableBatch>> FrameStream::next() {
  std::lock_guard<std::mutex> Hold(Of->Lock);
  std::vector<StackFrame> Rows;
  for (; Next <= Last; ++Next) {
    std::vector<ShownFrame> Frames = Of->T->shownStack(Next);
    // A stack of more frames than a batch has rows is cut.
    Frames.resize(std::min(Frames.size(), MaxBatchRows));
    if (Rows.size() + Frames.size() > MaxBatchRows)
      break;
    for (uint32_t Depth = 0; Depth != Frames.size(); ++Depth)
      Rows.push_back({Next, Depth, Frames[Depth]});
  }
  if (Rows.empty())
    return std::nullopt;
  Expected<TableRef> Made = makerOfFrames().make(Rows);
  if (!Made)
    return Made.takeError();
  return cantFail((*Made)->stream())->next();
}

TableRef framesTable(std::shared_ptr<SharedTrace> Of, uint32_t Stack) {
  uint32_t Count = Of->T->numStacks();
  uint32_t First = Stack ? Stack : 1, Last = Stack ? Stack : Count;
  if (Stack > Count)
    First = 1, Last = 0;
  return std::make_shared<FramesTable>(std::move(Of), First, Last);
}

} // namespace memkit

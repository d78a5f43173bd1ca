// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lines of generated files stand for.

#include "Stacks/GeneratedLines.h"
#include "Output/Recording.h"
#include "Shared/SharedProcess.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

/// Adds the frame of a row `LINE FIRST_LINE FUNCTION<tab>FILE`.
bool GeneratedLines::addFrame(StringRef Row, std::vector<uint32_t> &To) {
  uint32_t Line, FirstLine;
  auto [Head, File] = Row.split('\t');
  if (Head.consumeInteger(10, Line) || !Head.consume_front(" ") ||
      Head.consumeInteger(10, FirstLine) || !Head.consume_front(" ") ||
      Head.empty() || File.empty() || Line > INT32_MAX || FirstLine > INT32_MAX)
    return false;
  Function F;
  F.Name = R.names().Names.string(Head);
  F.File = R.names().Names.string(File);
  F.Line = FirstLine;
  uint32_t Function = R.names().Names.function(F);
  R.tell(&RecordingListener::foundPythonFunction, Function, File.str());
  if (Line)
    R.tell(&RecordingListener::foundPythonLine, Process, Function, Line);
  To.push_back(R.names().frame({FrameKind::Python, Function, Line}));
  return true;
}

bool GeneratedLines::readFrames(GeneratedLine &Of) {
  std::string Rows;
  if (!Shared.text(std::exchange(Of.Text, 0), Rows))
    return false;
  for (StringRef Row : split(Rows, '\n'))
    if (!Row.empty() &&
        (Of.Frames.size() == MaxFrames || !addFrame(Row, Of.Frames)))
      return false;
  return true;
}

bool GeneratedLines::take(const wire::GeneratedLineRecord &Rec) {
  std::string Path;
  if (Rec.File > UINT32_MAX || !Shared.text(uint32_t(Rec.File), Path) ||
      Path.empty() || !Rec.Line)
    return false;
  if (NumLines == MaxLines)
    return true;
  uint32_t &Number = Numbers[Path];
  if (!Number) {
    Files.emplace_back();
    Number = uint32_t(Files.size());
  }
  GeneratedLine New;
  New.Text = Rec.Frames;
  // Maps of texts reserve larger numbers, which the library never writes.
  New.Layers = Rec.Layers <= INT32_MAX ? Rec.Layers : 0;
  NumLines += Files[Number - 1].try_emplace(Rec.Line, New).second;
  return true;
}

const GeneratedLines::GeneratedLine *GeneratedLines::find(uint32_t File,
                                                          uint64_t Line) {
  auto &Lines = Files[File - 1];
  auto After =
      Lines.upper_bound(Line < UINT32_MAX ? uint32_t(Line) : UINT32_MAX);
  if (After == Lines.begin())
    return nullptr;
  GeneratedLine &Found = std::prev(After)->second;
  if (Found.Text && !readFrames(Found))
    R.addLoss(Process, LossKind::BadRecord, 1);
  return &Found;
}

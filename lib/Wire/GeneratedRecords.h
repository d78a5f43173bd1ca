// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of code that a compiler has generated.

#ifndef MEMKIT_LIB_WIRE_GENERATEDRECORDS_H
#define MEMKIT_LIB_WIRE_GENERATEDRECORDS_H

#include "Record.h"

namespace memkit::wire {

/// From Line on, up to the next such line of the file, a generated file of
/// Python computes what lines of the program say. Written before the file's
/// functions run. Texts are numbers of the text table; 0: none.
///
/// Frames: a line of text for each frame, outermost first:
/// `LINE FIRST_LINE FUNCTION<tab>FILE`, where FIRST_LINE is the function's, 0:
/// not known.
///
/// Layers: the class of the outermost module, then a line of text with the path
/// of each module inside, relative to the outermost.
struct GeneratedLineRecord {
  using Layout = RecordLayout<RecordKind::GeneratedLine, InAddress,
                              SizeBits<0, 32>, InStack, InExtra>;
  uint64_t File;   ///< text
  uint32_t Line;   ///< from 1
  uint32_t Frames; ///< text
  uint32_t Layers; ///< text
};

using GeneratedRecords = RecordList<GeneratedLineRecord>;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_GENERATEDRECORDS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source locations through a pipe.

#ifndef MEMKIT_LIB_SYMBOLIZE_ANSWERPIPE_H
#define MEMKIT_LIB_SYMBOLIZE_ANSWERPIPE_H

#include "Trace/NameTable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

enum class PipeRecord : uint8_t {
  Ready,  ///< the files are open
  Answer, ///< the locations of the next address
  Damage, ///< a text: what is wrong with the files
  Fatal,  ///< a text: why there is no answer to the next address, and no End
  End,    ///< all addresses have an answer
};

/// The bytes of a record.
std::string encodeAnswer(llvm::ArrayRef<SourceLocation> Locations);
std::string encodeText(PipeRecord Kind, llvm::StringRef Text);

/// Splits the bytes of a pipe into records. The writer is not trusted.
class PipeReader {
public:
  enum class PipeStep { Record, More, Broken };

  /// Takes the next bytes of the pipe.
  void feed(llvm::StringRef Bytes) { Buffer.append(Bytes); }
  /// Record: Kind, and Locations or Text, have the next record.
  PipeStep next();

  PipeRecord Kind = PipeRecord::End;
  std::vector<SourceLocation> Locations;
  std::string Text;

private:
  bool decode(llvm::StringRef Body);
  std::string Buffer;
  size_t Begin = 0; ///< of the next record in Buffer
};

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_ANSWERPIPE_H

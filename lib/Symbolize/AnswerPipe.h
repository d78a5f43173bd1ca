// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions for source locations through a socket, answers through a pipe.

#ifndef MEMKIT_LIB_SYMBOLIZE_ANSWERPIPE_H
#define MEMKIT_LIB_SYMBOLIZE_ANSWERPIPE_H

#include "Detour/PrivateDetours.h"
#include "Trace/NameTable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

/// A question for the locations of some addresses, or for the detours of the
/// allocators that are built into a file: one datagram.
struct NameQuestion {
  static constexpr size_t MaxBytes = 16384, MaxAddresses = 64;
  /// The number of the first address; the next ones count on.
  uint32_t Number = 0;
  std::vector<uint64_t> Addresses; ///< at least one; 0 for detours
  /// The paths of SymbolFiles, which contain no NUL.
  std::string Debug, Symbols, Alt;
  /// Asks for the detours of Symbols, whose heaps are called after Debug.
  bool WantsDetours = false;

  /// Empty if the question is too long.
  std::string encode() const;
  /// False: Bytes are no question.
  bool decode(llvm::StringRef Bytes);
};

enum class PipeRecord : uint8_t {
  Answer,  ///< the locations of an address
  Detours, ///< wire::DetourReply
  Damage,  ///< a text: what is wrong with the files of a question
  Fatal,   ///< a text: why an address has no answer
};

/// The bytes of a record for address Number.
std::string encodeAnswer(uint32_t Number,
                         llvm::ArrayRef<SourceLocation> Locations);
std::string encodeText(PipeRecord Kind, uint32_t Number, llvm::StringRef Text);
std::string encodeDetours(uint32_t Number, const wire::DetourReply &D);

/// Splits the bytes of a pipe into records. The writer is not trusted.
class PipeReader {
public:
  enum class PipeStep { Record, More, Broken };

  /// Takes the next bytes of the pipe.
  void feed(llvm::StringRef Bytes) { Buffer.append(Bytes); }
  /// Record: Kind, Number, and Locations, Text or Found have the next record.
  PipeStep next();

  PipeRecord Kind = PipeRecord::Answer;
  uint32_t Number = 0; ///< of the address
  std::vector<SourceLocation> Locations;
  std::string Text;
  wire::DetourReply Found;

private:
  bool decode(llvm::StringRef Body);
  std::string Buffer;
  size_t Begin = 0; ///< of the next record in Buffer
};

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_ANSWERPIPE_H

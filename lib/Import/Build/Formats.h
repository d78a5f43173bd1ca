// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recordings that memkit can import.
//
// A format is one reader: it recognises its files by their first bytes, and
// reports what is in a file to a TraceBuilder. A reader refuses damage with the
// offset, and says by TraceBuilder::lacks() what its files cannot tell.

#ifndef MEMKIT_LIB_IMPORT_FORMATS_H
#define MEMKIT_LIB_IMPORT_FORMATS_H

#include "Import/Source/ByteReader.h"
#include "TraceBuilder.h"
#include "memkit/Support/ProgressCallback.h"

namespace memkit {

/// Whether a file that starts with First (decompressed, up to FormatLookBytes)
/// is of a format.
using ImportMatch = bool(llvm::StringRef First);
/// Reads File into To. Errors: TraceError.
using ImportRead = llvm::Error(const ImportFile &File, TraceBuilder &To,
                               const ProgressCallback &OnProgress);

struct ImportFormat {
  llvm::StringRef Name;    ///< of --from: `torch-snapshot`
  llvm::StringRef Program; ///< the writer of such files, for a list
  ImportMatch *Matches;
  ImportRead *Read;
};
inline constexpr size_t FormatLookBytes = 4096;

/// All formats. The formats that are easiest to recognise come first.
llvm::ArrayRef<ImportFormat> importFormats();
/// The format of this name; null: there is none.
const ImportFormat *findFormat(llvm::StringRef Name);
/// The format of File by its first bytes. Errors: the file cannot be read;
/// none of the formats, with what the file looks like.
llvm::Expected<const ImportFormat *> recognize(const ImportFile &File);

/// A recording of a known tool that was told not to record memory. Only the
/// caller knows the words for another tool's command line.
class NotRecorded : public llvm::ErrorInfo<NotRecorded> {
public:
  static char ID;
  /// What: `FILE: the export has no allocations of CUDA`.
  explicit NotRecorded(std::string What) : What(std::move(What)) {}
  void log(llvm::raw_ostream &OS) const override { OS << What; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string What;
};

/// What an import has to say beside the trace.
struct ImportReport {
  const ImportFormat *Format = nullptr;
  ImportedFrom Origin;
  uint64_t Events = 0;
  std::vector<std::string> Warnings; ///< sentences without a full stop
};
/// Writes the trace of File to Out. Format: null to recognise it.
llvm::Expected<ImportReport> importFile(const ImportFile &File,
                                        const ImportFormat *Format, Sink &Out,
                                        const ProgressCallback &OnProgress);

// One of each for a format.
ImportMatch isGperftools, isHeaptrack, isJemalloc, isLsan, isMemray, isNsys,
    isPprof, isRmm, isTorchSnapshot;
ImportRead readGperftools, readHeaptrack, readJemalloc, readLsan, readMemray,
    readNsys, readPprof, readRmm, readTorchSnapshot;

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_FORMATS_H

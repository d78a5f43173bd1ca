// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recordings that memkit can import.
//
// A format is one reader: it recognises its files by their first bytes, and
// reports what is in a file to a TraceBuilder. A reader refuses damage with the
// offset, and says by TraceBuilder::lacks() what its files cannot tell.

#ifndef MEMKIT_LIB_IMPORT_FORMATS_H
#define MEMKIT_LIB_IMPORT_FORMATS_H

#include "ByteReader.h"
#include "TraceBuilder.h"
#include "memkit/Support/ProgressCallback.h"

namespace memkit {

struct ImportFormat {
  llvm::StringRef Name;    ///< of --from: `torch-snapshot`
  llvm::StringRef Program; ///< that writes such files, for a list
  /// Whether a file that starts with First (decompressed, up to
  /// FormatLookBytes) is of the format.
  bool (*Matches)(llvm::StringRef First);
  /// Reads File into To. Errors: TraceError.
  llvm::Error (*Read)(const ImportFile &File, TraceBuilder &To,
                      const ProgressCallback &OnProgress);
};
inline constexpr size_t FormatLookBytes = 4096;

/// All formats; those that are recognised with more certainty come first.
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

// The readers, one a format: see ImportFormat::Read.
llvm::Error readTorchSnapshot(const ImportFile &File, TraceBuilder &To,
                              const ProgressCallback &OnProgress);
bool isTorchSnapshot(llvm::StringRef First);
llvm::Error readMemray(const ImportFile &File, TraceBuilder &To,
                       const ProgressCallback &OnProgress);
bool isMemray(llvm::StringRef First);
llvm::Error readPprof(const ImportFile &File, TraceBuilder &To,
                      const ProgressCallback &OnProgress);
bool isPprof(llvm::StringRef First);
llvm::Error readJemalloc(const ImportFile &File, TraceBuilder &To,
                         const ProgressCallback &OnProgress);
bool isJemalloc(llvm::StringRef First);
llvm::Error readGperftools(const ImportFile &File, TraceBuilder &To,
                           const ProgressCallback &OnProgress);
bool isGperftools(llvm::StringRef First);
llvm::Error readLsan(const ImportFile &File, TraceBuilder &To,
                     const ProgressCallback &OnProgress);
bool isLsan(llvm::StringRef First);
llvm::Error readNsys(const ImportFile &File, TraceBuilder &To,
                     const ProgressCallback &OnProgress);
bool isNsys(llvm::StringRef First);
llvm::Error readRmm(const ImportFile &File, TraceBuilder &To,
                    const ProgressCallback &OnProgress);
bool isRmm(llvm::StringRef First);
llvm::Error readHeaptrack(const ImportFile &File, TraceBuilder &To,
                          const ProgressCallback &OnProgress);
bool isHeaptrack(llvm::StringRef First);

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_FORMATS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recordings that memkit can import.

#include "Formats.h"
#include "memkit/Trace/TraceError.h"

using namespace llvm;
using namespace memkit;

char NotRecorded::ID;

static constexpr ImportFormat Formats[] = {
    {"torch-snapshot", "PyTorch, memory snapshots of 2022 to 2026",
     isTorchSnapshot, readTorchSnapshot},
    {"memray", "memray, header versions 7 to 13 (memray 1.1 to 1.20)", isMemray,
     readMemray},
    {"heaptrack", "heaptrack, raw and interpreted, versions 1.0 to 1.5",
     isHeaptrack, readHeaptrack},
    {"nsys", "Nsight Systems, exports as SQLite", isNsys, readNsys},
    {"rmm", "RMM's logging adaptor (CSV)", isRmm, readRmm},
    {"jemalloc", "jemalloc, heap profiles", isJemalloc, readJemalloc},
    {"gperftools", "gperftools and tcmalloc, heap profiles as text",
     isGperftools, readGperftools},
    {"lsan", "LeakSanitizer and AddressSanitizer, logs with leaks", isLsan,
     readLsan},
    {"pprof", "pprof's format: heap profiles of Go, tcmalloc, JAX", isPprof,
     readPprof},
};

ArrayRef<ImportFormat> memkit::importFormats() { return Formats; }

const ImportFormat *memkit::findFormat(StringRef Name) {
  for (const ImportFormat &F : Formats)
    if (F.Name == Name)
      return &F;
  return nullptr;
}

/// What else users may give to an importer.
static StringRef looksLike(StringRef First) {
  if (First.contains("MKTR"))
    return "it is a trace of memkit, which needs no import";
  if (First.size() > 1 && First[0] == '\x80' && First[1] >= 2 && First[1] <= 5)
    return "it is a pickle, but no memory snapshot of PyTorch";
  if (First.starts_with("PK\x03\x04"))
    return "it is a zip archive: unpack it first";
  if (First.starts_with("\xfd"
                        "7zXZ"))
    return "it is compressed with xz: xz -d unpacks it";
  if (First.starts_with("BZh"))
    return "it is compressed with bzip2: bzip2 -d unpacks it";
  if (First.size() > 262 && First.substr(257, 5) == "ustar")
    return "it is a tar archive: unpack it first";
  if (First.starts_with("\x7f"
                        "ELF"))
    return "it is a program or library";
  if (First.starts_with("desc: "))
    return "it looks like a file of Valgrind's massif, which memkit does not "
           "read";
  if (First.contains("\"dhatFileVersion\""))
    return "it looks like a file of Valgrind's DHAT, which memkit does not "
           "read";
  return "";
}

Expected<const ImportFormat *> memkit::recognize(const ImportFile &File) {
  if (!File.size())
    return makeFileError(File.name(), "the file is empty");
  Expected<std::string> First = File.firstBytes(FormatLookBytes);
  if (!First)
    return First.takeError();
  // A trace is itself a zstd frame, so its magic number is in decompressed
  // bytes.
  for (const ImportFormat &F : Formats)
    if (F.Matches(*First))
      return &F;
  StringRef Seen = looksLike(*First);
  return makeFileError(File.name(),
                       "no recording that memimport knows" +
                           (Seen.empty() ? Twine() : Twine("; ") + Seen));
}

Expected<ImportReport> memkit::importFile(const ImportFile &File,
                                          const ImportFormat *Format, Sink &Out,
                                          const ProgressCallback &OnProgress) {
  if (!Format) {
    Expected<const ImportFormat *> Found = recognize(File);
    if (!Found)
      return Found.takeError();
    Format = *Found;
  }
  TraceBuilder To(Format->Name, File.baseName());
  To.Head.Tool = "memimport " MEMKIT_VERSION;
  if (Error E = Format->Read(File, To, OnProgress))
    return std::move(E);
  if (Error E = To.finish(Out))
    return std::move(E);
  ImportReport Report;
  Report.Format = Format;
  Report.Origin = To.Origin;
  Report.Events = To.numEvents();
  Report.Warnings = To.warnings().vec();
  return Report;
}

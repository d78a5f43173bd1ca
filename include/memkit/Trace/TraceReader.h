// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a trace.
//
// Two ways to read:
//  - TraceReader: random access. Finds sections by the index (or
//    by a scan without an index) and decodes requested sections.
//  - SectionStream: every section in file order as data arrives, also from a
//    pipe.
//
// Both verify every decoded section: the section obeys the limits of
// Sections.h, enums have known values, columns have their rows. A section alone
// cannot show whether its ids are in the dictionary; IdLimits and the users of
// ids check the ids.

#ifndef MEMKIT_TRACE_TRACEREADER_H
#define MEMKIT_TRACE_TRACEREADER_H

#include "memkit/Trace/EventTable.h"
#include "memkit/Trace/IdLimits.h"
#include "memkit/Trace/Sections.h"
#include "memkit/Trace/TraceBytes.h"
#include "memkit/Trace/UnknownValues.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>

namespace memkit {

/// Random access to a trace. Not copyable; one thread at a time.
class TraceReader {
  class Impl;

public:
  /// Opens the trace Path; `-` is standard input. Input other than a regular
  /// file is first copied to an unlinked temporary file. Errors: TraceError.
  static llvm::Expected<std::unique_ptr<TraceReader>>
  open(llvm::StringRef Path);
  /// The same, of the open file Fd, which is closed by this call in case of an
  /// error, else with the reader. Name: for errors.
  static llvm::Expected<std::unique_ptr<TraceReader>>
  openFd(int Fd, llvm::StringRef Name);
  static llvm::Expected<std::unique_ptr<TraceReader>>
  create(std::unique_ptr<llvm::MemoryBuffer> Buffer);
  static llvm::Expected<std::unique_ptr<TraceReader>>
  create(std::shared_ptr<const TraceBytes> Bytes);
  ~TraceReader();
  /// A second reader of the same bytes, for another thread.
  llvm::Expected<std::unique_ptr<TraceReader>> again() const;

  /// The file's name in errors.
  llvm::StringRef name() const;
  uint64_t fileBytes() const;
  const Header &header() const;

  /// All sections in file order, without the index itself.
  llvm::ArrayRef<SectionInfo> sections() const;

  /// True when the trace was completed: the trace ends with a valid index.
  bool complete() const;
  /// The reason, for a warning, why complete() is false: `cut off at offset N`,
  /// or `corrupt at offset N: what; the remainder is not read`. Empty when
  /// complete.
  llvm::StringRef damage() const;

  /// Values of a newer memkit in the sections read so far, each section counted
  /// once.
  UnknownValues unknownValues() const;
  /// Adds the unknown values of Other, a reader of the same file.
  void joinUnknown(const TraceReader &Other);
  /// Warnings about unknown values, for the end of reading, each with the
  /// file's name; empty without unknown values.
  std::vector<std::string> unknownWarnings() const;

  /// Decodes the section B of sections() into Out, reusing the memory of Out. B
  /// must be of Out's kind. A dictionary section depends on earlier dictionary
  /// sections: reading in file order is fast; any other order decodes earlier
  /// sections again.
  llvm::Error read(const SectionInfo &B, Dictionary &Out);
  llvm::Error read(const SectionInfo &B, Events &Out);
  llvm::Error read(const SectionInfo &B, EventTable &Out);
  llvm::Error read(const SectionInfo &B, Marks &Out);
  llvm::Error read(const SectionInfo &B, Intervals &Out);
  llvm::Error read(const SectionInfo &B, Lifetimes &Out);
  llvm::Error read(const SectionInfo &B, Snapshot &Out);
  llvm::Error read(const SectionInfo &B, Summary &Out);
  llvm::Error read(const SectionInfo &B, Partial &Out);
  llvm::Error read(const SectionInfo &B, BlockCategories &Out);
  llvm::Error read(const SectionInfo &B, ScopeTimes &Out);
  llvm::Error read(const SectionInfo &B, DeviceSpans &Out);
  /// The parent of each node of the dictionaries read so far; [0] is the root.
  /// Takes these parents, which later dictionary sections need, out of the
  /// reader.
  std::vector<uint32_t> takeParents();
  /// Reads an outline: much faster than read(), and in any order.
  llvm::Error readOutline(const SectionInfo &B, DictionaryOutline &Out,
                          bool WithStrings);
  /// As read(), without frames, stacks and symbols, and in any order: Out.Few
  /// has all other entries.
  llvm::Error readNames(const SectionInfo &B, DictionaryOutline &Out);
  /// As read(), without the rows of stacks and scope paths.
  llvm::Error readTotals(const SectionInfo &B, Summary &Out);
  /// As read(), without the rows.
  llvm::Error readHeads(const SectionInfo &B, Intervals &Out);
  /// As read(), without the blocks.
  llvm::Error readHead(const SectionInfo &B, Snapshot &Out);
  /// Reads sections of events independently of the TraceReader, for another
  /// thread; may outlive the TraceReader.
  class EventReader {
  public:
    explicit EventReader(const TraceReader &R);
    ~EventReader();
    llvm::Error read(const SectionInfo &B, EventTable &Out);

  private:
    std::unique_ptr<Impl> I;
  };
  /// Decompresses the sections of events, in file order, for at most MaxNs. The
  /// error is of the first that is damaged. A reader of the summary alone would
  /// not notice.
  llvm::Error checkEvents(uint64_t MaxNs);
  /// The number of sections of a kind decoded so far, in whole or in part: to
  /// check that no section is read twice.
  uint64_t numDecoded(SectionKind Kind) const;
  /// Decodes any section. Fails for a section with fields or enum values
  /// unknown to this format version, because a copy would lose them.
  llvm::Expected<AnySection> readAny(const SectionInfo &B);

private:
  explicit TraceReader(std::unique_ptr<Impl> I);
  std::unique_ptr<Impl> I;
};

/// Whether a recorder still writes the trace Path: memrec holds a lock on its
/// file. False for other than regular files.
bool isBeingRecorded(llvm::StringRef Path);

/// Reads sections in file order as data arrives, with memory for one section.
class SectionStream {
public:
  /// The treatment of fields, enum values and kinds of sections that a newer
  /// memkit wrote. A caller that writes sections again must refuse unknown
  /// values. A caller that shows sections skips unknown values; a section of an
  /// unknown kind is a std::monostate.
  enum class Unknown { Refuse, PassOver };

  /// Path: as for TraceReader::open, but without a temporary file.
  static llvm::Expected<std::unique_ptr<SectionStream>>
  open(llvm::StringRef Path, Unknown How = Unknown::Refuse);
  ~SectionStream();

  llvm::StringRef name() const;

  /// The next section: Header first, Index last if present; nothing at the end.
  /// A cut or damage ends the stream early, and damage() returns the reason.
  /// Only a stream without a header is an error.
  llvm::Expected<std::optional<AnySection>> next();
  /// The position and range of the section from the last next().
  const SectionInfo &info() const;
  /// As TraceReader::damage(), after next() returned nothing.
  llvm::StringRef damage() const;
  /// As TraceReader::unknownWarnings(), for the sections read so far.
  std::vector<std::string> unknownWarnings() const;

private:
  class Impl;
  explicit SectionStream(std::unique_ptr<Impl> I);
  std::unique_ptr<Impl> I;
};

} // namespace memkit

#endif // MEMKIT_TRACE_TRACEREADER_H

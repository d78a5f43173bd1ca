// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a trace.
//
// Two ways to read:
//  - TraceReader: random access. Maps the file, finds sections by the index (or
//  by
//    a scan when there is none) and decodes those that are asked for.
//  - SectionStream: every section in file order, from a pipe too, as it
//  arrives.
//
// Both verify everything that they hand out: a decoded section obeys the limits
// of Sections.h, its enums are known values, its columns have their rows.
// Whether ids lie within the dictionary is checked by idLimits() and by those
// who use ids, since a section alone cannot tell.

#ifndef MEMKIT_TRACE_TRACEREADER_H
#define MEMKIT_TRACE_TRACEREADER_H

#include "memkit/Trace/EventTable.h"
#include "memkit/Trace/Sections.h"
#include "memkit/Trace/UnknownValues.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>

namespace memkit {

/// How many ids of each kind there are so far.
struct IdLimits {
  uint32_t Strings = 0, Devices = 0, Binaries = 0, Functions = 0, Frames = 0,
           Nodes = 0, Stacks = 0, Scopes = 0, ScopePaths = 0, Processes = 0,
           Threads = 0, Heaps = 0;
  uint32_t of(IdKind Kind) const;
  /// Adds what D defines and checks that all it names exists; what is wrong, or
  /// an empty string.
  std::string add(const Dictionary &D);
  /// Checks every id that a section names; what is wrong, or an empty string.
  std::string check(const Events &E) const;
  std::string check(const EventTable &E) const;
  std::string check(const Marks &M) const;
  std::string check(const Intervals &S) const;
  std::string check(const Lifetimes &L) const;
  std::string check(const Snapshot &K) const;
  std::string check(const Summary &S) const;
  std::string check(const Partial &P) const;
};

/// A dictionary section in short: what there is little of, and how much of the
/// rest.
struct DictionaryOutline {
  Dictionary
      Few; ///< only Devices, Processes, Heaps, and Strings when asked for
  IdLimits Counts; ///< of all that the section defines
};

/// Random access to a trace. Not copyable; one thread at a time.
class TraceReader {
  class Impl;

public:
  /// Opens the trace Path; `-` is standard input. What is not a regular file is
  /// first copied to an unlinked temporary file. Errors: TraceError.
  static llvm::Expected<std::unique_ptr<TraceReader>>
  open(llvm::StringRef Path);
  static llvm::Expected<std::unique_ptr<TraceReader>>
  create(std::unique_ptr<llvm::MemoryBuffer> Buffer);
  ~TraceReader();

  /// The file's name as errors give it.
  llvm::StringRef name() const;
  uint64_t fileBytes() const;
  const Header &header() const;

  /// All sections in file order, without the index itself.
  llvm::ArrayRef<SectionInfo> sections() const;

  /// True when the trace was completed: it ends with an index that fits.
  bool complete() const;
  /// Why it is not, for a warning: `cut off at offset N`, or `corrupt at offset
  /// N: what; what follows is not read`. Empty when complete.
  llvm::StringRef damage() const;

  /// What the sections read so far have of a newer memkit, each section counted
  /// once.
  UnknownValues unknownValues() const;
  /// Adds what Other, a reader of the same file, has read.
  void joinUnknown(const TraceReader &Other);
  /// For warnings when all is read, each with the file's name; of a reader that
  /// met nothing unknown none.
  std::vector<std::string> unknownWarnings() const;

  /// Decodes the section B of sections() into Out, reusing its memory. B must
  /// be of Out's kind. Dictionary sections build on those before them: reading
  /// them in order is fast, another order decodes the earlier ones again.
  llvm::Error read(const SectionInfo &B, Dictionary &Out);
  llvm::Error read(const SectionInfo &B, Events &Out);
  llvm::Error read(const SectionInfo &B, EventTable &Out);
  llvm::Error read(const SectionInfo &B, Marks &Out);
  llvm::Error read(const SectionInfo &B, Intervals &Out);
  llvm::Error read(const SectionInfo &B, Lifetimes &Out);
  llvm::Error read(const SectionInfo &B, Snapshot &Out);
  llvm::Error read(const SectionInfo &B, Summary &Out);
  llvm::Error read(const SectionInfo &B, Partial &Out);
  /// The parent of each node of the dictionaries read so far, [0] being the
  /// root: what reading those that build on them has kept. It is kept no more.
  std::vector<uint32_t> takeParents();
  /// Much faster than read(), and in any order.
  llvm::Error readOutline(const SectionInfo &B, DictionaryOutline &Out,
                          bool WithStrings);
  /// As read(), without frames, stacks and symbols, and in any order: Few has
  /// all else.
  llvm::Error readNames(const SectionInfo &B, DictionaryOutline &Out);
  /// As read(), without the rows of stacks and scope paths.
  llvm::Error readTotals(const SectionInfo &B, Summary &Out);
  /// As read(), without the rows.
  llvm::Error readHeads(const SectionInfo &B, Intervals &Out);
  /// As read(), without the sections.
  llvm::Error readHead(const SectionInfo &B, Snapshot &Out);
  /// Reads sections of events apart from their TraceReader, for another thread;
  /// may outlive it.
  class EventReader {
  public:
    explicit EventReader(const TraceReader &R);
    ~EventReader();
    llvm::Error read(const SectionInfo &B, EventTable &Out);

  private:
    std::unique_ptr<Impl> I;
  };
  /// How many sections of a kind were decoded so far, whole or in part: to show
  /// that nothing is read twice.
  uint64_t numDecoded(SectionKind Kind) const;
  /// Decodes any section. Fails on a section that has fields or values of
  /// enumerations unknown to this format version (it could not be written again
  /// without loss).
  llvm::Expected<AnySection> readAny(const SectionInfo &B);

private:
  explicit TraceReader(std::unique_ptr<Impl> I);
  std::unique_ptr<Impl> I;
};

/// Reads sections in file order as they come, with memory for one section.
class SectionStream {
public:
  /// What to do with fields, values of enumerations and kinds of sections that
  /// a newer memkit wrote:
  /// who writes sections again must refuse them, who shows them passes over
  /// them (such a section is a std::monostate).
  enum class Unknown { Refuse, PassOver };

  /// Path as for TraceReader::open, but nothing is spooled.
  static llvm::Expected<std::unique_ptr<SectionStream>>
  open(llvm::StringRef Path, Unknown How = Unknown::Refuse);
  ~SectionStream();

  llvm::StringRef name() const;

  /// The next section, Header first and Index last when it is there; nothing at
  /// the end. At a cut, or at damage, the end comes early and damage() says
  /// why. It is an error only when there is not even a header.
  llvm::Expected<std::optional<AnySection>> next();
  /// Of the section that next() gave last.
  const SectionInfo &info() const;
  /// As TraceReader::damage(), once next() has given nothing.
  llvm::StringRef damage() const;
  /// As TraceReader::unknownWarnings(), of the sections given so far.
  std::vector<std::string> unknownWarnings() const;

private:
  class Impl;
  explicit SectionStream(std::unique_ptr<Impl> I);
  std::unique_ptr<Impl> I;
};

} // namespace memkit

#endif // MEMKIT_TRACE_TRACEREADER_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a summary with another.

#include "CheckSummary.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

using namespace memkit;
using llvm::Error;
using llvm::formatv;

llvm::Expected<LastSummary> memkit::findLastSummary(TraceReader &R,
                                                    const IdLimits &Limits) {
  SummaryParts Parts;
  if (Error E = Parts.read(R, /*WithRows=*/false,
                           SummaryParts::SummaryPlace::Anywhere))
    return E;
  return Parts.take(Limits, R.name());
}

static Error readPart(TraceReader &R, const IdLimits &Limits,
                      const SectionInfo &B, Summary &Out) {
  if (Error E = R.read(B, Out))
    return E;
  std::string P = Limits.check(Out);
  return P.empty() ? Error::success() : makeTraceError(R.name(), B.Offset, P);
}

Error memkit::checkRows(TraceReader &R, const IdLimits &Limits,
                        const LastSummary &Last) {
  Summary Part;
  for (const SectionInfo &B : Last.Sections)
    if (Error E = readPart(R, Limits, B, Part))
      return E;
  return Error::success();
}

/// The words for a field in a reported difference.
static std::string wordsOf(llvm::StringRef Name, llvm::StringRef Words) {
  std::string Text = (Words.empty() ? Name : Words).str();
  if (Words.empty())
    std::replace(Text.begin(), Text.end(), '-', ' ');
  return Text;
}

namespace {

/// A row with its process; sorts by process, heap and key.
struct RowOfProcess {
  uint32_t Process;
  const StackStats *Row;
  auto key() const { return std::make_tuple(Process, Row->Heap, Row->Key); }
  bool operator<(const RowOfProcess &O) const { return key() < O.key(); }
};

class Comparison {
public:
  explicit Comparison(CheckResult &Out) : Out(Out) {}

  /// Compares the fields that are computed from events.
  template <class T, class F>
  void fields(const T &Stored, const T &Is, F Name) {
    forEachField<T>([&](auto I) {
      constexpr auto Field = fieldAt<T, I>;
      if constexpr (Field.IsChecked)
        if (Stored.*Field.Member != Is.*Field.Member)
          Out.add(formatv("{0}: {1} {2}, events give {3}", Name(),
                          wordsOf(Field.Name, Field.Words),
                          Stored.*Field.Member, Is.*Field.Member));
    });
  }

  void row(const char *What, uint32_t Process, const StackStats *Stored,
           const StackStats *Is);
  /// Walks two lists sorted by Less. An element of only one list is compared
  /// with Empty, because a list may leave out elements without events.
  template <class T, class L, class F>
  void merge(const std::vector<T> &Stored, const std::vector<T> &Is, L Less,
             F Compare) {
    auto A = Stored.begin();
    auto B = Is.begin();
    while (A != Stored.end() || B != Is.end()) {
      bool OnlyA = B == Is.end() || (A != Stored.end() && Less(*A, *B));
      bool OnlyB = A == Stored.end() || (B != Is.end() && Less(*B, *A));
      Compare(OnlyB ? nullptr : &*A, OnlyA ? nullptr : &*B);
      if (!OnlyB)
        ++A;
      if (!OnlyA)
        ++B;
    }
  }

private:
  CheckResult &Out;
};

/// Stored, Is: null for a missing row; at least one is present.
void Comparison::row(const char *What, uint32_t Process,
                     const StackStats *Stored, const StackStats *Is) {
  static const StackStats Nothing;
  Out.SummaryRows += 1;
  const StackStats &Any = Stored ? *Stored : *Is;
  fields(Stored ? *Stored : Nothing, Is ? *Is : Nothing, [&] {
    return formatv("summary, process {0}, heap {1}, {2} {3}", Process, Any.Heap,
                   What, Any.Key)
        .str();
  });
}

/// The rows of the file. compare() takes the rows of the events part by part.
class StoredRows {
public:
  StoredRows(Comparison &C, const char *What) : C(C), What(What) {}

  /// Adds the rows of a part, which must outlive this object.
  void add(const std::vector<StackStatsRows> &Rows) {
    for (const StackStatsRows &S : Rows)
      for (const StackStats &R : S.Rows)
        Flat.push_back({S.Process, &R});
  }
  void sort() {
    if (!std::is_sorted(Flat.begin(), Flat.end()))
      std::sort(Flat.begin(), Flat.end());
  }
  /// Compares rows of the events, which must rise from call to call. Call after
  /// add() and sort().
  void compare(const std::vector<StackStatsRows> &Is) {
    for (const StackStatsRows &S : Is)
      for (const StackStats &R : S.Rows) {
        RowOfProcess Row{S.Process, &R};
        for (; Next != Flat.size() && Flat[Next] < Row; ++Next)
          C.row(What, Flat[Next].Process, Flat[Next].Row, nullptr);
        bool Same = Next != Flat.size() && !(Row < Flat[Next]);
        C.row(What, S.Process, Same ? Flat[Next++].Row : nullptr, &R);
      }
  }
  void finish() {
    for (; Next != Flat.size(); ++Next)
      C.row(What, Flat[Next].Process, Flat[Next].Row, nullptr);
  }

private:
  Comparison &C;
  const char *What;
  std::vector<RowOfProcess> Flat;
  size_t Next = 0;
};

} // namespace

/// A sorted copy.
template <class T, class L>
static std::vector<T> sorted(std::vector<T> V, L Less) {
  std::stable_sort(V.begin(), V.end(), Less);
  return V;
}

static void compareTotals(Comparison &C, const char *What,
                          const std::vector<TotalStats> &Stored,
                          const std::vector<TotalStats> &Is) {
  static const TotalStats Nothing;
  auto Less = [](const TotalStats &X, const TotalStats &Y) {
    return X.Id < Y.Id;
  };
  C.merge(sorted(Stored, Less), sorted(Is, Less), Less,
          [&](const TotalStats *A, const TotalStats *B) {
            C.fields(A ? *A : Nothing, B ? *B : Nothing, [&] {
              return formatv("summary, {0} {1}", What, (A ? A : B)->Id).str();
            });
          });
}

/// Compares size classes. Older recorders do not count them; missing counts are
/// not compared.
static void compareSizes(const Summary &Stored, const Summary &Is,
                         CheckResult &Out) {
  std::map<uint32_t, const HeapStats *> Heaps;
  for (const HeapStats &H : Is.Heaps)
    Heaps[H.Id] = &H;
  for (const HeapStats &H : Stored.Heaps) {
    auto It = Heaps.find(H.Id);
    std::vector<uint64_t> Sizes;
    uint64_t Largest = 0;
    if (It != Heaps.end()) {
      Sizes = It->second->Sizes;
      Largest = It->second->LargestBytes;
    }
    if (H.LargestBytes && H.LargestBytes != Largest)
      Out.add(formatv("summary, heap {0}: the largest allocation has {1} "
                      "bytes, events give {2}",
                      H.Id, H.LargestBytes, Largest));
    for (size_t K = 0; !H.Sizes.empty() && K != NumSizeClasses; ++K) {
      uint64_t A = K < H.Sizes.size() ? H.Sizes[K] : 0,
               B = K < Sizes.size() ? Sizes[K] : 0;
      if (A != B)
        Out.add(formatv("summary, heap {0}: {1} allocations of {2} bytes and "
                        "more, below twice that, events give {3}",
                        H.Id, A, sizeClassBegin(K), B));
    }
  }
}

static void compareThreads(Comparison &C, const Summary &Stored,
                           const Summary &Is) {
  if (Stored.Threads.empty())
    return;
  auto Less = [](const ThreadStats &X, const ThreadStats &Y) {
    return X.Thread < Y.Thread;
  };
  std::vector<ThreadStats> Made = Is.Threads;
  // Older recorders do not write nested bytes.
  if (llvm::none_of(Stored.Threads,
                    [](const ThreadStats &T) { return T.NestedBytes != 0; }))
    for (ThreadStats &T : Made)
      T.NestedBytes = 0;
  C.merge(sorted(Stored.Threads, Less), sorted(Made, Less), Less,
          [&](const ThreadStats *A, const ThreadStats *B) {
            ThreadStats Nothing;
            C.fields(A ? *A : Nothing, B ? *B : Nothing, [&] {
              return formatv("summary, thread {0}", (A ? A : B)->Thread).str();
            });
          });
}

/// Compares the shares of a step or a process.
static void compareShares(Comparison &C, const SpaceShares &Stored,
                          const SpaceShares &Is, llvm::StringRef Of) {
  static const SpaceShare Nothing;
  auto Less = [](const SpaceShare &X, const SpaceShare &Y) {
    return X.Space < Y.Space;
  };
  C.merge(Stored, Is, Less, [&](const SpaceShare *A, const SpaceShare *B) {
    C.fields(A ? *A : Nothing, B ? *B : Nothing, [&] {
      return formatv("{0}, space {1}", Of, (A ? A : B)->Space).str();
    });
  });
}

/// Older recorders write no shares.
static bool hasShares(const Summary &S) {
  auto Has = [](const auto &X) { return !X.Shares.empty(); };
  return llvm::any_of(S.Processes, Has) || llvm::any_of(S.Steps, Has);
}

static void compareProcesses(Comparison &C, const Summary &Stored,
                             const Summary &Is, CheckResult &Out) {
  bool WithShares = hasShares(Stored);
  auto Less = [](const ProcessStats &X, const ProcessStats &Y) {
    return X.Process < Y.Process;
  };
  C.merge(
      sorted(Stored.Processes, Less), sorted(Is.Processes, Less), Less,
      [&](const ProcessStats *A, const ProcessStats *B) {
        ProcessStats Nothing;
        // Processes that were not recorded may be left out.
        Nothing.EndNs = (A ? A : B)->EndNs;
        const ProcessStats &X = A ? *A : Nothing, &Y = B ? *B : Nothing;
        auto Name = [&] {
          return formatv("summary, process {0}", (A ? A : B)->Process).str();
        };
        C.fields(X, Y, Name);
        if (WithShares)
          compareShares(C, X.Shares, Y.Shares, Name());
        if (A && B &&
            std::tie(X.Ended, X.ExitStatus, X.Signal) !=
                std::tie(Y.Ended, Y.ExitStatus, Y.Signal))
          Out.add(formatv("{0}: {1}, status {2}, signal {3}; marks give {4}, "
                          "status {5}, signal {6}",
                          Name(), X.Ended ? "ended" : "running", X.ExitStatus,
                          X.Signal, Y.Ended ? "ended" : "running", Y.ExitStatus,
                          Y.Signal));
      });
}

static void compareSteps(Comparison &C, const Summary &Stored,
                         const Summary &Is) {
  bool WithShares = hasShares(Stored);
  auto Key = [](const StepStats &S) {
    return std::make_tuple(S.Process, S.BeginNs, S.Step);
  };
  auto Less = [&](const StepStats &X, const StepStats &Y) {
    return Key(X) < Key(Y);
  };
  C.merge(sorted(Stored.Steps, Less), sorted(Is.Steps, Less), Less,
          [&](const StepStats *A, const StepStats *B) {
            StepStats Nothing;
            const StepStats &X = A ? *A : Nothing, &Y = B ? *B : Nothing;
            auto Name = [&] {
              return formatv("summary, process {0}, step {1}",
                             (A ? A : B)->Process, (A ? A : B)->Step)
                  .str();
            };
            C.fields(X, Y, Name);
            if (WithShares)
              compareShares(C, X.Shares, Y.Shares, Name());
          });
}

/// Checks categories of tensors: at the peak of a heap, their sum is the peak.
/// At an out-of-memory event, the sum of a heap is at most the live bytes of
/// the heap.
static void compareCategories(const Summary &Stored, CheckResult &Out) {
  struct CategoryTotal {
    uint64_t Blocks = 0, Bytes = 0;
  };
  // By out-of-memory event (0: the peak) and heap.
  std::map<std::pair<uint32_t, uint32_t>, CategoryTotal> Sums;
  for (const CategoryStats &K : Stored.Categories) {
    CategoryTotal &S = Sums[{K.Oom, K.Heap}];
    S.Blocks += K.Blocks;
    S.Bytes += K.Bytes;
  }
  for (const HeapStats &H : Stored.Heaps)
    if (auto It = Sums.find({0, H.Id});
        It != Sums.end() &&
        (It->second.Bytes != H.PeakBytes || It->second.Blocks != H.PeakBlocks))
      Out.add(
          formatv("summary, categories of heap {0}: {1} blocks of {2} bytes at "
                  "its peak, events give {3} of {4}",
                  H.Id, It->second.Blocks, It->second.Bytes, H.PeakBlocks,
                  H.PeakBytes));
  for (const OomHeap &H : Stored.OomHeaps)
    if (auto It = Sums.find({H.Oom, H.Heap});
        It != Sums.end() &&
        (It->second.Bytes > H.LiveBytes || It->second.Blocks > H.LiveBlocks))
      Out.add(
          formatv("summary, oom {0}: categories of {1} blocks of {2} bytes in "
                  "heap {3}, which held {4} of {5}",
                  H.Oom, It->second.Blocks, It->second.Bytes, H.Heap,
                  H.LiveBlocks, H.LiveBytes));
}

/// Compares everything but the rows of stacks and scope paths.
static void compareRest(Comparison &C, const Summary &Stored, const Summary &Is,
                        CheckResult &Out) {
  compareTotals(C, "heap", {Stored.Heaps.begin(), Stored.Heaps.end()},
                {Is.Heaps.begin(), Is.Heaps.end()});
  compareTotals(C, "space", Stored.Spaces, Is.Spaces);
  compareSizes(Stored, Is, Out);
  compareThreads(C, Stored, Is);
  compareProcesses(C, Stored, Is, Out);
  compareSteps(C, Stored, Is);
  compareCategories(Stored, Out);
}

static void compareCounts(const Summary &Stored, const Summary &Is,
                          CheckResult &Out) {
  if (Stored.Events != Is.Events)
    Out.add(formatv("summary: {0} events, there are {1}", Stored.Events,
                    Is.Events));
  if (Stored.Marks != Is.Marks)
    Out.add(
        formatv("summary: {0} marks, there are {1}", Stored.Marks, Is.Marks));
}

Error memkit::compareSummaries(TraceReader &R, const IdLimits &Limits,
                               const LastSummary &Last, const LiveStats &A,
                               CheckResult &Out) {
  Comparison C(Out);
  StoredRows Stacks(C, "stack"), ScopePaths(C, "scope path");
  std::vector<Summary> Stored(Last.Sections.size());
  for (size_t I = 0; I != Stored.size(); ++I) {
    if (Error E = readPart(R, Limits, Last.Sections[I], Stored[I]))
      return E;
    Stacks.add(Stored[I].Stacks);
    ScopePaths.add(Stored[I].ScopePaths);
  }
  Stacks.sort();
  ScopePaths.sort();
  Summary Rest;
  bool First = true;
  Error E = A.summary(1, Last.Totals.EndNs, [&](const Summary &Part) {
    if (std::exchange(First, false))
      compareCounts(Last.Totals, Part, Out);
    Stacks.compare(Part.Stacks);
    ScopePaths.compare(Part.ScopePaths);
    auto Append = [](auto &To, const auto &From) {
      To.insert(To.end(), From.begin(), From.end());
    };
    Append(Rest.Heaps, Part.Heaps);
    Append(Rest.Spaces, Part.Spaces);
    Append(Rest.Processes, Part.Processes);
    Append(Rest.Steps, Part.Steps);
    Append(Rest.Threads, Part.Threads);
    return Error::success();
  });
  if (E)
    return E;
  Stacks.finish();
  ScopePaths.finish();
  compareRest(C, Last.Totals, Rest, Out);
  return Error::success();
}

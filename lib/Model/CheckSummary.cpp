//===- CheckSummary.cpp - Compares a summary with another -------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckSummary.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <tuple>

using namespace memkit;
using llvm::Error;
using llvm::formatv;

template <class T> static void join(std::vector<T> &To, std::vector<T> &From) {
  To.insert(To.end(), std::make_move_iterator(From.begin()),
            std::make_move_iterator(From.end()));
}

llvm::Expected<std::optional<Summary>>
memkit::readLastSummary(TraceReader &R, const IdLimits &Limits) {
  // Find the last set backwards, to decode no other.
  llvm::ArrayRef<BlockInfo> Blocks = R.blocks();
  std::vector<Summary> Parts; // in reverse
  for (size_t At = Blocks.size(); At-- > 0;) {
    const BlockInfo &B = Blocks[At];
    if (B.Kind != BlockKind::Summary)
      continue;
    Summary Part;
    if (Error E = R.read(B, Part))
      return E;
    if (std::string P = Limits.check(Part); !P.empty())
      return makeTraceError(R.name(), B.Offset, P);
    if (Parts.empty() && !Part.Complete)
      continue; // a set that was cut off
    if (!Parts.empty() && (Part.Complete || Part.Number != Parts[0].Number))
      break;
    Parts.push_back(std::move(Part));
  }
  if (Parts.empty())
    return std::nullopt;
  Summary All;
  All.Number = Parts[0].Number;
  All.EndNs = Parts[0].EndNs;
  All.Events = Parts[0].Events;
  All.Marks = Parts[0].Marks;
  for (auto P = Parts.rbegin(); P != Parts.rend(); ++P) {
    join(All.Stacks, P->Stacks);
    join(All.Contexts, P->Contexts);
    join(All.Heaps, P->Heaps);
    join(All.Domains, P->Domains);
    join(All.Images, P->Images);
    join(All.Steps, P->Steps);
    join(All.Layers, P->Layers);
    join(All.Losses, P->Losses);
  }
  return All;
}

namespace {

template <class T> struct Field {
  const char *Name;
  uint64_t T::*Value;
};

constexpr Field<SumRow> RowFields[] = {
    {"allocations", &SumRow::Allocations},
    {"allocated bytes", &SumRow::AllocatedBytes},
    {"splits", &SumRow::Splits},
    {"temporaries", &SumRow::Temporaries},
    {"live blocks", &SumRow::LiveBlocks},
    {"live bytes", &SumRow::LiveBytes},
    {"live exclusive bytes", &SumRow::LiveExclusive},
    {"peak bytes", &SumRow::PeakBytes},
    {"blocks at the heap's peak", &SumRow::HeapPeakBlocks},
    {"bytes at the heap's peak", &SumRow::HeapPeakBytes},
    {"blocks at the domain's peak", &SumRow::DomainPeakBlocks},
    {"bytes at the domain's peak", &SumRow::DomainPeakBytes},
};
constexpr Field<Totals> TotalsFields[] = {
    {"allocations", &Totals::Allocations},
    {"frees", &Totals::Frees},
    {"allocated bytes", &Totals::AllocatedBytes},
    {"freed bytes", &Totals::FreedBytes},
    {"temporaries", &Totals::Temporaries},
    {"live blocks", &Totals::LiveBlocks},
    {"live bytes", &Totals::LiveBytes},
    {"peak bytes", &Totals::PeakBytes},
    {"peak blocks", &Totals::PeakBlocks},
    {"peak time", &Totals::PeakTimeNs},
};
constexpr Field<ImageTotals> ImageFields[] = {
    {"end", &ImageTotals::EndNs},
    {"allocations", &ImageTotals::Allocations},
    {"frees", &ImageTotals::Frees},
    {"live bytes", &ImageTotals::LiveBytes},
    {"peak bytes", &ImageTotals::PeakBytes},
};
constexpr Field<StepTotals> StepFields[] = {
    {"begin", &StepTotals::BeginNs},
    {"end", &StepTotals::EndNs},
    {"allocations", &StepTotals::Allocations},
    {"frees", &StepTotals::Frees},
    {"allocated bytes", &StepTotals::AllocatedBytes},
    {"freed bytes", &StepTotals::FreedBytes},
    {"peak bytes", &StepTotals::PeakBytes},
    {"live bytes", &StepTotals::LiveBytes},
};

/// A row with what it is of; sorts by that.
struct RowOfImage {
  uint32_t Image;
  const SumRow *Row;
  auto key() const { return std::make_tuple(Image, Row->Heap, Row->Key); }
  bool operator<(const RowOfImage &O) const { return key() < O.key(); }
};

class Comparison {
public:
  explicit Comparison(CheckResult &Out) : Out(Out) {}

  template <class T, size_t N, class F>
  void fields(const Field<T> (&Fields)[N], const T &Said, const T &Is, F Name) {
    for (const Field<T> &X : Fields)
      if (Said.*X.Value != Is.*X.Value)
        Out.add(formatv("{0}: {1} {2}, events give {3}", Name(), X.Name,
                        Said.*X.Value, Is.*X.Value));
  }

  void rows(const char *What, const std::vector<SumRows> &Said,
            const std::vector<SumRows> &Is);
  /// Walks two lists sorted by Less. What only one has is compared with Empty:
  /// a thing of which nothing happened may be left out.
  template <class T, class L, class F>
  void merge(const std::vector<T> &Said, const std::vector<T> &Is, L Less,
             F Compare) {
    auto A = Said.begin();
    auto B = Is.begin();
    while (A != Said.end() || B != Is.end()) {
      bool OnlyA = B == Is.end() || (A != Said.end() && Less(*A, *B));
      bool OnlyB = A == Said.end() || (B != Is.end() && Less(*B, *A));
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

std::vector<RowOfImage> flatten(const std::vector<SumRows> &Rows) {
  std::vector<RowOfImage> Flat;
  for (const SumRows &S : Rows)
    for (const SumRow &R : S.Rows)
      Flat.push_back({S.Image, &R});
  if (!std::is_sorted(Flat.begin(), Flat.end()))
    std::sort(Flat.begin(), Flat.end());
  return Flat;
}

void Comparison::rows(const char *What, const std::vector<SumRows> &Said,
                      const std::vector<SumRows> &Is) {
  static const SumRow Nothing;
  auto Less = [](const RowOfImage &X, const RowOfImage &Y) { return X < Y; };
  merge(flatten(Said), flatten(Is), Less,
        [&](const RowOfImage *A, const RowOfImage *B) {
          Out.SummaryRows += 1;
          const RowOfImage &Any = A ? *A : *B;
          fields(RowFields, A ? *A->Row : Nothing, B ? *B->Row : Nothing, [&] {
            return formatv("summary, image {0}, heap {1}, {2} {3}", Any.Image,
                           Any.Row->Heap, What, Any.Row->Key)
                .str();
          });
        });
}

} // namespace

/// Sorted copy.
template <class T, class L>
static std::vector<T> sorted(std::vector<T> V, L Less) {
  std::stable_sort(V.begin(), V.end(), Less);
  return V;
}

static void compareTotals(Comparison &C, const char *What,
                          const std::vector<Totals> &Said,
                          const std::vector<Totals> &Is) {
  static const Totals Nothing;
  auto Less = [](const Totals &X, const Totals &Y) { return X.Id < Y.Id; };
  C.merge(sorted(Said, Less), sorted(Is, Less), Less,
          [&](const Totals *A, const Totals *B) {
            C.fields(TotalsFields, A ? *A : Nothing, B ? *B : Nothing, [&] {
              return formatv("summary, {0} {1}", What, (A ? A : B)->Id).str();
            });
          });
}

static void compareImages(Comparison &C, const Summary &Said, const Summary &Is,
                          CheckResult &Out) {
  auto Less = [](const ImageTotals &X, const ImageTotals &Y) {
    return X.Image < Y.Image;
  };
  C.merge(sorted(Said.Images, Less), sorted(Is.Images, Less), Less,
          [&](const ImageTotals *A, const ImageTotals *B) {
            ImageTotals Nothing;
            // Images that were not recorded may be left out.
            Nothing.EndNs = (A ? A : B)->EndNs;
            const ImageTotals &X = A ? *A : Nothing, &Y = B ? *B : Nothing;
            auto Name = [&] {
              return formatv("summary, image {0}", (A ? A : B)->Image).str();
            };
            C.fields(ImageFields, X, Y, Name);
            if (A && B &&
                std::tie(X.Ended, X.ExitStatus, X.Signal) !=
                    std::tie(Y.Ended, Y.ExitStatus, Y.Signal))
              Out.add(formatv(
                  "{0}: {1}, status {2}, signal {3}; marks give {4}, "
                  "status {5}, signal {6}",
                  Name(), X.Ended ? "ended" : "running", X.ExitStatus, X.Signal,
                  Y.Ended ? "ended" : "running", Y.ExitStatus, Y.Signal));
          });
}

static void compareSteps(Comparison &C, const Summary &Said,
                         const Summary &Is) {
  auto Key = [](const StepTotals &S) {
    return std::make_tuple(S.Image, S.BeginNs, S.Step);
  };
  auto Less = [&](const StepTotals &X, const StepTotals &Y) {
    return Key(X) < Key(Y);
  };
  C.merge(sorted(Said.Steps, Less), sorted(Is.Steps, Less), Less,
          [&](const StepTotals *A, const StepTotals *B) {
            StepTotals Nothing;
            C.fields(StepFields, A ? *A : Nothing, B ? *B : Nothing, [&] {
              return formatv("summary, image {0}, step {1}", (A ? A : B)->Image,
                             (A ? A : B)->Step)
                  .str();
            });
          });
}

void memkit::compareSummaries(const Summary &Said, const Summary &Is,
                              CheckResult &Out) {
  Comparison C(Out);
  if (Said.Events != Is.Events)
    Out.add(
        formatv("summary: {0} events, there are {1}", Said.Events, Is.Events));
  if (Said.Marks != Is.Marks)
    Out.add(formatv("summary: {0} marks, there are {1}", Said.Marks, Is.Marks));
  C.rows("stack", Said.Stacks, Is.Stacks);
  C.rows("context", Said.Contexts, Is.Contexts);
  compareTotals(C, "heap", {Said.Heaps.begin(), Said.Heaps.end()},
                {Is.Heaps.begin(), Is.Heaps.end()});
  compareTotals(C, "domain", Said.Domains, Is.Domains);
  compareImages(C, Said, Is, Out);
  compareSteps(C, Said, Is);
}

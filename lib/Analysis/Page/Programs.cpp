// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled programs of JAX, and live arrays at marks.

#include "memkit/Analysis/Programs.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

StringRef planKeyOf(ProgramValue V) {
  static constexpr StringLiteral Keys[NumProgramValues] = {
      "plan_argument_bytes",  "plan_output_bytes",  "plan_aliased_bytes",
      "plan_temporary_bytes", "plan_code_bytes",    "plan_peak_bytes",
      "plan_flops",           "plan_accessed_bytes"};
  return Keys[size_t(V)];
}

StringRef keyOf(ProgramValue V) {
  StringRef Key = planKeyOf(V);
  Key.consume_front("plan_");
  return Key;
}

std::optional<uint64_t> ProgramPlan::callBytes() const {
  std::optional<uint64_t> Peak = of(ProgramValue::Peak);
  std::optional<uint64_t> Arguments = of(ProgramValue::Arguments);
  std::optional<uint64_t> Outputs = of(ProgramValue::Outputs);
  if (!Arguments || !Outputs)
    return Peak;
  uint64_t All = SaturatingAdd(*Arguments, *Outputs);
  All -= std::min(All, of(ProgramValue::Aliased).value_or(0));
  All = SaturatingAdd(All, of(ProgramValue::Temporary).value_or(0));
  return std::max(All, Peak.value_or(0));
}

const ProgramPlan *CompiledProgram::largestPlan() const {
  const ProgramPlan *Largest = nullptr;
  for (const ProgramPlan &P : Plans)
    if (!Largest ||
        P.callBytes().value_or(0) > Largest->callBytes().value_or(0))
      Largest = &P;
  return Largest;
}

bool isOfJax(StringRef Heap) { return Heap.starts_with("jax."); }

namespace {
class ProgramReader {
public:
  explicit ProgramReader(const SelectedStats &S) : S(S), T(S.trace()) {}

  Expected<ProgramReport> run() {
    if (!hasHeap())
      return ProgramReport();
    sumRows();
    if (T.hasReader())
      if (Error E = T.forEachMark([this](const Mark &M) { take(M); }))
        return std::move(E);
    for (auto &[Name, P] : Programs)
      Out.Programs.push_back(std::move(P));
    stable_sort(Out.Programs, [](const auto &A, const auto &B) {
      return std::pair(A.AtPeakBytes, A.AllocatedBytes) >
             std::pair(B.AtPeakBytes, B.AllocatedBytes);
    });
    return std::move(Out);
  }

private:
  bool hasHeap() const {
    return any_of(T.heaps(),
                  [&](const Heap &H) { return isOfJax(T.string(H.Name)); });
  }

  CompiledProgram &program(StringRef Name) {
    CompiledProgram &P = Programs[Name];
    P.Name = Name;
    return P;
  }

  /// The innermost operator of each scope path; empty: none.
  std::vector<StringRef> operators() const {
    std::vector<StringRef> Of(T.scopePaths().size() + 1);
    // A parent's id is lower.
    for (uint32_t Id = 1; Id != Of.size(); ++Id) {
      const ScopePath &P = T.scopePaths()[Id - 1];
      const ScopeRecord &Scope = T.scopes()[P.Scope - 1];
      Of[Id] = Scope.Kind == ScopeKind::Operator ? T.string(Scope.Name)
                                                 : Of[P.Parent];
    }
    return Of;
  }

  void sumRows() {
    std::vector<StringRef> Operators = operators();
    for (const PackedRows &Rows : T.scopeRows()) {
      if (!S.selection().hasProcess(Rows.process()))
        continue;
      for (size_t I = 0; I != Rows.size(); ++I) {
        if (!isOfJax(T.heapName(Rows.heap(I))))
          continue;
        StackStats R = Rows[I];
        if (Operators[R.Key].empty()) {
          Out.OtherAtPeakBytes += R.HeapPeakBytes;
          continue;
        }
        CompiledProgram &P = program(Operators[R.Key]);
        P.Allocations += R.Allocations;
        P.AllocatedBytes += R.AllocatedBytes;
        P.LiveBytes += R.LiveBytes;
        P.AtPeakBytes += R.HeapPeakBytes;
      }
    }
  }

  void take(const Mark &M) {
    if (!S.selection().hasProcess(M.Process))
      return;
    if (M.Kind == MarkKind::User)
      LastMark[M.Process] = T.string(M.Name);
    else if (M.Kind == MarkKind::Program)
      takePlan(M);
    else if (M.Kind == MarkKind::Arrays)
      takeArrays(M);
  }

  void takePlan(const Mark &M) {
    constexpr size_t MaxPlans = 64;
    ProgramPlan Plan;
    for (size_t I = 0; I != std::min(M.Values.size(), Plan.Values.size()); ++I)
      if (M.Values[I] != UnknownBytes)
        Plan.Values[I] = M.Values[I];
    std::vector<ProgramPlan> &Plans = program(T.string(M.Name)).Plans;
    if (Plans.size() != MaxPlans && !is_contained(Plans, Plan))
      Plans.push_back(Plan);
  }

  /// Rows of one mark follow one another.
  void takeArrays(const Mark &M) {
    constexpr size_t MaxMarks = 4096;
    if (M.Values.size() < 2)
      return;
    StringRef At = LastMark[M.Process];
    bool IsNew =
        Out.Arrays.empty() || Out.Arrays.back().Process != M.Process ||
        Out.Arrays.back().Mark != At ||
        any_of(Out.Arrays.back().Shapes, [&](const ArraysAtMark::Shape &Of) {
          return Of.Name == T.string(M.Name);
        });
    if (IsNew && Out.Arrays.size() == MaxMarks)
      return;
    if (IsNew)
      Out.Arrays.push_back({M.Process, M.TimeNs, At, 0, 0, {}});
    ArraysAtMark &To = Out.Arrays.back();
    To.Count += M.Values[0];
    To.Bytes += M.Values[1];
    To.Shapes.push_back({T.string(M.Name), M.Values[0], M.Values[1]});
  }

  const SelectedStats &S;
  const Trace &T;
  ProgramReport Out;
  MapVector<StringRef, CompiledProgram> Programs;
  std::map<uint32_t, StringRef> LastMark; ///< by process
};
} // namespace

Expected<ProgramReport> queryPrograms(const SelectedStats &S) {
  return ProgramReader(S).run();
}

} // namespace memkit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes, steps and marks that a process reports.

#include "Scopes/ProcessScopes.h"

using namespace llvm;
using namespace memkit;

ProcessScopes::ProcessScopes(SharedProcess &Shared, Recording &R,
                             uint32_t Process, uint64_t BeginNs)
    : Threads(Shared, R, Process, BeginNs) {}

std::optional<uint32_t> ProcessScopes::take(const wire::ScopeBeginRecord &Rec,
                                            ScopeOrigin From) {
  bool IsValid = false;
  // True: the part owns the scope.
  auto TakeIn = [&](auto &Part) {
    if constexpr (requires { Part.owns(Rec.Flags); }) {
      if (!Part.owns(Rec.Flags))
        return false;
      IsValid = Part.take(Rec, From);
      return true;
    }
    return false;
  };
  if (canBegin(Rec, From.Ring))
    std::apply([&](auto &...Part) { (TakeIn(Part) || ...); }, parts());
  return ringIf(IsValid, From);
}

std::optional<uint32_t> ProcessScopes::take(const wire::ScopeEndRecord &Rec,
                                            ScopeOrigin From) {
  uint32_t Ring = From.Ring;
  uint64_t TimeNs = Threads.timeNs(From);
  if (!Threads.end(Rec.Number, Ring, TimeNs))
    Program.endPathless(Rec.Number, TimeNs);
  return Ring;
}

bool ProcessScopes::takeOperator(const wire::Record &Rec, uint32_t Ring) {
  RecordOrigin From{Rec.Tsc, Ring};
  if (!Rec.is(wire::RecordKind::ScopeBegin))
    return Threads.endUnmeasured(wire::decode<wire::ScopeEndRecord>(Rec).Number,
                                 From);
  auto Begin = wire::decode<wire::ScopeBeginRecord>(Rec);
  return (Begin.Flags & (wire::SF_KindMask | wire::SF_TensorFlow)) ==
             wire::SF_Operator &&
         canBegin(Begin, Ring) && Torch.take(Begin, From);
}

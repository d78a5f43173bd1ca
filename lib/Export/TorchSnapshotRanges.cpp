// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times, ranges and settings of a trace as a PyTorch snapshot has them.

#include "TorchSnapshotRanges.h"
#include "memkit/Model/Imported.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

bool memkit::hasRealTimes(const Trace &T) {
  return T.header().Start.RealtimeNs &&
         !importedFrom(T.header()).lacks(Lack::Times);
}

uint64_t memkit::realUs(const Trace &T, uint64_t TimeNs) {
  return T.header().Start.RealtimeNs / 1000 + TimeNs / 1000;
}

TorchSnapshotLabels memkit::labelsOf(const Trace &T, uint32_t ScopePath) {
  TorchSnapshotLabels Out;
  // From the innermost scope outwards.
  for (uint32_t At = ScopePath; At; At = T.scopePaths()[At - 1].Parent) {
    const ScopeRecord &S = T.scopes()[T.scopePaths()[At - 1].Scope - 1];
    StringRef Name = T.string(S.Name);
    if (S.Kind == ScopeKind::User && Out.Metadata.empty())
      Out.Metadata = Name.str();
    else if (S.Kind == ScopeKind::Range &&
             Name.consume_front("torch.compile ") &&
             Out.CompileContext == "N/A")
      Out.CompileContext = Name.str();
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

namespace {

class AnnotationWriter {
public:
  AnnotationWriter(PickleWriter &To, const Trace &T,
                   const TorchSnapshotScan &Scan)
      : To(To), T(T), Scan(Scan) {}

  void run() {
    bool WritesSteps = !importedFrom(T.header());
    std::string Step;
    for (const Mark &M : Scan.Marks) {
      if (M.Kind == MarkKind::RangeBegin) {
        OpenRanges[M.Id] = &M;
        write(M, "START", T.string(M.Name), deviceOf(M));
      } else if (M.Kind == MarkKind::RangeEnd) {
        auto It = OpenRanges.find(M.Id);
        if (It == OpenRanges.end())
          continue;
        const Mark *Begin = It->second;
        OpenRanges.erase(It);
        write(M, "END", T.string(Begin->Name), deviceOf(*Begin));
      } else if (M.Kind == MarkKind::Step && WritesSteps) {
        if (!Step.empty())
          write(M, "END", Step, 0);
        Step = "ProfilerStep#" + utostr(M.Id);
        write(M, "START", Step, 0);
      }
    }
  }

private:
  uint32_t deviceOf(const Mark &M) const {
    for (const auto &[Index, D] : Scan.Devices)
      if (M.Heap && M.Heap == D.Tensors)
        return Index;
    return 0;
  }

  void write(const Mark &M, StringRef Stage, StringRef Name, uint32_t Device) {
    To.dict([&] {
      To.entry("stage", Stage);
      To.entry("name", Name);
      To.entry("device", uint64_t(Device));
      To.entry("time_us", realUs(T, M.TimeNs));
    });
    To.next();
  }

  PickleWriter &To;
  const Trace &T;
  const TorchSnapshotScan &Scan;
  std::map<uint64_t, const Mark *> OpenRanges;
};

} // namespace

void memkit::writeTorchAnnotations(PickleWriter &To, const Trace &T,
                                   const TorchSnapshotScan &Scan) {
  if (hasRealTimes(T))
    AnnotationWriter(To, T, Scan).run();
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

/// A value that memimport has printed.
static void writeSetting(PickleWriter &To, StringRef Text) {
  int64_t Number;
  double Real;
  if (Text == "True" || Text == "False")
    To.boolean(Text == "True");
  else if (Text == "None")
    To.none();
  else if (!Text.getAsInteger(10, Number))
    To.signedNumber(Number);
  else if (!Text.empty() &&
           Text.find_first_not_of("0123456789.e+-") == StringRef::npos &&
           !Text.getAsDouble(Real))
    To.real(Real);
  else
    To.text(Text);
}

void memkit::writeTorchSettings(PickleWriter &To, const Trace &T) {
  To.text("allocator_settings");
  To.dict([&] {
    for (StringRef Fact : T.header().Machine) {
      if (!Fact.consume_front("torch-allocator."))
        continue;
      auto [Name, Value] = Fact.split('=');
      To.text(Name);
      writeSetting(To, Value);
      To.next();
    }
  });
  To.next();
}

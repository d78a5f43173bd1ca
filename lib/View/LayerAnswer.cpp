// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heat map of layers over steps.

#include "HttpServer.h"
#include "Model/Names/TensorHeapName.h"
#include "Support/Json.h"
#include "TraceView.h"
#include "memkit/Analysis/LayerSteps.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

using json::OStream;

namespace {
struct FoundLayers : JobResult {
  LayerSteps Steps;
  std::vector<std::string> Names; ///< of the layers
};
} // namespace

static constexpr size_t MaxLayers = 60, MaxSteps = 400;

static std::string layersText(const FoundLayers &F, uint32_t Space,
                              StringRef Command) {
  const LayerSteps &L = F.Steps;
  std::string Note;
  if (L.LeftOutSteps)
    Note = "The map shows " + formatCount(L.Steps.size()) + " of " +
           formatCount(L.Steps.size() + L.LeftOutSteps) + " steps. ";
  if (L.LeftOutLayers)
    Note += formatCount(L.LeftOutLayers) + " smaller layers are left out.";
  std::string Text;
  raw_string_ostream OS(Text);
  OStream J(OS);
  auto Array = [&](StringRef Key, ArrayRef<uint64_t> Values) {
    J.attributeArray(Key, [&] {
      for (uint64_t V : Values)
        J.value(V);
    });
  };
  J.object([&] {
    J.attribute("space", Space);
    J.attribute("unit", "bytes");
    J.attributeArray("layers", [&] {
      for (const std::string &Name : F.Names)
        J.value(jsonText(Name));
    });
    Array("steps", L.Steps);
    Array("step_ns", L.StepNs);
    J.attributeArray("values", [&] {
      for (const std::vector<uint64_t> &Row : L.Bytes)
        J.array([&] {
          for (uint64_t Bytes : Row)
            J.value(Bytes);
        });
    });
    J.attribute("note", StringRef(Note).rtrim());
    J.attribute("command", jsonText(Command));
  });
  return Text;
}

/// The memory space whose tensors take most: a model on a device has its layers
/// there, and on the host perhaps not a single one.
uint32_t TraceView::spaceOfTensors() const {
  const HeapReport *Largest = nullptr;
  for (const HeapReport &H : Run.Heaps)
    if (isTensorHeapName(H.Name) &&
        (!Largest || H.Stats.PeakBytes > Largest->Stats.PeakBytes))
      Largest = &H;
  return Largest ? Largest->Space : 0;
}

Expected<std::string> TraceView::layers(const Question &Q) {
  Expected<uint64_t> Space = Q.number("space", 0, trace().devices().size());
  if (!Space)
    return Space.takeError();
  auto Of = static_cast<uint32_t>(*Space);
  auto Work =
      [Of, &Reader = trace().reader()](
          ProgressCallback Tell) -> Expected<std::unique_ptr<JobResult>> {
    // A reader belongs to one thread.
    Expected<std::unique_ptr<TraceReader>> Again = Reader.again();
    if (!Again)
      return Again.takeError();
    Expected<std::unique_ptr<Trace>> T =
        Trace::create(std::move(*Again), TP_Totals | TP_Names, std::move(Tell));
    if (!T)
      return T.takeError();
    Expected<LayerSteps> L = readLayerSteps(**T, Of, MaxLayers, MaxSteps);
    if (!L)
      return L.takeError();
    auto Out = std::make_unique<FoundLayers>();
    for (uint32_t Name : L->Layers)
      Out->Names.push_back((*T)->string(Name).str());
    Out->Steps = std::move(*L);
    return Out;
  };
  auto Found = result("layers " + std::to_string(Of), Work);
  if (!Found)
    return Found.takeError();
  if (!*Found)
    return progress();
  const auto &Layers = *static_cast<const FoundLayers *>(*Found);
  return layersText(Layers, Of, CommandOf({.What = "layers"}));
}

} // namespace memkit

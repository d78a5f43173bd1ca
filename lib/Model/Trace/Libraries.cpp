// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library that asked for the memory of a stack.

#include "memkit/Model/Libraries.h"
#include "memkit/Model/Rules.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

using namespace llvm;

namespace memkit {

namespace {
/// The role of a frame in the search for a stack's library. Nothing: a frame
/// without binary and file.
using SearchRole = std::optional<RequestRole>;
} // namespace

/// The role of a marker that memrec puts at the leaf: `cuMemAlloc`, `malloc`,
/// ...
static SearchRole partOfMarker(StringRef Name) {
  return Name.starts_with("cu") || Name == "[device segment]"
             ? SearchRole(RequestRole::Driver)
             : std::nullopt;
}

namespace {
class Finder {
public:
  explicit Finder(const Trace &T) : T(T), Frames(T.numFrames() + 1) {}
  void judgeFrames();
  /// Id and Out: of a library. Id is small, because there are millions of ways,
  /// which are read in no order.
  template <class Id, class Out> std::vector<Out> ofNodes() const;
  std::vector<StringRef> Names{"(unknown)"};

private:
  struct Judged {
    SearchRole P;
    uint32_t Library = 0; ///< 0: none
  };
  uint32_t nameOf(StringRef Path);
  const Trace &T;
  std::vector<Judged> Frames; ///< by id
  DenseMap<StringRef, uint32_t> Known;
};
} // namespace

uint32_t Finder::nameOf(StringRef Path) {
  StringRef Name = baseName(Path);
  if (Name.empty())
    return 0;
  auto [At, New] = Known.try_emplace(Name, Names.size());
  if (New)
    Names.push_back(Name);
  return At->second;
}

void Finder::judgeFrames() {
  std::vector<Judged> Binaries(T.binaries().size() + 1);
  for (uint32_t Id = 1; Id < Binaries.size(); ++Id) {
    StringRef Path = T.string(T.binaries()[Id - 1].Path);
    if (uint32_t Library = nameOf(Path))
      Binaries[Id] = {T.rules().requestRole(Names[Library]), Library};
  }
  for (uint32_t Id = 1; Id < Frames.size(); ++Id) {
    const Frame &F = T.frame(Id);
    if (F.Kind == FrameKind::Native)
      Frames[Id] = Binaries[F.Container];
    if (F.Kind == FrameKind::Named && F.Container)
      Frames[Id].P = partOfMarker(T.string(T.function(F.Container).Name));
    if (F.Kind == FrameKind::Python && F.Container)
      if (uint32_t Library = nameOf(T.string(T.function(F.Container).File)))
        Frames[Id] = {RequestRole::Makes, Library};
  }
}

/// Finds the library of each node. A parent's id is lower than those of its
/// children, so one pass over the nodes is enough.
template <class Id, class Out> std::vector<Out> Finder::ofNodes() const {
  struct Way {
    /// The library that asked for the memory of a stack that ends here.
    Id Asked = 0;
    Id Took = 0; ///< the library that took the memory from the device
    Id Any = 0;  ///< the innermost library of all, used if none asked
  };
  std::vector<Way> Ways(T.numNodes() + 1);
  std::vector<Out> Of(Ways.size());
  for (uint32_t Node = 1; Node < Ways.size(); ++Node) {
    const Judged &F = Frames[T.frameOf(Node)];
    Way &W = Ways[Node] = Ways[T.parent(Node)];
    auto Library = static_cast<Id>(F.Library);
    if (Library)
      W.Any = Library;
    if (F.P == RequestRole::Driver)
      W.Asked = W.Took;
    else if (F.P == RequestRole::Cache)
      W.Took = Library;
    else if (F.P == RequestRole::Makes)
      W.Asked = W.Took = Library;
    Of[Node] = W.Asked ? W.Asked : W.Any;
  }
  return Of;
}

Libraries::Libraries(const Trace &T) : T(&T) {
  Finder F(T);
  F.judgeFrames();
  if (F.Names.size() <= UINT8_MAX)
    Narrow = F.ofNodes<uint8_t, uint16_t>();
  else if (F.Names.size() <= UINT16_MAX)
    Narrow = F.ofNodes<uint16_t, uint16_t>();
  else
    Wide = F.ofNodes<uint32_t, uint32_t>();
  Names = std::move(F.Names);
}

} // namespace memkit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library that asked for the memory of a stack.

#include "memkit/Model/Libraries.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

namespace {
/// The role of a frame in the search for a stack's library.
enum class SearchRole : uint8_t {
  Nothing,   ///< a frame without binary and file
  Driver,    ///< CUDA's driver: a frame further out took memory from the device
  HandsOn,   ///< passes on a request of a frame further out
  Allocator, ///< as HandsOn, unless it takes memory from the driver itself
  Library,
};
} // namespace

/// Whether Name is the library Stem of any version: `libc.so.6`,
/// `libc-2.31.so`.
static bool isLibrary(StringRef Name, StringRef Stem) {
  return Name.consume_front(Stem) &&
         (Name.starts_with(".so") || Name.starts_with("-"));
}

static SearchRole partOf(StringRef Binary) {
  static constexpr StringLiteral Drivers[] = {"libcuda", "libcudart",
                                              "libcupti", "libmemrec-cuda"};
  static constexpr StringLiteral HandOn[] = {
      "libmemrec",   "libc",        "libstdc++",   "libc++",
      "libc++abi",   "libpthread",  "ld-linux",    "ld-linux-x86-64",
      "ld",          "libjemalloc", "libtcmalloc", "libtcmalloc_minimal",
      "libmimalloc", "libffi"};
  static constexpr StringLiteral Caches[] = {"libc10", "libc10_cuda"};
  auto IsOf = [&](ArrayRef<StringLiteral> List) {
    return any_of(List,
                  [&](StringRef Stem) { return isLibrary(Binary, Stem); });
  };
  if (IsOf(Drivers))
    return SearchRole::Driver;
  if (IsOf(HandOn))
    return SearchRole::HandsOn;
  return IsOf(Caches) ? SearchRole::Allocator : SearchRole::Library;
}

/// The role of a marker that memrec puts at the leaf: `cuMemAlloc`, `malloc`,
/// ...
static SearchRole partOfMarker(StringRef Name) {
  return Name.starts_with("cu") || Name == "[device segment]"
             ? SearchRole::Driver
             : SearchRole::Nothing;
}

namespace {
class Finder {
public:
  explicit Finder(const Trace &T) : T(T), Frames(T.numFrames() + 1) {}
  void judgeFrames();
  std::vector<uint32_t> ofNodes() const;
  std::vector<StringRef> Names{"(unknown)"};

private:
  struct Judged {
    SearchRole P = SearchRole::Nothing;
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
      Binaries[Id] = {partOf(Names[Library]), Library};
  }
  for (uint32_t Id = 1; Id < Frames.size(); ++Id) {
    const Frame &F = T.frame(Id);
    if (F.Kind == FrameKind::Native)
      Frames[Id] = Binaries[F.Container];
    if (F.Kind == FrameKind::Named && F.Container)
      Frames[Id].P = partOfMarker(T.string(T.function(F.Container).Name));
    if (F.Kind == FrameKind::Python && F.Container)
      if (uint32_t Library = nameOf(T.string(T.function(F.Container).File)))
        Frames[Id] = {SearchRole::Library, Library};
  }
}

/// Finds the library of each node. A parent's id is lower than those of its
/// children, so one pass over the nodes is enough.
std::vector<uint32_t> Finder::ofNodes() const {
  struct Way {
    /// The library that asked for the memory of a stack that ends here.
    uint32_t Asked = 0;
    uint32_t Took = 0; ///< the library that took the memory from the device
    uint32_t Any = 0;  ///< the innermost library of all, used if none asked
  };
  std::vector<Way> Ways(T.numNodes() + 1);
  std::vector<uint32_t> Out(Ways.size());
  for (uint32_t Node = 1; Node < Ways.size(); ++Node) {
    const Judged &F = Frames[T.frameOf(Node)];
    Way &W = Ways[Node] = Ways[T.parent(Node)];
    if (F.Library)
      W.Any = F.Library;
    if (F.P == SearchRole::Driver)
      W.Asked = W.Took;
    else if (F.P == SearchRole::Allocator)
      W.Took = F.Library;
    else if (F.P == SearchRole::Library)
      W.Asked = W.Took = F.Library;
    Out[Node] = W.Asked ? W.Asked : W.Any;
  }
  return Out;
}

Libraries::Libraries(const Trace &T) : T(&T) {
  Finder F(T);
  F.judgeFrames();
  OfNode = F.ofNodes();
  Names = std::move(F.Names);
}

} // namespace memkit

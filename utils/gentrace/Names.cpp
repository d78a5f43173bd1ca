// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions, files and stacks of a synthetic program.

#include "Random.h"
#include "Shape.h"
#include <algorithm>

using namespace memkit;
using namespace memkit::gentrace;
using llvm::Error;

namespace {

const char *const Spaces[] = {
    "at::native", "torch::autograd", "c10",         "std",
    "llvm",       "clang::Sema",     "folly",       "absl",
    "arrow",      "grpc_core",       "v8::internal"};
const char *const Nouns[] = {"Tensor", "Buffer", "Graph",  "Node",   "Parser",
                             "Cache",  "Stream", "Module", "Arena",  "Engine",
                             "Token",  "Symbol", "Index",  "Vector", "Request"};
const char *const Verbs[] = {"create", "resize",   "append",  "resolve",
                             "emit",   "visit",    "load",    "lookup",
                             "flush",  "dispatch", "reserve", "copy",
                             "insert", "build",    "convert"};
const char *const Types[] = {"int",         "float",      "unsigned long",
                             "std::string", "at::Tensor", "llvm::StringRef"};
const char *const Files[] = {"src", "lib", "include/detail", "core/impl"};

template <size_t N> const char *pick(Random &R, const char *const (&From)[N]) {
  return From[R.below(N)];
}

/// As long and as similar as the demangled names of large C++ programs.
std::string functionName(Random &R, uint32_t Id) {
  std::string S = pick(R, Spaces);
  S += "::";
  S += pick(R, Nouns);
  if (R.oneIn(3))
    S += std::string("<") + pick(R, Types) + ", " + pick(R, Types) + ">";
  S += "::";
  S += pick(R, Verbs);
  S += pick(R, Nouns) + std::to_string(Id);
  S += "(";
  for (uint64_t I = 0, N = R.below(4); I < N; ++I)
    S += std::string(I ? ", " : "") + pick(R, Types) + " const&";
  return S + ")";
}

/// Writes a Dictionary whenever it is full.
class Names {
public:
  Names(const Shape &S, TraceWriter &Out) : S(S), Out(Out), R(S.Seed) {}

  Error write(std::vector<uint32_t> &HeapNames);

private:
  Error writeFunctions();
  Error writeFrames();
  Error writeStacks();
  uint32_t string(std::string Text) {
    D.Strings.push_back(std::move(Text));
    return ++Strings;
  }
  Error flushIf(size_t Rows) {
    if (Rows < MaxSectionRows)
      return Error::success();
    return flush();
  }
  Error flush() {
    Error E = Out.write(D);
    D = Dictionary();
    return E;
  }

  const Shape &S;
  TraceWriter &Out;
  Random R;
  Dictionary D;
  uint32_t Strings = 0;
  uint32_t Functions = 0, Frames = 0;
  static constexpr uint32_t Binaries = 12;
};

Error Names::writeFunctions() {
  Functions = std::max<uint32_t>(16, S.Nodes / 40);
  std::vector<uint32_t> FileIds;
  for (uint32_t I = 0; I < Functions / 20 + 1; ++I)
    FileIds.push_back(string(std::string("/home/user/project/") +
                             pick(R, Files) + "/" + pick(R, Nouns) +
                             std::to_string(I) + ".cpp"));
  for (uint32_t I = 0; I < Binaries; ++I) {
    Binary M;
    M.Path = string("/usr/lib/lib" + std::string(pick(R, Nouns)) +
                    std::to_string(I) + ".so");
    for (unsigned B = 0; B < 20; ++B)
      M.BuildId.push_back(static_cast<uint8_t>(R.next()));
    D.Binaries.push_back(M);
  }
  if (Error E = flush())
    return E;
  for (uint32_t I = 0; I < Functions; ++I) {
    Function F;
    F.Name = string(functionName(R, I));
    F.File = FileIds[R.below(FileIds.size())];
    F.Line = 1 + R.below(3000);
    D.Functions.push_back(F);
    if (Error E = flushIf(D.Functions.size()))
      return E;
  }
  return flush();
}

Error Names::writeFrames() {
  Frames = std::max<uint32_t>(32, S.Nodes / 20);
  for (uint32_t I = 1; I <= Frames; ++I) {
    Frame F;
    F.Container = 1 + R.below(Binaries);
    F.Address = 0x1000 + I * 37 + R.below(16);
    D.Frames.push_back(F);
    FrameSymbols Symbols;
    Symbols.Frame = I;
    // One address in three has inlined functions.
    for (uint64_t N = R.oneIn(3) ? 1 + R.below(4) : 1; N; --N)
      Symbols.Locations.push_back(
          {uint32_t(1 + R.below(Functions)), uint32_t(1 + R.below(3000))});
    D.Symbols.push_back(std::move(Symbols));
    if (Error E = flushIf(D.Frames.size()))
      return E;
  }
  return flush();
}

Error Names::writeStacks() {
  std::vector<uint32_t> Parent(1), Depth(1), Leaf;
  for (uint32_t Id = 0; Id < S.Stacks; ++Id) {
    // The remaining nodes, spread evenly over the remaining stacks, with
    // scatter.
    uint32_t Left = S.Nodes - std::min<uint32_t>(S.Nodes, Parent.size() - 1);
    uint32_t Mean = Left / (S.Stacks - Id);
    bool Last = Id + 1 == S.Stacks;
    uint32_t Length = Last ? Left : Mean ? Mean / 2 + R.below(Mean + 1) : 0;
    // Starts a few nodes above the leaf of a stack, mostly of a late stack.
    uint32_t From = 0;
    if (!Leaf.empty()) {
      From = Leaf[Leaf.size() - 1 - R.skewed(Leaf.size())];
      uint32_t Pops =
          Depth[From] > 60 ? Depth[From] / 2 : R.skewed(Depth[From] + 1);
      while (Pops--)
        From = Parent[From];
    } else {
      Length = std::max<uint32_t>(Length, std::min<uint32_t>(Left, 8));
    }
    D.Stacks.push_back({From, Length});
    for (uint32_t I = 0; I < Length; ++I) {
      D.NodeFrames.push_back(1 + R.skewed(Frames));
      Parent.push_back(From);
      Depth.push_back(Depth[From] + 1);
      From = Parent.size() - 1;
    }
    Leaf.push_back(From);
    if (D.Stacks.size() == MaxSectionRows / 8 ||
        D.NodeFrames.size() > 2 * size_t(MaxSectionRows))
      if (Error E = flush())
        return E;
  }
  return flush();
}

Error Names::write(std::vector<uint32_t> &HeapNames) {
  static const char *const Known[] = {
      "host.malloc",   "host.mmap",    "python.object", "torch.cpu",
      "cuda:0.device", "torch.cuda:0", "host.reserved"};
  for (uint32_t I = 0; I < S.Heaps; ++I)
    HeapNames.push_back(
        string(I < std::size(Known) ? Known[I] : "pool." + std::to_string(I)));
  if (Error E = writeFunctions())
    return E;
  if (Error E = writeFrames())
    return E;
  return writeStacks();
}

} // namespace

Error gentrace::writeNames(const Shape &S, TraceWriter &Out,
                           std::vector<uint32_t> &HeapNames) {
  return Names(S, Out).write(HeapNames);
}

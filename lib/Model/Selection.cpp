//===- Selection.cpp - A part of a trace -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Model/Selection.h"
#include "memkit/Support/ToolMain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace memkit {

namespace {

/// Globs that are alternatives.
class Globs {
public:
  static Expected<Globs> create(StringRef Flag, ArrayRef<std::string> Texts) {
    Globs G;
    for (const std::string &Text : Texts) {
      Expected<GlobPattern> P = GlobPattern::create(Text);
      if (!P)
        return makeUsageError(Flag + "=" + Text + ": " +
                              toString(P.takeError()));
      G.Patterns.push_back(std::move(*P));
    }
    return G;
  }
  bool match(StringRef Text) const {
    return any_of(Patterns,
                  [&](const GlobPattern &P) { return P.match(Text); });
  }

private:
  std::vector<GlobPattern> Patterns;
};

} // namespace

/// `no heap matches 'cuda*'; heaps: host.malloc, host.mmap`.
static Error nothingMatches(StringRef What, ArrayRef<std::string> Patterns,
                            ArrayRef<std::string> There) {
  const size_t Most = 20;
  StringSet<> Seen;
  SmallVector<StringRef, 8> Names;
  for (const std::string &Name : There)
    if (Seen.insert(Name).second)
      Names.push_back(Name);
  std::string Text =
      ("no " + What + " matches '" + join(Patterns, "', '") + "'").str();
  if (Names.empty())
    return makeError(Text + "; the trace has none");
  size_t Left = Names.size() > Most ? Names.size() - Most : 0;
  Names.truncate(std::min(Names.size(), Most));
  Text += "; " + What.str() + (What.ends_with("s") ? "es: " : "s: ") +
          join(Names, ", ");
  if (Left)
    Text += " and " + std::to_string(Left) + " more";
  return makeError(Text);
}

Expected<Selection> Selection::create(const Trace &T, const SelectionSpec &S) {
  Selection Sel;
  Sel.MinSize = S.MinSize;
  if (Error E = Sel.chooseHeaps(T, S))
    return E;
  if (Error E = Sel.chooseImages(T, S))
    return E;
  if (Error E = Sel.chooseStacks(T, S))
    return E;
  if (Error E = Sel.chooseThreads(T, S))
    return E;
  if (Error E = Sel.chooseContexts(T, S))
    return E;
  if (Error E = Sel.chooseLayers(T, S))
    return E;
  return Sel;
}

Error Selection::chooseHeaps(const Trace &T, const SelectionSpec &S) {
  uint32_t Count = T.heaps().size();
  Heaps.resize(Count + 1);
  OuterView = !S.Heaps.empty();
  Expected<Globs> Wanted = Globs::create("--heap", S.Heaps);
  if (!Wanted)
    return Wanted.takeError();
  std::vector<std::string> There;
  for (uint32_t Id = 1; Id <= Count; ++Id) {
    StringRef Name = T.heapName(Id);
    There.push_back(Name.str());
    Heaps[Id] = OuterView ? Wanted->match(Name)
                          : !(T.heap(Id).Flags & HF_OutsideTotals);
  }
  if (OuterView && Heaps.none())
    return nothingMatches("heap", S.Heaps, There);
  return Error::success();
}

/// Whether Pattern is `#N` for image Id or the pid of it.
static bool namesImage(const Image &I, uint32_t Id, StringRef Pattern) {
  uint32_t Number;
  if (Pattern.consume_front("#"))
    return !Pattern.getAsInteger(10, Number) && Number == Id;
  return !Pattern.getAsInteger(10, Number) && Number == I.Pid;
}

Error Selection::chooseImages(const Trace &T, const SelectionSpec &S) {
  uint32_t Count = T.images().size();
  Images.resize(Count + 1, S.Processes.empty());
  if (S.Processes.empty())
    return Error::success();
  Expected<Globs> Wanted = Globs::create("--process", S.Processes);
  if (!Wanted)
    return Wanted.takeError();
  std::vector<std::string> There;
  for (uint32_t Id = 1; Id <= Count; ++Id) {
    const Image &I = T.images()[Id - 1];
    StringRef Program = T.program(Id);
    There.push_back((Twine(I.Pid) + " (" + T.processName(Id) + ")").str());
    Images[Id] = Wanted->match(Program) || Wanted->match(baseName(Program)) ||
                 Wanted->match(T.processName(Id)) ||
                 any_of(S.Processes, [&](const std::string &P) {
                   return namesImage(I, Id, P);
                 });
  }
  if (Images.none())
    return nothingMatches("process", S.Processes, There);
  return Error::success();
}

Error Selection::chooseStacks(const Trace &T, const SelectionSpec &S) {
  if (S.Stacks.empty())
    return Error::success();
  std::vector<Regex> Wanted;
  for (const std::string &Text : S.Stacks) {
    Wanted.emplace_back(Text);
    std::string Wrong;
    if (!Wanted.back().isValid(Wrong))
      return makeUsageError("--stack=" + Text + ": " + Wrong);
  }
  auto Matches = [&](StringRef Text) {
    return !Text.empty() &&
           any_of(Wanted, [&](const Regex &R) { return R.match(Text); });
  };
  BitVector FrameMatches(T.numFrames() + 1);
  for (uint32_t F = 1; F <= T.numFrames(); ++F)
    FrameMatches[F] = any_of(T.shown(F), [&](const ShownFrame &Shown) {
      return Matches(Shown.Function) || Matches(Shown.File) ||
             Matches(Shown.Module);
    });
  BitVector NodeMatches(T.numNodes() + 1);
  for (uint32_t N = 1; N <= T.numNodes(); ++N)
    NodeMatches[N] = NodeMatches[T.parent(N)] || FrameMatches[T.frameOf(N)];
  AllStacks = false;
  Stacks.resize(T.numStacks() + 1);
  for (uint32_t Id = 1; Id <= T.numStacks(); ++Id)
    Stacks[Id] = NodeMatches[T.leaf(Id)];
  if (Stacks.none())
    return makeError("no stack matches '" + join(S.Stacks, "', '") +
                     "'; there are " + Twine(T.numStacks()) + " stacks");
  return Error::success();
}

Error Selection::chooseThreads(const Trace &T, const SelectionSpec &S) {
  if (S.Threads.empty())
    return Error::success();
  Expected<Globs> Wanted = Globs::create("--thread", S.Threads);
  if (!Wanted)
    return Wanted.takeError();
  AllThreads = false;
  Threads.resize(T.threads().size() + 1);
  std::vector<std::string> There;
  for (uint32_t Id = 1; Id <= T.threads().size(); ++Id) {
    const Thread &Th = T.threads()[Id - 1];
    StringRef Name = T.string(Th.Name);
    There.push_back((Twine(Th.Tid) + " (" + Name + ")").str());
    Threads[Id] =
        Wanted->match(Name) || is_contained(S.Threads, utostr(Th.Tid));
  }
  if (Threads.none())
    return nothingMatches("thread", S.Threads, There);
  return Error::success();
}

Error Selection::chooseContexts(const Trace &T, const SelectionSpec &S) {
  if (S.Contexts.empty())
    return Error::success();
  Expected<Globs> Wanted = Globs::create("--context", S.Contexts);
  if (!Wanted)
    return Wanted.takeError();
  AllContexts = false;
  Contexts.resize(T.contexts().size() + 1);
  std::vector<std::string> There;
  for (uint32_t Id = 1; Id <= T.contexts().size(); ++Id) {
    const Context &C = T.contexts()[Id - 1];
    StringRef Name = C.Scope ? T.string(T.scopes()[C.Scope - 1].Name) : "";
    There.push_back(Name.str());
    Contexts[Id] = Contexts[C.Parent] || Wanted->match(Name) ||
                   Wanted->match(T.contextPath(Id));
  }
  if (Contexts.none())
    return nothingMatches("context", S.Contexts, There);
  return Error::success();
}

/// Whether a pattern matches the module path Name or one that it lies below.
static bool matchesPath(const Globs &Wanted, StringRef Name) {
  const unsigned MostParts = 64; // names are anyone's
  size_t Dot = 0;
  for (unsigned I = 0; I != MostParts; ++I) {
    Dot = Name.find('.', Dot + 1);
    if (Dot == StringRef::npos)
      break;
    if (Wanted.match(Name.take_front(Dot)))
      return true;
  }
  return Wanted.match(Name);
}

/// Narrows what chooseContexts() chose.
Error Selection::chooseLayers(const Trace &T, const SelectionSpec &S) {
  if (S.Layers.empty())
    return Error::success();
  Expected<Globs> Wanted = Globs::create("--layer", S.Layers);
  if (!Wanted)
    return Wanted.takeError();
  std::vector<std::string> There;
  BitVector Scopes(T.scopes().size() + 1);
  for (uint32_t Id = 1; Id < Scopes.size(); ++Id) {
    const Scope &Sc = T.scopes()[Id - 1];
    if (Sc.Kind != ScopeKind::Layer)
      continue;
    There.push_back(T.string(Sc.Name).str());
    Scopes[Id] = matchesPath(*Wanted, There.back());
  }
  if (Scopes.none())
    return nothingMatches("layer", S.Layers, There);
  BitVector In(T.contexts().size() + 1);
  for (uint32_t Id = 1; Id < In.size(); ++Id) {
    const Context &C = T.contexts()[Id - 1];
    In[Id] = In[C.Parent] || Scopes[C.Scope];
  }
  if (AllContexts)
    Contexts = std::move(In);
  else
    Contexts &= In;
  AllContexts = false;
  if (Contexts.none())
    return makeError("no layer that matches '" + join(S.Layers, "', '") +
                     "' lies in a context that matches '" +
                     join(S.Contexts, "', '") + "'");
  return Error::success();
}

} // namespace memkit

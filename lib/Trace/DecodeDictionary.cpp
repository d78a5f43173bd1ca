// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FlatBuffers to dictionary sections.

#include "DecodeHelpers.h"

using namespace memkit;

Decoder::Problem Decoder::decodeStrings(const fb::Strings *T,
                                        std::vector<std::string> &Out) {
  TRY(known(T, fb::Strings::VT_LENGTH));
  if (T->count() > MaxSectionRows)
    return "too many strings in a dictionary";
  std::vector<uint32_t> &Length = Narrow[0];
  if (!decodePlanes(T->length(), T->count(), Length))
    return "the lengths of strings are malformed";
  size_t At = 0, Size = sizeOf(T->bytes());
  const char *Text =
      Size ? reinterpret_cast<const char *>(T->bytes()->Data()) : nullptr;
  Out.reserve(T->count());
  for (uint32_t L : Length) {
    if (L > Size - At)
      return "the lengths of strings exceed their text";
    Out.emplace_back(Text + At, L);
    At += L;
  }
  return At == Size ? "" : "text that belongs to no string";
}

Decoder::Problem Decoder::decodeStacks(const fb::StackTree *T,
                                       Dictionary &Out) {
  TRY(known(T, fb::StackTree::VT_FRAME));
  if (T->count() > MaxSectionRows || T->nodes() > 4 * MaxSectionRows)
    return "too many stacks in a dictionary";
  StackRows Rows;
  if (!copyBytes(T->pops(), T->count(), Rows.Pops) ||
      !copyBytes(T->length(), T->count(), Rows.Length))
    return "the rows of stacks have the wrong length";
  auto Fars = [](const std::vector<uint8_t> &V) {
    return size_t(std::count(V.begin(), V.end(), StackTree::Far));
  };
  if (!decodePlanes(T->far_parent(), Fars(Rows.Pops), Rows.FarParent) ||
      !decodePlanes(T->far_length(), Fars(Rows.Length), Rows.FarLength) ||
      !decodePlanes(T->frame(), T->nodes(), Out.NodeFrames))
    return "a column of stacks has the wrong length";
  if (!Tree.decode(Rows, T->nodes(), Out.Stacks))
    return "a stack leads out of the tree";
  return "";
}

Decoder::Problem Decoder::decodeSymbols(const fb::Symbols *T,
                                        std::vector<FrameSymbols> &Out) {
  TRY(known(T, fb::Symbols::VT_LINE));
  if (T->count() > MaxSectionRows || T->locations() > 4 * MaxSectionRows)
    return "too many symbols in a dictionary";
  std::vector<uint32_t> &Frame = Narrow[0], &Function = Narrow[1],
                        &Line = Narrow[2];
  std::vector<uint8_t> Depth;
  if (!decodePlanes(T->frame(), T->count(), Wide[0]) ||
      !undoDifferences(Wide[0], UINT32_MAX) ||
      !copyBytes(T->depth(), T->count(), Depth) ||
      !decodePlanes(T->function(), T->locations(), Function) ||
      !decodePlanes(T->line(), T->locations(), Line))
    return "a column of symbols is malformed";
  Frame.assign(Wide[0].begin(), Wide[0].end());
  size_t At = 0;
  Out.resize(T->count());
  for (uint32_t I = 0; I != T->count(); ++I) {
    if (Depth[I] > Function.size() - At)
      return "symbols with more locations than there are";
    Out[I].Frame = Frame[I];
    Out[I].Locations.reserve(Depth[I]);
    for (unsigned K = 0; K != Depth[I]; ++K, ++At)
      Out[I].Locations.push_back({Function[At], Line[At]});
  }
  return At == Function.size() ? "" : "locations that belong to no symbol";
}

/// Calls Do for each table of V.
template <class V, class F>
static std::string eachEntry(const V *Tables, F Do) {
  if (Tables && Tables->size() > MaxSectionRows)
    return "too many entries in a dictionary";
  if (Tables)
    for (const auto *X : *Tables)
      if (std::string P = Do(X); !P.empty())
        return P;
  return "";
}

/// Decodes the short lists.
Decoder::Problem Decoder::decodeFew(const fb::Dictionary *T, Dictionary &Out) {
  TRY(eachEntry(T->devices(), [&](const fb::Device *X) -> Problem {
    TRY(known(X, fb::Device::VT_BYTES));
    Device D;
    TRY(copyVector(X->uuid(), D.Uuid));
    TRY(copyText(X->pci(), D.Pci));
    TRY(copyText(X->name(), D.Name));
    TRY(copyText(X->space(), D.Space));
    D.Bytes = X->bytes();
    Out.Devices.push_back(std::move(D));
    return "";
  }));
  TRY(eachEntry(T->processes(), [&](const fb::Process *X) -> Problem {
    TRY(known(X, fb::Process::VT_HOST));
    ProcessRecord I;
    I.Pid = X->pid();
    I.Parent = X->parent();
    if (X->origin() < NumProcessOrigins)
      I.Origin = ProcessOrigin(X->origin());
    else
      TRY(unknown(UnknownValues::Processes, "origin of a process",
                  X->origin()));
    I.Exe = X->exe();
    TRY(copyVector(X->command(), I.Command));
    I.Role = X->role();
    I.StartNs = X->start_ns();
    I.Recorded = X->recorded();
    I.WhyNot = X->why_not();
    I.Place = {X->rank(),    X->world_size(), X->local_rank(), X->node(),
               X->attempt(), X->job(),        X->host()};
    Out.Processes.push_back(std::move(I));
    return "";
  }));
  return eachEntry(T->heaps(), [&](const fb::Heap *X) -> Problem {
    TRY(known(X, fb::Heap::VT_SAMPLE_BYTES));
    Out.Heaps.push_back(
        {X->name(), X->space(), X->parent(), X->flags(), X->sample_bytes()});
    return "";
  });
}

/// Decodes the lists with one table for each entry.
Decoder::Problem Decoder::decodeTables(const fb::Dictionary *T,
                                       Dictionary &Out) {
  TRY(decodeFew(T, Out));
  TRY(eachEntry(T->binaries(), [&](const fb::Binary *X) -> Problem {
    TRY(known(X, fb::Binary::VT_BUILD_ID));
    Binary M;
    M.Path = X->path();
    TRY(copyVector(X->build_id(), M.BuildId));
    Out.Binaries.push_back(std::move(M));
    return "";
  }));
  TRY(eachEntry(T->scopes(), [&](const fb::Scope *X) -> Problem {
    TRY(known(X, fb::Scope::VT_COLOR));
    auto Kind = ScopeKind(X->kind());
    if (X->kind() >= NumScopeKinds) {
      TRY(unknown(UnknownValues::Scopes, "kind of scope", X->kind()));
      Kind = ScopeKind::User; // scope paths refer to this scope by id
    }
    Out.Scopes.push_back({Kind, X->name(), X->color()});
    return "";
  }));
  TRY(eachEntry(T->threads(), [&](const fb::Thread *X) -> Problem {
    TRY(known(X, fb::Thread::VT_START_NS));
    Out.Threads.push_back({X->process(), X->tid(), X->name(), X->start_ns()});
    return "";
  }));
  TRY(eachEntry(T->source_lines(), [&](const fb::SourceLine *X) -> Problem {
    TRY(known(X, fb::SourceLine::VT_TEXT));
    Out.SourceLines.push_back({X->file(), X->line(), X->text()});
    return "";
  }));
  return eachEntry(T->loads(), [&](const fb::Load *X) -> Problem {
    TRY(known(X, fb::Load::VT_END_NS));
    Out.Loads.push_back({X->process(), X->binary(), X->start(), X->size(),
                         X->bias(), X->time_ns(), X->end_ns()});
    return "";
  });
}

/// Counts the ids that a dictionary defines.
Decoder::Problem Decoder::countIds(const fb::Dictionary *T, IdLimits &C) {
  auto Count = [](const auto *Columns) {
    return Columns ? Columns->count() : 0;
  };
  auto Size = [](const auto *Tables) { return Tables ? Tables->size() : 0; };
  C.Strings = Count(T->strings());
  C.Devices = Size(T->devices());
  C.Binaries = Size(T->binaries());
  C.Functions = Count(T->functions());
  C.Frames = Count(T->frames());
  C.Nodes = T->stacks() ? T->stacks()->nodes() : 0;
  C.Stacks = Count(T->stacks());
  C.Scopes = Size(T->scopes());
  C.ScopePaths = Count(T->scope_paths());
  C.Processes = Size(T->processes());
  C.Threads = Size(T->threads());
  C.Heaps = Size(T->heaps());
  for (uint32_t N :
       {C.Strings, C.Functions, C.Frames, C.Nodes / 4, C.Stacks, C.ScopePaths})
    if (N > MaxSectionRows)
      return "too many entries in a dictionary";
  return "";
}

Decoder::Problem Decoder::outline(DictionaryOutline &Out, bool WithStrings) {
  const fb::Dictionary *T = Root->body_as_Dictionary();
  Out = DictionaryOutline();
  if (T->strings() && WithStrings)
    TRY(decodeStrings(T->strings(), Out.Few.Strings));
  TRY(decodeFew(T, Out.Few));
  return countIds(T, Out.Counts);
}

/// Empties D but keeps its memory for the next of many dictionaries.
static void clear(Dictionary &D) {
  D.Strings.clear();
  D.Devices.clear();
  D.Binaries.clear();
  D.Functions.clear();
  D.Frames.clear();
  D.Stacks.clear();
  D.NodeFrames.clear();
  D.Scopes.clear();
  D.ScopePaths.clear();
  D.Processes.clear();
  D.Threads.clear();
  D.Heaps.clear();
  D.Loads.clear();
  D.Symbols.clear();
  D.SourceLines.clear();
}

Decoder::Problem Decoder::names(DictionaryOutline &Out) {
  TRY(countIds(Root->body_as_Dictionary(), Out.Counts));
  return decodeDictionary(Out.Few, /*WithStacks=*/false);
}

Decoder::Problem Decoder::decode(Dictionary &Out) {
  return decodeDictionary(Out, /*WithStacks=*/true);
}

Decoder::Problem Decoder::decodeDictionary(Dictionary &Out, bool WithStacks) {
  const fb::Dictionary *T = Root->body_as_Dictionary();
  TRY(known(T, fb::Dictionary::VT_SOURCE_LINES));
  clear(Out);
  if (T->strings())
    TRY(decodeStrings(T->strings(), Out.Strings));
  TRY(decodeTables(T, Out));
  if (const fb::Functions *F = T->functions()) {
    TRY(known(F, fb::Functions::VT_LINE));
    if (F->count() > MaxSectionRows)
      return "too many functions in a dictionary";
    if (!decodePlanes(F->name(), F->count(), Wide[0]) ||
        !undoDifferences(Wide[0], UINT32_MAX) ||
        !decodePlanes(F->file(), F->count(), Wide[1]) ||
        !undoDifferences(Wide[1], UINT32_MAX) ||
        !decodePlanes(F->line(), F->count(), Narrow[0]))
      return "a column of functions is malformed";
    for (uint32_t I = 0; I != F->count(); ++I)
      Out.Functions.push_back(
          {uint32_t(Wide[0][I]), uint32_t(Wide[1][I]), Narrow[0][I]});
  }
  if (const fb::Frames *F = WithStacks ? T->frames() : nullptr) {
    TRY(known(F, fb::Frames::VT_ADDRESS));
    if (F->count() > MaxSectionRows)
      return "too many frames in a dictionary";
    std::vector<uint8_t> Kind;
    if (!copyBytes(F->kind(), F->count(), Kind) ||
        !decodePlanes(F->container(), F->count(), Narrow[0]) ||
        !decodePlanes(F->address(), F->count(), Wide[0]))
      return "a column of frames is malformed";
    (void)undoDifferences(Wide[0], UINT64_MAX);
    for (uint32_t I = 0; I != F->count(); ++I) {
      if (Kind[I] < NumFrameKinds) {
        Out.Frames.push_back({FrameKind(Kind[I]), Narrow[0][I], Wide[0][I]});
        continue;
      }
      TRY(unknown(UnknownValues::Frames, "kind of frame", Kind[I]));
      // Stacks refer to this frame by id.
      Out.Frames.push_back({FrameKind::Unknown, 0, Wide[0][I]});
    }
  }
  if (T->stacks() && WithStacks)
    TRY(decodeStacks(T->stacks(), Out));
  if (const fb::ScopeTree *C = T->scope_paths()) {
    TRY(known(C, fb::ScopeTree::VT_DEPTH));
    if (C->count() > MaxSectionRows)
      return "too many scope paths in a dictionary";
    if (!decodePlanes(C->parent(), C->count(), Narrow[0]) ||
        !decodePlanes(C->scope(), C->count(), Narrow[1]) ||
        !decodePlanes(C->depth(), C->count(), Narrow[2]))
      return "a column of scope paths has the wrong length";
    for (uint32_t I = 0; I != C->count(); ++I)
      Out.ScopePaths.push_back({Narrow[0][I], Narrow[1][I], Narrow[2][I]});
  }
  if (T->symbols() && WithStacks)
    TRY(decodeSymbols(T->symbols(), Out.Symbols));
  return "";
}

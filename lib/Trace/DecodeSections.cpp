// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FlatBuffers to sections.

#include "Decode.h"
#include "DecodeHelpers.h"
#include "SectionCover.h"

using namespace memkit;

namespace {
constexpr unsigned MaxTableDepth = 16;
constexpr unsigned MaxTables = 4 * MaxSectionRows;
constexpr size_t SizePrefix = sizeof(flatbuffers::uoffset_t);
} // namespace

Decoder::Problem Decoder::open(Bytes Raw, SectionKind &Kind) {
  if (Raw.size() < SizePrefix + 8)
    return "a section is too small";
  if (!fb::SizePrefixedSectionBufferHasIdentifier(Raw.data())) {
    std::string Id(reinterpret_cast<const char *>(Raw.data()) + 8, 4);
    for (char &C : Id)
      if (C < ' ' || C > '~')
        C = '?';
    return "not a memkit trace: identifier '" + Id + "' instead of '" +
           fb::SectionIdentifier() + "'";
  }
  flatbuffers::Verifier V(Raw.data(), Raw.size(), MaxTableDepth, MaxTables);
  if (!fb::VerifySizePrefixedSectionBuffer(V))
    return "malformed section";
  if (flatbuffers::GetPrefixedSize(Raw.data()) + SizePrefix != Raw.size())
    return "a section has a wrong size prefix";
  Root = fb::GetSizePrefixedSection(Raw.data());
  Charged = 0;
  Unknown = UnknownValues();
  auto Type = uint8_t(Root->body_type());
  // A missing body is treated as an unknown kind.
  Kind = Type < NumSectionKinds && Root->body() ? SectionKind(Type)
                                                : SectionKind::None;
  Opened = Kind;
  return known(Root, fb::Section::VT_BODY);
}

static ClockTriple clock(const fb::Clock *C) {
  return C ? ClockTriple{C->tsc(), C->monotonic_ns(), C->realtime_ns()}
           : ClockTriple();
}

Decoder::Problem Decoder::decode(Header &Out) {
  const fb::Header *T = Root->body_as_Header();
  // Versions first: a newer version may change all other fields.
  Out.Container = T->container_version();
  Out.Format = T->format_version();
  if (Out.Container != ContainerVersion)
    return "container version " + std::to_string(Out.Container) +
           ", this memkit reads " + std::to_string(ContainerVersion);
  if (Out.Format > FormatVersion)
    return "format version " + std::to_string(Out.Format) +
           " is newer than this memkit reads (" +
           std::to_string(FormatVersion) + "); upgrade memkit";
  if (Out.Format < LowestFormatVersion)
    return "format version " + std::to_string(Out.Format) +
           " is older than this memkit reads (" +
           std::to_string(LowestFormatVersion) + ")";
  TRY(known(T, fb::Header::VT_IMPORTED));
  auto Strings = [&](const auto *V, std::vector<std::string> &To) -> Problem {
    To.clear();
    if (!V)
      return "";
    for (const auto *S : *V) {
      TRY(charge(sizeof(std::string)));
      TRY(copyText(S, To.emplace_back()));
    }
    return "";
  };
  TRY(copyText(T->tool(), Out.Tool));
  TRY(Strings(T->command(), Out.Command));
  TRY(copyText(T->host(), Out.Host));
  TRY(copyText(T->boot_id(), Out.BootId));
  TRY(copyText(T->os(), Out.Os));
  Out.Pid = T->pid();
  Out.Rank = T->rank();
  Out.WorldSize = T->world_size();
  TRY(Strings(T->options(), Out.Options));
  TRY(Strings(T->machine(), Out.Machine));
  TRY(Strings(T->imported(), Out.Imported));
  Out.Start = clock(T->start());
  Out.TscHz = T->tsc_hz();
  Out.PageSize = T->page_size();
  Out.Cpus = T->cpus();
  return "";
}

Decoder::Problem Decoder::decode(Marks &Out) {
  const fb::Marks *T = Root->body_as_Marks();
  TRY(known(T, fb::Marks::VT_MARKS));
  Out.Rows.clear();
  Out.Unknown = 0;
  if (!T->marks())
    return "";
  if (T->marks()->size() > MaxSectionRows)
    return "too many marks in a section";
  for (const fb::Mark *M : *T->marks()) {
    TRY(known(M, fb::Mark::VT_CLOCK));
    if (M->kind() >= NumMarkKinds) {
      TRY(unknown(UnknownValues::Marks, "kind of mark", M->kind()));
      ++Out.Unknown;
      continue;
    }
    Mark R;
    R.Kind = MarkKind(M->kind());
    R.Process = M->process();
    R.TimeNs = M->time_ns();
    R.Thread = M->thread();
    R.Name = M->name();
    R.Id = M->id();
    R.Heap = M->heap();
    R.Stack = M->stack();
    R.ScopePath = M->scope_path();
    TRY(copyVector(M->values(), R.Values));
    R.Clock = clock(M->clock());
    // The copied mark keeps the number of an unknown kind of loss.
    if (R.Kind == MarkKind::Loss && R.Id >= NumLossKinds && !Strict)
      TRY(unknown(UnknownValues::Losses, "kind of loss", unsigned(R.Id)));
    Out.Rows.push_back(std::move(R));
  }
  return "";
}

Decoder::Problem Decoder::decodeHeads(Intervals &Out) {
  const fb::Intervals *T = Root->body_as_Intervals();
  TRY(known(T, fb::Intervals::VT_TEMPORARIES));
  Out.Process = T->process();
  Out.Rows.clear();
  if (!T->heads())
    return "";
  if (T->heads()->size() > MaxSectionRows)
    return "too many intervals in a section";
  for (const fb::IntervalHead *H : *T->heads()) {
    Interval &S = Out.Rows.emplace_back();
    S.Index = H->index();
    S.FirstStep = H->first_step();
    S.LastStep = H->last_step();
    S.BeginNs = H->begin_ns();
    S.EndNs = H->end_ns();
  }
  std::vector<uint8_t> Details;
  if (T->details() &&
      !copyBytes(T->details(), uint32_t(Out.Rows.size()), Details))
    return "not as many kinds of intervals as intervals";
  for (size_t I = 0; I != Details.size(); ++I) {
    if (Details[I] < NumIntervalDetails)
      Out.Rows[I].Detail = IntervalDetail(Details[I]);
    else
      TRY(unknown(UnknownValues::Intervals, "detail of an interval",
                  Details[I]));
  }
  return "";
}

Decoder::Problem Decoder::decode(Intervals &Out) {
  TRY(decodeHeads(Out));
  const fb::Intervals *T = Root->body_as_Intervals();
  uint32_t Rows = T->rows();
  if (Rows > MaxSectionRows)
    return "too many rows in a section of intervals";
  if (!decodePlanes(T->heap(), Rows, Narrow[0]) ||
      !decodePlanes(T->stack(), Rows, Wide[2]) ||
      !undoDifferences(Wide[2], UINT32_MAX) ||
      !decodePlanes(T->live_blocks(), Rows, Wide[0]) ||
      !decodePlanes(T->live_bytes(), Rows, Wide[1]) ||
      !decodePlanes(T->allocations(), Rows, Wide[3]) ||
      !decodePlanes(T->allocated_bytes(), Rows, Wide[4]) ||
      !decodePlanes(T->temporaries(), Rows, Wide[5]))
    return "a column of intervals is malformed";
  uint32_t At = 0;
  for (size_t I = 0; I != Out.Rows.size(); ++I) {
    uint32_t N = T->heads()->Get(I)->rows();
    if (N > Rows - At)
      return "intervals with more rows than there are";
    Interval &S = Out.Rows[I];
    S.Rows.reserve(N);
    for (uint32_t E = At + N; At != E; ++At)
      S.Rows.push_back({Narrow[0][At], uint32_t(Wide[2][At]), Wide[0][At],
                        Wide[1][At], Wide[3][At], Wide[4][At], Wide[5][At]});
    // Values of an unknown detail may have another meaning.
    if (T->details() && T->details()->Get(I) >= NumIntervalDetails)
      for (IntervalRow &R : S.Rows)
        R.Allocations = R.AllocatedBytes = R.Temporaries = 0;
  }
  return At == Rows ? "" : "rows that belong to no interval";
}

Decoder::Problem Decoder::decodeHead(Snapshot &Out) {
  const fb::Snapshot *T = Root->body_as_Snapshot();
  TRY(known(T, fb::Snapshot::VT_WEIGHT));
  if (T->count() > MaxSectionRows)
    return "too many entries in a snapshot";
  Out.Process = T->process();
  Out.TimeNs = T->time_ns();
  Out.Events = T->events();
  Out.NextAllocationId = T->next_allocation_id();
  Out.Part = T->part();
  Out.Last = T->last();
  Out.Blocks.clear();
  return "";
}

Decoder::Problem Decoder::decode(Snapshot &Out) {
  TRY(decodeHead(Out));
  const fb::Snapshot *T = Root->body_as_Snapshot();
  uint32_t N = T->count();
  std::vector<uint64_t> &AllocationTime = Wide[2], &Address = Wide[3];
  std::vector<uint64_t> Enclosing;
  if (!decodePlanes(T->allocation_id(), N, Wide[0]) ||
      !decodePlanes(T->size(), N, Wide[1]) ||
      !decodePlanes(T->stack(), N, Narrow[0]) ||
      !decodePlanes(T->scope_path(), N, Narrow[1]) ||
      !decodePlanes(T->heap(), N, Narrow[2]) ||
      !decodePlanes(T->allocation_time(), N, AllocationTime) ||
      !decodePlanes(T->address(), N, Address) ||
      !decodePlanes(T->enclosing(), N, Enclosing) ||
      !decodePlanes(T->weight(), N, Narrow[3]))
    return "a column of a snapshot has the wrong length";
  Out.Blocks.resize(N);
  uint64_t AllocationId = 0;
  for (uint32_t I = 0; I != N; ++I) {
    if (Wide[0][I] >= Out.NextAllocationId - AllocationId || (I && !Wide[0][I]))
      return "the allocation ids of a snapshot are out of order";
    AllocationId += Wide[0][I];
    if (AllocationTime[I] > Out.TimeNs / TimeUnitNs)
      return "a block of a snapshot from before the start";
    Out.Blocks[I] = {
        AllocationId, Wide[1][I],   Out.TimeNs - AllocationTime[I] * TimeUnitNs,
        Narrow[0][I], Narrow[1][I], Narrow[2][I],
        Address[I],   Enclosing[I], Narrow[3][I]};
  }
  return "";
}

Decoder::Problem Decoder::decode(Index &Out) {
  const fb::Index *T = Root->body_as_Index();
  TRY(known(T, fb::Index::VT_EVENTS));
  uint32_t N = T->count();
  std::vector<uint8_t> Kind;
  // The kinds come first: their length bounds all other columns.
  if (!copyBytes(T->kind(), N, Kind))
    return "the kinds of the index have the wrong length";
  Out.Sections.assign(N, SectionInfo());
  bool Ok = true;
  auto Column = [&](const fb::Planes *P, auto Set) {
    Ok = Ok && decodePlanes(P, N, Wide[0]);
    for (uint32_t I = 0; Ok && I != N; ++I)
      Set(Out.Sections[I], Wide[0][I]);
  };
  Column(T->compressed(), [](SectionInfo &B, uint64_t V) { B.Compressed = V; });
  Column(T->raw(), [](SectionInfo &B, uint64_t V) { B.Raw = V; });
  Column(T->process(),
         [](SectionInfo &B, uint64_t V) { B.Process = uint32_t(V); });
  Column(T->epoch(), [](SectionInfo &B, uint64_t V) { B.Epoch = uint32_t(V); });
  Column(T->begin_ns(), [](SectionInfo &B, uint64_t V) { B.BeginNs = V; });
  Column(T->end_ns(),
         [](SectionInfo &B, uint64_t V) { B.EndNs = B.BeginNs + V; });
  Column(T->events(), [](SectionInfo &B, uint64_t V) { B.Events = V; });
  if (!Ok)
    return "a column of the index has the wrong length";
  uint64_t Offset = 0;
  for (uint32_t I = 0; I != N; ++I) {
    SectionInfo &B = Out.Sections[I];
    B.Kind =
        Kind[I] < NumSectionKinds ? SectionKind(Kind[I]) : SectionKind::None;
    B.Offset = Offset;
    if (B.Compressed > UINT32_MAX || B.Raw > UINT32_MAX)
      return "a section of the index is too large";
    Offset += B.Compressed;
  }
  return "";
}

Decoder::Problem Decoder::decode(AnySection &Out) {
  auto As = [&](auto Section) -> Problem {
    Problem P = decode(Section);
    Out = std::move(Section);
    return P;
  };
  switch (Opened) {
  case SectionKind::Header:
    return As(Header());
  case SectionKind::Dictionary:
    return As(Dictionary());
  case SectionKind::Events:
    return As(Events());
  case SectionKind::Marks:
    return As(Marks());
  case SectionKind::Intervals:
    return As(Intervals());
  case SectionKind::Snapshot:
    return As(Snapshot());
  case SectionKind::Summary:
    return As(Summary());
  case SectionKind::Index:
    return As(Index());
  case SectionKind::Lifetimes:
    return As(Lifetimes());
  case SectionKind::Partial:
    return As(Partial());
  case SectionKind::BlockCategories:
    return As(BlockCategories());
  case SectionKind::ScopeTimes:
    return As(ScopeTimes());
  case SectionKind::DeviceSpans:
    return As(DeviceSpans());
  case SectionKind::None:
    break;
  }
  return "a kind of section that this version does not know; a newer memkit "
         "wrote it";
}

Decoder::Problem Decoder::cover(SectionKind Kind, SectionInfo &Out) {
  auto As = [&](auto Section) -> Problem {
    Problem P = decode(Section);
    Out = sectionCover(Section);
    return P;
  };
  Problem P;
  switch (Kind) {
  case SectionKind::Events:
    P = As(Events());
    break;
  case SectionKind::Marks:
    P = As(Marks());
    break;
  case SectionKind::Intervals:
    P = As(Intervals());
    break;
  case SectionKind::Snapshot:
    P = As(Snapshot());
    break;
  case SectionKind::Summary:
    P = As(Summary());
    break;
  case SectionKind::Lifetimes:
    P = As(Lifetimes());
    break;
  case SectionKind::Partial:
    P = As(Partial());
    break;
  case SectionKind::BlockCategories:
    P = As(BlockCategories());
    break;
  case SectionKind::ScopeTimes:
    P = As(ScopeTimes());
    break;
  case SectionKind::DeviceSpans:
    P = As(DeviceSpans());
    break;
  default:
    Out = SectionInfo();
  }
  Out.Kind = Kind;
  return P;
}

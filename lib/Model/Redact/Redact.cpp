// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of a trace without private names.

#include "memkit/Model/Redact.h"
#include "memkit/Model/Merged.h"
#include "memkit/Model/Patterns.h"
#include "memkit/Model/TraceNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Eight characters for a name.
static std::string pseudonym(StringRef Name, const RedactOptions &Options) {
  constexpr size_t Bytes = 4;
  BLAKE3 Hash;
  Hash.update(Options.Key);
  Hash.update(StringRef("\0", 1));
  Hash.update(Name);
  std::array<uint8_t, Bytes> Out = Hash.final<Bytes>();
  return toHex(Out, /*LowerCase=*/true);
}

/// `.py`, `.so.6`: letters and digits after the first dot of the last part;
/// empty if there are none, or many.
static StringRef suffixOf(StringRef Path) {
  constexpr size_t Max = 12;
  StringRef Name = baseName(Path);
  StringRef Suffix = Name.drop_front(std::min(Name.find('.'), Name.size()));
  bool IsPlain = all_of(Suffix, [](char C) { return isAlnum(C) || C == '.'; });
  return IsPlain && Suffix.size() <= Max ? Suffix : StringRef();
}

static bool isHidden(StringRef Name, const RedactOptions &Options) {
  return any_of(Options.Names, [&](const std::string &Pattern) {
    return matchPattern(Pattern, Name);
  });
}

/// Where the part of Path starts that is the same on all machines; npos: none
/// is.
static size_t commonPart(StringRef Path) {
  for (StringRef Folder :
       {"/site-packages/", "/dist-packages/", "/lib/python3.", "/lib/python2."})
    if (size_t At = Path.rfind(Folder); At != StringRef::npos)
      return At;
  // An interpreter is known by its name.
  StringRef Name = baseName(Path);
  if (Name.starts_with("python") || Name.starts_with("libpython"))
    return Path.size() - Name.size() - (Path.size() != Name.size());
  return StringRef::npos;
}

static bool isOfSystem(StringRef Path) {
  if (Path.starts_with("/usr/"))
    return !Path.starts_with("/usr/local/");
  return Path.starts_with("/lib/") || Path.starts_with("/lib64/") ||
         Path.starts_with("<") || Path.starts_with("[");
}

std::string redactPath(StringRef Path, const RedactOptions &Options) {
  if (Path.empty())
    return "";
  bool Hidden = isHidden(Path, Options);
  if (!Hidden && isOfSystem(Path))
    return Path.str();
  if (size_t At = commonPart(Path); !Hidden && At != StringRef::npos)
    return ("/redacted" + Path.drop_front(At)).str();
  // The file's own pseudonym is that of its name alone, as in a process's role.
  StringRef Name = baseName(Path);
  std::string Folder = pseudonym(Path.drop_back(Name.size()), Options);
  return ("/redacted/" + Folder + "/" + pseudonym(Name, Options) +
          suffixOf(Path))
      .str();
}

/// A name that stays, with pseudonyms for the absolute paths in it.
static std::string redactName(StringRef Name, const RedactOptions &Options) {
  if (isHidden(Name, Options))
    return "redacted-" + pseudonym(Name, Options);
  std::string Out;
  while (!Name.empty()) {
    size_t Begin = Name.find('/');
    bool StartsWord =
        Begin == 0 || (Begin != StringRef::npos &&
                       StringRef(" \t'\"=(:,").contains(Name[Begin - 1]));
    if (Begin == StringRef::npos)
      return Out + Name.str();
    size_t End = std::min(Name.find_first_of(" \t'\"),;", Begin), Name.size());
    StringRef Path = Name.slice(Begin, End);
    Out += Name.take_front(Begin);
    // One slash alone is no path.
    if (StartsWord && Path.drop_front().contains('/'))
      Out += redactPath(Path, Options);
    else
      Out += Path;
    Name = Name.drop_front(End);
  }
  return Out;
}

/// A path of Python without the name of its module, which may be a file's, and
/// without the program's keys.
static std::string redactHolder(StringRef Path, const RedactOptions &Options) {
  size_t End = std::min(Path.find_first_of(".[("), Path.size());
  std::string Out;
  if (!Path.starts_with("<"))
    Out = pseudonym(Path.take_front(End), Options);
  else
    Out = Path.take_front(End).str();
  for (size_t I = End; I < Path.size(); ++I) {
    char Quote = Path[I];
    if (Quote != '\'' && Quote != '"') {
      Out += Quote;
      continue;
    }
    size_t Begin = I + 1;
    for (I = Begin; I < Path.size() && Path[I] != Quote; ++I)
      I += Path[I] == '\\';
    Out += '\'' + pseudonym(Path.slice(Begin, I), Options) + '\'';
  }
  return Out;
}

/// The options of memrec, and facts of merged traces, whose values are numbers,
/// times and fixed words. Others have the user's own texts (`heap`, `step`,
/// `alert`, `holders`), or are of another memkit.
static bool hasPlainValue(StringRef Option) {
  static constexpr StringLiteral Plain[] = {
      "attached",    "census",     "cuda",     "events",
      "malloc-info", "max-depth",  "max-size", "min-size",
      "no-follow",   "no-symbols", "on-full",  "python-objects",
      "resident-at", "sample",     "source",   "sample-interval",
      "stacks",      "start",      "stop",     "torch"};
  return is_contained(Plain, Option.split('=').first) ||
         Option.starts_with(MergedOption) || Option == SummedPeaksOption;
}

/// What the trace was imported from, without its file.
static bool isPlainOrigin(StringRef Fact) {
  return is_contained({"format", "version", "lacks"}, Fact.split('=').first);
}

static constexpr StringLiteral RedactedOption("redacted=1");

Header redactHeader(Header H) {
  H.Command.clear();
  H.Host.clear();
  H.Machine.clear();
  H.BootId.clear();
  erase_if(H.Imported, [](StringRef Fact) { return !isPlainOrigin(Fact); });
  erase_if(H.Options, [](StringRef Option) { return !hasPlainValue(Option); });
  H.Options.push_back(RedactedOption.str());
  return H;
}

bool isRedacted(const Header &H) {
  return is_contained(H.Options, RedactedOption);
}

//===----------------------------------------------------------------------===//
// Trace
//===----------------------------------------------------------------------===//

namespace {
/// What a string is in a trace. Of several uses the last one here counts.
enum class StringUse : uint8_t { Unused, Name, Alert, Holder, Role, Path };

/// Rewrites dictionaries.
class Redactor {
public:
  Redactor(TraceReader &R, const RedactOptions &Options)
      : R(R), Options(Options) {}
  /// First pass: the use of each string.
  Error learn();
  void redact(Dictionary &D);

private:
  void use(uint32_t String, StringUse U) {
    if (!String)
      return;
    if (String >= Uses.size())
      Uses.resize(String + 1);
    Uses[String] = std::max(Uses[String], U);
  }
  void learn(const Dictionary &D);
  void learn(const Marks &M);
  template <class RowsT> void learnRows(const RowsT &Rows);
  std::string redactString(uint32_t Id, StringRef Text) const;

  TraceReader &R;
  const RedactOptions &Options;
  std::vector<StringUse> Uses;   ///< by string
  std::vector<bool> IsOwnBinary; ///< by string: a binary outside the system
  uint32_t NextString = 1;
};
} // namespace

void Redactor::learn(const Dictionary &D) {
  for (const Binary &B : D.Binaries)
    use(B.Path, StringUse::Path);
  for (const Function &F : D.Functions) {
    use(F.Name, StringUse::Name);
    use(F.File, StringUse::Path);
  }
  for (const ScopeRecord &S : D.Scopes)
    use(S.Name, StringUse::Name);
  for (const ProcessRecord &P : D.Processes) {
    use(P.Exe, StringUse::Path);
    use(P.Role, StringUse::Role);
    use(P.WhyNot, StringUse::Name);
  }
  for (const Thread &T : D.Threads)
    use(T.Name, StringUse::Name);
  for (const Heap &H : D.Heaps)
    use(H.Name, StringUse::Name);
}

static StringUse useOf(const Mark &M) {
  if (M.Kind == MarkKind::HeldBy)
    return StringUse::Holder;
  if (M.Kind == MarkKind::ResidentPiece)
    return StringUse::Path;
  // Other alerts are messages of memrec.
  bool OfCondition = M.Kind == MarkKind::Alert && !M.Values.empty();
  return OfCondition ? StringUse::Alert : StringUse::Name;
}

void Redactor::learn(const Marks &M) {
  for (const Mark &One : M.Rows)
    use(One.Name, useOf(One));
}

/// The rows of a Summary or Partial.
template <class RowsT> void Redactor::learnRows(const RowsT &Rows) {
  for (const LayerStats &L : Rows.Layers) {
    use(L.Name, StringUse::Name);
    use(L.Shapes, StringUse::Name);
  }
  for (const ParameterStats &P : Rows.Parameters) {
    use(P.Layer, StringUse::Name);
    use(P.Dtype, StringUse::Name);
  }
  for (const CategoryStats &C : Rows.Categories)
    use(C.Layer, StringUse::Name);
  for (const DeviceTimeStats &D : Rows.DeviceTimes)
    use(D.Name, StringUse::Name);
  for (const ProcessStats &P : Rows.Processes)
    use(P.Role, StringUse::Role);
}

Error Redactor::learn() {
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind != SectionKind::Dictionary && B.Kind != SectionKind::Marks &&
        B.Kind != SectionKind::Summary && B.Kind != SectionKind::Partial &&
        B.Kind != SectionKind::BlockCategories)
      continue;
    Expected<AnySection> S = R.readAny(B);
    if (!S)
      return S.takeError();
    if (auto *D = std::get_if<Dictionary>(&*S))
      learn(*D);
    else if (auto *M = std::get_if<Marks>(&*S))
      learn(*M);
    else if (auto *Sum = std::get_if<Summary>(&*S))
      learnRows(*Sum);
    else if (auto *P = std::get_if<Partial>(&*S))
      learnRows(*P);
    else if (auto *C = std::get_if<BlockCategories>(&*S))
      for (const BlockCategory &Of : C->Rows)
        use(Of.Dtype, StringUse::Name);
  }
  return Error::success();
}

std::string Redactor::redactString(uint32_t Id, StringRef Text) const {
  switch (Id < Uses.size() ? Uses[Id] : StringUse::Unused) {
  case StringUse::Unused:
    return "";
  case StringUse::Name:
    return redactName(Text, Options);
  case StringUse::Alert:
    // Behind is the condition, in the user's own words: `host: 2 GiB live,
    // above 1 GiB (ho?t:live>1g)`.
    return redactName(Text.take_front(Text.find(" (")), Options);
  case StringUse::Holder:
    return redactHolder(Text, Options);
  case StringUse::Role:
    return pseudonym(Text, Options) + suffixOf(Text).str();
  case StringUse::Path:
    return redactPath(Text, Options);
  }
  llvm_unreachable("all uses are handled");
}

void Redactor::redact(Dictionary &D) {
  IsOwnBinary.resize(NextString + D.Strings.size());
  for (std::string &S : D.Strings) {
    IsOwnBinary[NextString] = !isOfSystem(S);
    S = redactString(NextString++, S);
  }
  for (Device &Of : D.Devices) {
    Of.Uuid.clear();
    Of.Pci.clear();
  }
  for (Binary &B : D.Binaries)
    if (B.Path < IsOwnBinary.size() && IsOwnBinary[B.Path])
      B.BuildId.clear();
  for (ProcessRecord &P : D.Processes) {
    P.Command.clear();
    P.Place.Job = P.Place.Host = 0;
  }
  D.SourceLines.clear();
}

Error redactTrace(TraceReader &R, TraceWriter &Out,
                  const RedactOptions &Options) {
  Redactor Names(R, Options);
  if (Error E = Names.learn())
    return E;
  for (const SectionInfo &B : R.sections()) {
    Expected<AnySection> Section = R.readAny(B);
    if (!Section)
      return Section.takeError();
    if (auto *D = std::get_if<Dictionary>(&*Section))
      Names.redact(*D);
    if (Error E = Out.copy(*Section))
      return E;
  }
  return Out.finish();
}

} // namespace memkit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of a trace.

#include "memkit/Model/TraceNames.h"
#include "Support/CommandText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <set>

using namespace llvm;

namespace memkit {

StringRef baseName(StringRef Path) {
  return Path.substr(Path.rfind('/') + 1); // npos + 1 is 0
}

template <typename T>
static void append(std::vector<T> &To, std::vector<T> &From) {
  To.insert(To.end(), std::make_move_iterator(From.begin()),
            std::make_move_iterator(From.end()));
}

/// The one place through which names come to tools: no output has to think of
/// what a name may do to a terminal.
static void makeHarmless(std::string &Name) {
  if (!isHarmless(Name))
    Name = oneLine(Name);
}

static void makeHarmless(std::vector<Device> &Devices) {
  for (Device &Of : Devices)
    for (std::string *S : {&Of.Pci, &Of.Name, &Of.Space})
      makeHarmless(*S);
}

Header harmlessHeader(Header H) {
  for (std::string *S : {&H.Tool, &H.Host, &H.BootId, &H.Os})
    makeHarmless(*S);
  for (auto *List : {&H.Command, &H.Options, &H.Machine, &H.Imported})
    for (std::string &S : *List)
      makeHarmless(S);
  return H;
}

void TraceNames::takeNames(Dictionary &D) {
  for (std::string &S : D.Strings)
    makeHarmless(S);
  makeHarmless(D.Devices);
  // The texts do not move when the list of sections grows.
  StringSections.push_back(std::move(D.Strings));
  for (const std::string &S : StringSections.back())
    Strings.push_back(S);
  D.Strings.clear();
  append(Heaps, D.Heaps);
  append(Processes, D.Processes);
  append(Threads, D.Threads);
  append(Devices, D.Devices);
  append(Binaries, D.Binaries);
  append(Scopes, D.Scopes);
  append(ScopePaths, D.ScopePaths);
  append(Loads, D.Loads);
  append(Functions, D.Functions);
  for (const SourceLine &S : D.SourceLines)
    SourceLines[{S.File, S.Line}] = S.Text;
}

std::map<uint32_t, StringRef> TraceNames::sourceLines(uint32_t File) const {
  std::map<uint32_t, StringRef> Out;
  for (const auto &[Place, Text] : SourceLines)
    if (Place.first == File)
      Out.emplace(Place.second, string(Text));
  return Out;
}

std::string TraceNames::takeOutline(DictionaryOutline &D) {
  std::string Wrong = Limits.add(D);
  append(Heaps, D.Few.Heaps);
  append(Processes, D.Few.Processes);
  makeHarmless(D.Few.Devices);
  append(Devices, D.Few.Devices);
  return Wrong;
}

std::string TraceNames::takeNamesAlone(DictionaryOutline &D) {
  std::string Wrong = Limits.add(D.Few);
  Limits.Frames += D.Counts.Frames;
  Limits.Stacks += D.Counts.Stacks;
  Limits.Nodes += D.Counts.Nodes;
  if (Wrong.empty())
    takeNames(D.Few);
  return Wrong;
}

void TraceNames::takeString(uint32_t Id, std::string Text) {
  makeHarmless(Text);
  Wanted[Id] = std::move(Text);
}

StringRef TraceNames::wantedString(uint32_t Id) const {
  auto At = Wanted.find(Id);
  return At == Wanted.end() ? StringRef() : StringRef(At->second);
}

StringRef TraceNames::spaceName(uint32_t Id) const {
  if (Id == 0)
    return "host";
  return hasId(Devices, Id) ? StringRef(Devices[Id - 1].Space) : StringRef();
}

StringRef TraceNames::program(uint32_t Id) const {
  if (!hasId(Processes, Id))
    return StringRef();
  const ProcessRecord &I = Processes[Id - 1];
  return string(I.Command.empty() ? I.Exe : I.Command.front());
}

StringRef TraceNames::processName(uint32_t Id) const {
  if (!hasId(Processes, Id))
    return StringRef();
  StringRef Role = string(Processes[Id - 1].Role);
  if (!Role.empty())
    return Role;
  if (hasId(TellingNames, Id) && !TellingNames[Id - 1].empty())
    return TellingNames[Id - 1];
  return programName(program(Id));
}

/// Uses: how many of the Same processes of the program have an argument.
std::string
TraceNames::nameWithArgument(uint32_t Id, uint32_t Same,
                             const DenseMap<uint32_t, uint32_t> &Uses) const {
  constexpr size_t MaxText = 64;
  for (uint32_t Word : ArrayRef(Processes[Id - 1].Command).drop_front()) {
    StringRef Text = string(Word);
    if (Text.empty() || Text.starts_with("-") || Uses.lookup(Word) == Same ||
        Text.find_first_of(" \t\n") != StringRef::npos)
      continue;
    StringRef Base = programName(Text);
    if (!Base.empty() && Base.size() <= MaxText)
      return (programName(program(Id)) + " " + Base).str();
  }
  return "";
}

void TraceNames::tellProcessesApart() {
  StringMap<std::vector<uint32_t>> OfPrograms;
  for (uint32_t Id = 1; Id <= Processes.size(); ++Id)
    if (string(Processes[Id - 1].Role).empty() &&
        Processes[Id - 1].Command.size() > 1)
      OfPrograms[programName(program(Id))].push_back(Id);
  TellingNames.assign(Processes.size(), "");
  for (const auto &Entry : OfPrograms) {
    const std::vector<uint32_t> &Ids = Entry.second;
    if (Ids.size() < 2)
      continue;
    DenseMap<uint32_t, uint32_t> Uses;
    for (uint32_t Id : Ids)
      for (uint32_t Word :
           std::set<uint32_t>(Processes[Id - 1].Command.begin() + 1,
                              Processes[Id - 1].Command.end()))
        ++Uses[Word];
    for (uint32_t Id : Ids)
      TellingNames[Id - 1] = nameWithArgument(Id, uint32_t(Ids.size()), Uses);
  }
}

std::string TraceNames::scopePathText(uint32_t Id) const {
  SmallVector<StringRef, 8> Names;
  for (; hasId(ScopePaths, Id); Id = ScopePaths[Id - 1].Parent)
    if (uint32_t S = ScopePaths[Id - 1].Scope)
      Names.push_back(string(Scopes[S - 1].Name));
  std::reverse(Names.begin(), Names.end());
  return join(Names, "/");
}

} // namespace memkit

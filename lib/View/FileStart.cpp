// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first answer in a page that is a file.

#include "FileStart.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace memkit {

std::vector<uint64_t> numbersOf(StringRef Json, StringRef Key) {
  std::vector<uint64_t> Out;
  Expected<json::Value> Parsed = json::parse(Json);
  if (!Parsed) {
    consumeError(Parsed.takeError());
    return Out;
  }
  if (const json::Object *O = Parsed->getAsObject())
    if (const json::Array *A = O->getArray(Key))
      for (const json::Value &Number : *A)
        Out.push_back(Number.getAsUINT64().value_or(0));
  return Out;
}

std::vector<std::string> textsOf(StringRef Json, StringRef Object,
                                 StringRef Key) {
  std::vector<std::string> Out;
  Expected<json::Value> Parsed = json::parse(Json);
  if (!Parsed) {
    consumeError(Parsed.takeError());
    return Out;
  }
  const json::Object *Whole = Parsed->getAsObject();
  const json::Object *Inner = Whole ? Whole->getObject(Object) : nullptr;
  if (const json::Array *A = Inner ? Inner->getArray(Key) : nullptr)
    for (const json::Value &Text : *A)
      Out.push_back(Text.getAsString().value_or("").str());
  return Out;
}

std::vector<std::string> FileStart::words(StringRef Key) const {
  std::vector<std::string> Out;
  if (const json::Array *A = Of.getArray(Key))
    for (const json::Value &Word : *A)
      Out.push_back(Word.getAsString().value_or("").str());
  return Out;
}

Error FileStart::read(StringRef Text) {
  Expected<json::Value> Parsed = json::parse(Text);
  if (!Parsed)
    return Parsed.takeError();
  Of = *Parsed->getAsObject();
  Groups = words("groups");
  Curves = words("curves");
  Views = words("views");
  HasEvents = Of.getBoolean("has_events").value_or(false);
  NumHeaps = Of.getArray("heaps")->size();
  std::vector<std::pair<int64_t, uint64_t>> ByPeak;
  for (const json::Value &S : *Of.getArray("spaces")) {
    const json::Object &Space = *S.getAsObject();
    if (int64_t Peak = Space.getInteger("peak_bytes").value_or(0))
      ByPeak.push_back({-Peak, Space.getInteger("id").value_or(0)});
  }
  llvm::sort(ByPeak);
  NumSpaces = ByPeak.size();
  ByPeak.resize(std::min(ByPeak.size(), MaxFileSpaces));
  append_range(Spaces, make_second_range(ByPeak));
  if (Spaces.empty())
    Spaces.push_back(0);
  for (const json::Value &D : *Of.getArray("devices")) {
    uint64_t Id = D.getAsObject()->getInteger("id").value_or(0);
    if (D.getAsObject()->getBoolean("has_map").value_or(false) &&
        is_contained(Spaces, Id))
      Devices.push_back(Id);
  }
  return Error::success();
}

uint64_t FileStart::extraBytes() const {
  constexpr uint64_t BytesOfMoment = 14, BytesOfSentences = 1500;
  return MaxFileMoments * BytesOfMoment + BytesOfSentences;
}

/// What the words of a list are, each once: `layers, curves by thread`.
static std::string listText(std::vector<std::string> Words) {
  Words.erase(std::unique(Words.begin(), Words.end()), Words.end());
  return join(Words, ", ");
}

json::Array FileStart::sentences() const {
  json::Array Out;
  std::string Trace = Of.getString("trace").value_or("trace").str();
  std::string Run = "run memview on the trace for ";
  if (!HasEvents)
    Out.push_back("The trace has no events, so this file holds no moments.");
  else if (Moments.empty())
    Out.push_back("This file has no room for moments: " + Run +
                  "every moment.");
  else
    Out.push_back("This file holds " + formatCount(Moments.size()) +
                  " moments of the run: " + Run +
                  "every moment and every range.");
  if (!Moments.empty())
    Out.push_back("Flame graphs show the " + formatCount(PeakNodes) +
                  " largest frames of the peak, and the " +
                  formatCount(MomentNodes) + " largest of a moment.");
  if (NumSpaces > Spaces.size())
    Out.push_back("This file holds the " + formatCount(Spaces.size()) +
                  " memory spaces with the highest peaks of " +
                  formatCount(NumSpaces) + ": " + Run + "the others.");
  if (!NoRoom.empty())
    Out.push_back("For want of room the file lacks: " + listText(NoRoom) + ".");
  if (!TooLong.empty())
    Out.push_back("A replay of the trace's many events would take long, so "
                  "the file lacks: " +
                  listText(TooLong) + ".");
  return Out;
}

static json::Array arrayOf(ArrayRef<std::string> Words) {
  json::Array Out;
  for (const std::string &Word : Words)
    Out.push_back(Word);
  return Out;
}

/// Whether the file has the answer that a view begins with.
bool FileStart::hasView(StringRef View,
                        function_ref<bool(StringRef)> Holds) const {
  if (View == "processes")
    return true;
  std::string Name = View == "overview"   ? "table"
                     : View == "timeline" ? "curves"
                     : View == "flame"    ? "profile"
                                          : View.str();
  if (View == "map")
    return any_of(Devices, [&](uint64_t Id) {
      return Holds("map?device=" + std::to_string(Id));
    });
  return Holds(Name) || any_of(Spaces, [&](uint64_t Id) {
           return Holds(Name + "?space=" + std::to_string(Id));
         });
}

std::string FileStart::text(function_ref<bool(StringRef)> Holds) {
  std::string Space =
      Spaces.front() ? "space=" + std::to_string(Spaces.front()) + "&" : "";
  erase_if(Curves, [&](const std::string &By) {
    return !Holds("curves?" + Space + "by=" + By);
  });
  erase_if(Views,
           [&](const std::string &View) { return !hasView(View, Holds); });
  erase_if(Groups, [&](const std::string &By) {
    return By != Groups.front() && !Holds("profile?" + Space + "by=" + By);
  });
  Of["groups"] = arrayOf(Groups);
  Of["curves"] = arrayOf(Curves);
  Of["views"] = arrayOf(Views);
  Of["filters"] = json::Array(); // values of one heap, of one process
  for (json::Value &D : *Of.getArray("devices")) {
    json::Object &Device = *D.getAsObject();
    Device["has_map"] = Holds(
        "map?device=" + std::to_string(Device.getInteger("id").value_or(0)));
  }
  if (NumSpaces > Spaces.size()) {
    json::Array Held;
    for (json::Value &S : *Of.getArray("spaces"))
      if (is_contained(Spaces, S.getAsObject()->getInteger("id").value_or(0)))
        Held.push_back(std::move(S));
    Of["spaces"] = std::move(Held);
  }
  Of["left_out"] = sentences();
  if (!Moments.empty())
    Of["moments"] = json::Array(Moments);
  return formatv("{0}", json::Value(std::move(Of))).str();
}

} // namespace memkit

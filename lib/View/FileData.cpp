// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answers in a page that is a file.

#include "FileData.h"
#include "Support/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"

using namespace llvm;

namespace memkit {

/// A string of JSON: compressed (RFC 1950), if LLVM was built with zlib.
static std::string packedText(StringRef Text) {
  SmallVector<uint8_t, 0> Bytes;
  if (compression::zlib::isAvailable()) {
    compression::zlib::compress(arrayRefFromStringRef(Text), Bytes);
    Text = toStringRef(Bytes);
  }
  return '"' + encodeBase64(Text) + '"';
}

FileData::PackedPart FileData::pack(ArrayRef<HeldAnswer> Answers) const {
  PackedPart Part;
  if (Names.size() != KeptNames) {
    std::string Text;
    raw_string_ostream OS(Text);
    json::OStream J(OS);
    Names.write(J, KeptNames);
    Part.Names = (NamesText.empty() ? "" : ",\n") + packedText(Text);
  }
  std::string Requests, Texts;
  for (const HeldAnswer &A : Answers) {
    Requests += (Requests.empty() ? "\"" : ",\"") + A.Request + "\"";
    Texts += (Texts.empty() ? "" : ",") + A.Json;
  }
  Part.Answers = (PartsText.empty() ? "[[" : ",\n[[") + Requests + "]," +
                 packedText("[" + Texts + "]") + "]";
  return Part;
}

bool FileData::add(ArrayRef<HeldAnswer> Answers) {
  PackedPart Part = pack(Answers);
  if (Part.bytes() > left()) {
    dropNames();
    return false;
  }
  NamesText += Part.Names;
  PartsText += Part.Answers;
  KeptNames = Names.size();
  for (const HeldAnswer &A : Answers)
    Requests[A.Request] = true;
  return true;
}

static std::string wrapped(StringRef Names, StringRef Parts) {
  StringRef Encoding = compression::zlib::isAvailable() ? "deflate" : "";
  return ("{\"encoding\":\"" + Encoding + "\",\n\"names\":[" + Names +
          "],\n\"parts\":[" + Parts + "]}")
      .str();
}

uint64_t FileData::bytes() const {
  return wrapped("", "").size() + NamesText.size() + PartsText.size();
}

std::string FileData::text() const { return wrapped(NamesText, PartsText); }

} // namespace memkit

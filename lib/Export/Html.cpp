// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file with speedscope and a profile.

#include "Html.h"
#include "Support/Failure.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace memkit {

std::string findSpeedscope(StringRef Package) {
  for (StringRef Below : {"", "dist/release"}) {
    SmallString<128> Folder(Package);
    if (!Below.empty())
      sys::path::append(Folder, Below);
    SmallString<128> Page(Folder);
    sys::path::append(Page, "index.html");
    if (sys::fs::exists(Page))
      return std::string(Folder);
  }
  return "";
}

namespace {

/// Copies speedscope's own page and embeds the files to which it refers.
class PageWriter {
public:
  PageWriter(raw_ostream &OS, StringRef Folder, StringRef Title, StringRef View)
      : OS(OS), Folder(Folder), Title(Title), View(View) {}

  Error run(StringRef Profile);

private:
  Expected<std::string> read(StringRef Name) const;
  Expected<std::string> dataUrl(StringRef Name) const;
  Expected<std::string> style(StringRef Name) const;
  Error tag(StringRef Tag);
  void loader(StringRef Profile);

  raw_ostream &OS;
  StringRef Folder, Title, View;
};

} // namespace

/// The text between A and the next B in Text; empty if not found.
static StringRef between(StringRef Text, StringRef A, StringRef B) {
  size_t Begin = Text.find(A);
  if (Begin == StringRef::npos)
    return "";
  Text = Text.drop_front(Begin + A.size());
  size_t End = Text.find(B);
  return End == StringRef::npos ? "" : Text.take_front(End);
}

/// Reads a file of the release; an error for a path outside its folder.
Expected<std::string> PageWriter::read(StringRef Name) const {
  Name.consume_front("./");
  SmallString<128> Path(Folder);
  sys::path::append(Path, Name);
  if (Name.contains('/') || Name.contains('\\'))
    return makeError(Folder + "/index.html: names '" + Name +
                     "', which is not beside it");
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return makeError(Path + ": " + Buffer.getError().message());
  return (*Buffer)->getBuffer().str();
}

Expected<std::string> PageWriter::dataUrl(StringRef Name) const {
  Expected<std::string> Bytes = read(Name);
  if (!Bytes)
    return Bytes;
  StringRef Type = StringSwitch<StringRef>(sys::path::extension(Name))
                       .Case(".png", "image/png")
                       .Case(".ico", "image/x-icon")
                       .Case(".woff2", "font/woff2")
                       .Default("application/octet-stream");
  return ("data:" + Type + ";base64," + encodeBase64(*Bytes)).str();
}

/// A style sheet with embedded fonts.
Expected<std::string> PageWriter::style(StringRef Name) const {
  Expected<std::string> Bytes = read(Name);
  if (!Bytes)
    return Bytes;
  std::string Out;
  StringRef Rest = *Bytes;
  while (!Rest.empty()) {
    size_t At = Rest.find("url(\"");
    Out += Rest.take_front(At);
    if (At == StringRef::npos)
      break;
    StringRef Named = between(Rest, "url(\"", "\")");
    Expected<std::string> Url = dataUrl(Named);
    if (!Url)
      return Url;
    Out += "url(\"" + *Url + "\")";
    Rest = Rest.drop_front(At + 5 + Named.size() + 2);
  }
  return Out;
}

/// Writes the replacement of a tag of the page. Tag includes the angle
/// brackets.
Error PageWriter::tag(StringRef Tag) {
  bool IsScript = Tag.starts_with("<script ");
  if (!IsScript && !Tag.starts_with("<link ")) {
    OS << Tag;
    return Error::success();
  }
  StringRef Name = between(Tag, IsScript ? "src=\"" : "href=\"", "\"");
  bool IsStyle = Tag.contains("rel=\"stylesheet\"");
  Expected<std::string> Text = IsScript  ? read(Name)
                               : IsStyle ? style(Name)
                                         : dataUrl(Name);
  if (!Text)
    return Text.takeError();
  if (IsStyle)
    OS << "<style>" << *Text << "</style>";
  else if (!IsScript)
    OS << "<link rel=\"icon\" href=\"" << *Text << "\">";
  else if (StringRef(*Text).contains("</script"))
    return makeError(Folder + "/" + Name +
                     ": ends the script that it is put in");
  else
    OS << "<script>" << *Text; // the page has the end tag
  return Error::success();
}

/// Hands the profile to the page. The page would load a script whose path comes
/// after its #, and the script would call the page back. Here the profile is in
/// the page, so this code makes the call when the page tries to load the
/// script.
void PageWriter::loader(StringRef Profile) {
  OS << "<script>\n"
        "history.replaceState(null, '', '#localProfilePath=embedded&view="
     << View
     << "');\n"
        "const append = document.head.appendChild;\n"
        "document.head.appendChild = node => {\n"
        "  if (node.src !== 'file:///embedded')\n"
        "    return append.call(document.head, node);\n"
        "  document.head.appendChild = append;\n"
        "  const text = document.getElementById('profile').textContent;\n"
        "  setTimeout(() => speedscope.loadFileFromBase64(document.title, "
        "text.trim()));\n"
        "  return node;\n"
        "};\n"
        "</script>\n"
        "<script type=\"text/plain\" id=\"profile\">\n"
     << encodeBase64(Profile) << "\n</script>\n";
}

static void writeEscaped(raw_ostream &OS, StringRef Text) {
  for (char C : Text)
    switch (C) {
    case '<':
      OS << "&lt;";
      break;
    case '&':
      OS << "&amp;";
      break;
    default:
      OS << C;
    }
}

Error PageWriter::run(StringRef Profile) {
  Expected<std::string> Page = read("index.html");
  if (!Page)
    return Page.takeError();
  StringRef Rest = *Page;
  OS << "<!-- made by memflame (memkit) " MEMKIT_VERSION
        "; speedscope is https://github.com/jlfwong/speedscope, of the MIT "
        "licence -->\n";
  while (!Rest.empty()) {
    size_t Begin = Rest.find('<'), End = Rest.find('>', Begin);
    OS << Rest.take_front(Begin);
    if (End == StringRef::npos)
      break;
    StringRef Tag = Rest.slice(Begin, End + 1);
    Rest = Rest.drop_front(End + 1);
    if (Tag.starts_with("<script "))
      loader(Profile);
    if (Error E = tag(Tag))
      return E;
    if (Tag != "<title>")
      continue;
    writeEscaped(OS, Title);
    Rest = Rest.drop_front(Rest.find('<'));
  }
  return Error::success();
}

Error writeHtml(raw_ostream &OS, StringRef Folder, StringRef Title,
                StringRef View, StringRef Profile) {
  // Writes no partial page if a file of the release cannot be read.
  std::string Page;
  raw_string_ostream To(Page);
  if (Error E = PageWriter(To, Folder, Title, View).run(Profile))
    return E;
  OS << To.str();
  return Error::success();
}

} // namespace memkit

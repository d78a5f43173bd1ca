// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings as SARIF.

#include "Sarif.h"
#include "StackText.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

/// A path as a URI; a relative path stays relative.
static std::string uriOf(StringRef Path) {
  std::string Uri = Path.starts_with("/") ? "file://" : "";
  for (char C : Path)
    if (isAlnum(C) || StringRef("/-_.~").contains(C))
      Uri += C;
    else
      Uri += '%' + toHex(StringRef(&C, 1));
  return Uri;
}

/// Whether a file belongs to an installed library, not to the program.
static bool isInstalled(StringRef File) {
  return File.starts_with("/usr/") || File.contains("/site-packages/") ||
         File.contains("/dist-packages/") || File.contains("/lib/python3") ||
         File.starts_with("<");
}

static const ShownFrame *placeOf(ArrayRef<ShownFrame> Stack) {
  const ShownFrame *Any = nullptr;
  for (const ShownFrame &F : Stack) {
    if (F.File.empty() || !F.Line)
      continue;
    if (!isInstalled(F.File))
      return &F;
    Any = Any ? Any : &F;
  }
  return Any;
}

static void writeLocation(json::OStream &J, const ShownFrame &F) {
  StringRef Path = F.File.empty() ? F.Binary : F.File;
  if (!Path.empty())
    J.attributeObject("physicalLocation", [&] {
      J.attributeObject("artifactLocation",
                        [&] { J.attribute("uri", uriOf(Path)); });
      if (!F.File.empty() && F.Line)
        J.attributeObject("region", [&] { J.attribute("startLine", F.Line); });
    });
  J.attributeArray("logicalLocations", [&] {
    J.object([&] {
      J.attribute("fullyQualifiedName", jsonText(F.Function));
      J.attribute("kind", "function");
    });
  });
}

static void writeText(json::OStream &J, StringRef Name, StringRef Text) {
  J.attributeObject(Name, [&] { J.attribute("text", jsonText(Text)); });
}

static void writeRules(json::OStream &J, ArrayRef<SarifRule> Rules) {
  for (const SarifRule &R : Rules)
    J.object([&] {
      J.attribute("id", R.Id);
      writeText(J, "shortDescription", R.Text);
      J.attributeObject("defaultConfiguration",
                        [&] { J.attribute("level", R.Level); });
    });
}

static void writeResult(json::OStream &J, ArrayRef<SarifRule> Rules,
                        SarifResult &R) {
  J.attribute("ruleId", Rules[R.Rule].Id);
  J.attribute("ruleIndex", static_cast<int64_t>(R.Rule));
  J.attribute("level", Rules[R.Rule].Level);
  writeText(J, "message", R.Message);
  J.attributeArray("locations", [&] {
    if (const ShownFrame *F = placeOf(R.Stack))
      J.object([&] { writeLocation(J, *F); });
  });
  J.attributeArray("stacks", [&] {
    J.object([&] {
      J.attributeArray("frames", [&] {
        for (const ShownFrame &F : R.Stack)
          J.object([&] {
            J.attributeObject("location", [&] { writeLocation(J, F); });
            if (!F.Binary.empty())
              J.attribute("binary", jsonText(F.Binary));
          });
      });
    });
  });
  J.attributeObject("partialFingerprints", [&] {
    J.attribute("memkit/v1", utohexstr(R.Fingerprint, /*LowerCase=*/true));
  });
  J.attribute("properties", std::move(R.Properties));
}

void writeSarif(raw_ostream &OS, StringRef Tool, ArrayRef<SarifRule> Rules,
                MutableArrayRef<SarifResult> Results) {
  json::OStream J(OS, /*IndentSize=*/1);
  J.object([&] {
    J.attribute("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    J.attribute("version", "2.1.0");
    J.attributeArray("runs", [&] {
      J.object([&] {
        J.attributeObject("tool", [&] {
          J.attributeObject("driver", [&] {
            J.attribute("name", Tool);
            J.attribute("version", MEMKIT_VERSION);
            J.attributeArray("rules", [&] { writeRules(J, Rules); });
          });
        });
        J.attributeArray("results", [&] {
          for (SarifResult &R : Results)
            J.object([&] { writeResult(J, Rules, R); });
        });
        J.attribute("columnKind", "unicodeCodePoints");
      });
    });
  });
  OS << '\n';
}

} // namespace memkit

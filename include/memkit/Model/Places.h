// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The line of the user's own code that asked for memory.
//
// Each stack has a place. The place of a stack is the innermost line of the
// user's own code. Code is the user's own unless a rule says otherwise
// (Rules.h) or the binary is not known; a program without any code of the
// user's has the code of its main Python package, or of its executables, as the
// user's. In a binary with no debug information, the place is the innermost
// function of the executable. A constructor, destructor or assignment that the
// compiler wrote has no line of its own, so the place is its caller's.
//
// Memory that no such line explains has a place with a name:
//
//   - an import: allocated below the import of a module, by the outermost
//     module that is not of Python's standard library;
//   - a category of the rules (`Python start`), and `Python arenas`: the line
//     that needs a new arena is chance;
//   - the outermost Python package, else the library, that asked (Libraries.h);
//   - for what is touched of a library's reserved address space, the library's
//     pool: `Arrow's pool (mimalloc), mapped below batch.py:7`. Which line
//     fills the pool is not recorded.

#ifndef MEMKIT_MODEL_PLACES_H
#define MEMKIT_MODEL_PLACES_H

#include "memkit/Model/SelectedStats.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace memkit {

class ArenaStacks;

enum class PlaceKind : uint8_t {
  Line,     ///< a line of the user's own code
  Function, ///< a function of the executable, line unknown
  Import,   ///< imported modules
  Category, ///< memory with a name
  Library,  ///< a library or Python package
};
/// `line`, `function`, `import`, `category`, `library`.
llvm::StringRef placeKindName(PlaceKind K);

/// The texts live as long as the trace and the Places.
struct Place {
  PlaceKind Kind = PlaceKind::Library;
  /// The function; the module of an import, empty if unknown; the name of a
  /// category or library.
  llvm::StringRef Name;
  llvm::StringRef File; ///< of a Line
  /// The path of the binary of a Line or Function; empty: Python, or unknown.
  llvm::StringRef Binary;
  uint32_t Line = 0; ///< of a Line
  /// The line's text; empty: not recorded.
  llvm::StringRef Source;
  /// Samples alone tell how much memory this is (HF_Samples).
  bool IsSampled = false;
  /// A name that holds what lived before the recording.
  bool IsHolder = false;

  /// The Category of what Python's allocator maps.
  static constexpr llvm::StringLiteral Arenas = "Python arenas";
  bool isArenas() const {
    return Kind == PlaceKind::Category && Name == Arenas;
  }
};

/// The places of a trace's stacks, numbered from 0. Takes time and memory in
/// proportion to the trace's nodes and frames. S and its trace must outlive the
/// object.
class Places {
public:
  explicit Places(const SelectedStats &S);
  ~Places();
  Places(Places &&);

  uint32_t of(uint32_t Stack) const { return OfStacks[Stack]; }
  /// The same in all runs: which arenas of Python an import maps, whether they
  /// live on, and which line needs a library's pool first, is chance.
  uint32_t steadyOf(uint32_t Stack) const {
    auto It = Steady.find(Stack);
    return It == Steady.end() ? of(Stack) : It->second;
  }
  /// The innermost line or function of the user's own code in frames of a
  /// stack, innermost first; none: no frame is the user's.
  std::optional<Place> ofFrames(llvm::ArrayRef<ShownFrame> Frames) const;
  /// Whether a frame is of the user's own code: a line of a file of the user's,
  /// or a function of the executable without a file.
  bool isOwn(const ShownFrame &F) const;
  const Place &place(uint32_t Id) const { return All[Id]; }
  /// Adds a line that is the place of no stack. Returns its number.
  uint32_t add(const Place &P) {
    All.push_back(P);
    return All.size() - 1;
  }
  uint32_t size() const { return All.size(); }
  /// `train.py:46 Block.forward`, `server.cpp:88 insert`, `import torch`,
  /// `Python arenas`, `libssl.so.3`, `pool of libduckdb.so (sampled)`.
  std::string text(const Place &P) const;
  /// `train.py:46`: the file without folders, with one folder if the trace has
  /// several such files.
  std::string lineText(const Place &P) const;
  /// Whether the trace has a line of the user's own code.
  bool hasLines() const { return HasLines; }

private:
  friend class PlaceFinder;
  class Texts;
  const Trace *T;
  std::unique_ptr<Texts> Made;
  std::vector<Place> All;
  std::vector<uint32_t> OfStacks; ///< by stack
  /// By stack, where steadyOf() is not of().
  llvm::DenseMap<uint32_t, uint32_t> Steady;
  uint32_t ArenaPlace = 0;
  bool HasLines = false;
};

} // namespace memkit

#endif // MEMKIT_MODEL_PLACES_H

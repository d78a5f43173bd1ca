// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of Python in a program that runs, read from outside.

#ifndef MEMKIT_LIB_RECORD_CENSUS_PYTHONREADER_H
#define MEMKIT_LIB_RECORD_CENSUS_PYTHONREADER_H

#include "Record/Census/BlockGraph.h"
#include "llvm/ADT/DenseMap.h"

namespace memkit {

/// An entry of a dictionary, or an attribute.
struct NamedValue {
  std::string Name; ///< empty: not a plain text
  uint64_t Value;   ///< the address of an object
};

/// Reads objects of CPython 3.6 to 3.15 among the blocks of a graph. The
/// program runs meanwhile: what makes no sense is left out. Belongs to one
/// thread.
class PythonReader {
public:
  PythonReader(const TargetMemory &Memory, const BlockKinds &Kinds,
               const BlockGraph &Graph)
      : Memory(Memory), Kinds(Kinds), Graph(Graph) {}

  /// The name of the object's type; empty: it is none.
  llvm::StringRef typeName(uint64_t Object) const {
    return typeName(Graph.find(Object));
  }
  llvm::StringRef typeName(const BlockGraph::GraphBlock *B) const {
    return B && B->Is.Of == BlockKinds::Python
               ? llvm::StringRef(Kinds.name(B->Is.Name))
               : llvm::StringRef();
  }
  /// The text of a str of printable ASCII without blanks; else empty.
  std::string text(uint64_t Object) const;
  /// The entries of a dict.
  std::vector<NamedValue> dictionary(uint64_t Dict) const;
  /// What an instance of a class of the program, or such a class, has in its
  /// dictionary, also where the dictionary has not been made.
  std::vector<NamedValue> attributes(uint64_t Object);

private:
  /// A type object.
  struct TypeFacts {
    uint64_t Flags = 0, BasicBytes = 0;
    int64_t DictOffset = 0;
    uint64_t SharedKeys = 0; ///< names of attributes; 0: not known
  };
  const TypeFacts &typeAt(uint64_t Type);
  uint64_t sharedKeys(uint64_t Type) const;
  struct KeyEntry {
    uint64_t Key, Value;
  };
  std::vector<KeyEntry> table(uint64_t Keys) const;
  std::vector<NamedValue> named(uint64_t Keys, uint64_t Values) const;
  uint64_t word(uint64_t At) const {
    uint64_t V = 0;
    Memory.read(At, V);
    return V;
  }

  const TargetMemory &Memory;
  const BlockKinds &Kinds;
  const BlockGraph &Graph;
  llvm::DenseMap<uint64_t, TypeFacts> Types;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_PYTHONREADER_H

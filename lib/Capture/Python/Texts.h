// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and file names, shared.
//
// The shared table of texts: a str of the interpreter, as UTF-8, each once.
// Any thread may call; lock-free.

#ifndef MEMKIT_CAPTURE_PYTHON_TEXTS_H
#define MEMKIT_CAPTURE_PYTHON_TEXTS_H

#include "Layouts.h"
#include "Runtime/Pieces.h"
#include "Unwind/CodeMap.h"

namespace memkit::capture {

/// Copies \p Str to \p To, which has room for wire::MaxTextBytes; returns its
/// size in bytes. Longer ones are cut between characters. A lone surrogate
/// becomes a backslash, u and four hexadecimal digits.
uint32_t copyText(const void *Str, const PythonLayout &L, char *To);

class Texts {
public:
  /// Maps the first piece. False: not to be used.
  bool begin(int Fd, const wire::Regions &R, wire::Control &C) {
    Ctl = &C;
    return Table.begin(Fd, R.Texts, uint32_t(R.TextBytes / wire::TextAlign));
  }
  /// Takes the private memory.
  bool beginIndex() { return Index.begin(); }

  /// The number of the text \p S; 0: the table is full.
  uint32_t intern(const char *S, uint32_t Bytes);

  /// The text with a number that intern has given, or 0.
  const char *text(uint32_t Number, uint32_t &Bytes);

private:
  bool is(uint32_t Number, const char *S, uint32_t Bytes);
  uint32_t write(const char *S, uint32_t Bytes);

  wire::Control *Ctl = nullptr;
  Pieces<uint64_t, 1024> Table;
  CodeMap Index; ///< from a hash to a number
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_TEXTS_H

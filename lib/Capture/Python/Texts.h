// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared names and file names.
//
// The shared table of texts: each str of the interpreter once, as UTF-8. Any
// thread may call; lock-free.

#ifndef MEMKIT_CAPTURE_PYTHON_TEXTS_H
#define MEMKIT_CAPTURE_PYTHON_TEXTS_H

#include "Layouts.h"
#include "Runtime/Pieces.h"
#include "Unwind/CodeMap.h"

namespace memkit::capture {

/// Copies \p Str to \p To, with room for wire::MaxTextBytes; returns the size
/// in bytes. Cuts longer texts between characters. Writes a lone surrogate as a
/// backslash, u and four hexadecimal digits.
uint32_t copyText(const void *Str, const PythonLayout &L, char *To);

class Texts {
public:
  /// Maps the first piece. False: do not use the object.
  bool begin(int Fd, const wire::Regions &R, wire::Control &C) {
    Ctl = &C;
    return Table.begin(Fd, R.Texts, uint32_t(R.TextBytes / wire::TextAlign));
  }
  /// Allocates the private memory.
  bool beginIndex() { return Index.begin(); }

  /// The number of the text \p S; 0: the table is full.
  uint32_t intern(const char *S, uint32_t Bytes);

  /// The text with a number from intern(), or 0.
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

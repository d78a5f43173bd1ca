// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A picture on a terminal.

#ifndef MEMKIT_LIB_TERMINAL_SCREEN_H
#define MEMKIT_LIB_TERMINAL_SCREEN_H

#include "Cells.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <termios.h>

namespace memkit {

/// The sequences that change a terminal's picture from Before to Now: ECMA-48,
/// and the synchronized output of DEC mode 2026, which other terminals ignore.
/// Before: null or of another size: all is drawn.
std::string screenChanges(const Cells *Before, const Cells &Now,
                          bool UsesColours);

struct TerminalSize {
  unsigned Width = 0, Height = 0;
};

/// The terminal at standard output, taken over: no echo, no lines, an own page
/// of text. The destructor gives the terminal back as it was; so does a signal
/// that ends the program, and Ctrl-Z stops the program as usual. At most one
/// object at a time; belongs to one thread.
class Screen {
public:
  /// Fails if standard input or output is no terminal.
  static llvm::Expected<std::unique_ptr<Screen>> open(bool UsesColours);
  ~Screen();

  /// The terminal's size now; 80 by 24 if the terminal does not tell.
  TerminalSize size() const;

  /// Shows a picture. False: the terminal is gone.
  bool show(const Cells &Picture);

  /// Waits for input, a new size or a signal, at most TimeoutMs. The bytes that
  /// were typed. None: the terminal is gone, or a signal asks to end.
  std::optional<std::string> wait(int TimeoutMs);

private:
  Screen(bool UsesColours, const termios &Usual)
      : UsesColours(UsesColours), Usual(Usual) {}
  void enter();
  void leave();
  void stop();

  bool UsesColours;
  termios Usual; ///< before this object
  std::optional<Cells> Shown;
};

} // namespace memkit

#endif // MEMKIT_LIB_TERMINAL_SCREEN_H

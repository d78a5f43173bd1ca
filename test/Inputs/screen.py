# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program on a terminal of its own, and what the terminal shows, for tests."""

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])")
KEYS = {"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
        "pageup": "\x1b[5~", "pagedown": "\x1b[6~", "tab": "\t", "backtab": "\x1b[Z", "enter": "\r",
        "escape": "\x1b", "ctrl-c": "\x03", "ctrl-z": "\x1a", "backspace": "\x7f"}


class Screen:
    """Runs a command. Knows the sequences that memtop sends, and fails on others."""

    def __init__(self, command, columns=80, rows=24, cwd=None, **variables):
        self.main, self.terminal = pty.openpty()
        self.usual = termios.tcgetattr(self.terminal)
        self.resize(columns, rows, False)
        def own_terminal():
            os.setsid()
            fcntl.ioctl(self.terminal, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen(command, stdin=self.terminal, stdout=self.terminal, stderr=self.terminal,
                                        preexec_fn=own_terminal, cwd=cwd, env={**os.environ, "TERM": "xterm", **variables})
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.waiting = ""
        self.row = self.column = 0
        self.modes = {}
        self.styles = set()
        self.bytes = 0

    def resize(self, columns, rows, tell=True):
        self.columns, self.rows = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if tell:
            self.process.send_signal(28)  # SIGWINCH

    def press(self, *keys):
        for key in keys:
            os.write(self.main, KEYS.get(key, key).encode())

    def put(self, character):
        if self.row < self.rows and self.column < self.columns:
            self.cells[self.row][self.column] = character
        self.column += 1

    def obey(self, parameters, what):
        if what == "H":
            row, column = (int(p) for p in parameters.split(";"))
            assert 1 <= row <= 2000 and 1 <= column <= 2000, parameters
            self.row, self.column = row - 1, column - 1
        elif what == "J":
            assert parameters == "2", parameters
            self.cells = [[" "] * self.columns for _ in range(self.rows)]
        elif what == "m":
            self.styles.update(parameters.split(";"))
        elif what in "hl" and parameters.startswith("?"):
            self.modes[parameters[1:]] = what == "h"
        else:
            raise AssertionError(f"an unknown sequence {parameters}{what}")

    def read(self, seconds):
        """Takes what comes within some time. False: the program has closed the terminal."""
        if not select.select([self.main], [], [], seconds)[0]:
            return True
        try:
            got = os.read(self.main, 65536)
        except OSError:
            return False
        self.bytes += len(got)
        self.waiting += self.decoder.decode(got)
        while self.waiting:
            if self.waiting[0] == "\x1b":
                sequence = SEQUENCE.match(self.waiting)
                if not sequence:
                    return True  # the rest of the sequence comes later
                self.obey(*sequence.groups())
                self.waiting = self.waiting[sequence.end():]
                continue
            character, self.waiting = self.waiting[0], self.waiting[1:]
            if character == "\n":
                self.row += 1
            elif character == "\r":
                self.column = 0
            else:
                self.put(character)
        return True

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.cells).rstrip() + "\n"

    def until(self, *wanted, seconds=20):
        """Waits until the picture has a match of each pattern, and gives the picture."""
        end = time.time() + seconds
        while not all(re.search(w, self.text(), re.M) for w in wanted):
            assert time.time() < end, f"{wanted} did not come:\n{self.text()}"
            self.read(0.1)
        return self.text()

    def settle(self):
        """Waits until nothing is sent for a while."""
        before = -1
        while before != self.bytes:
            before = self.bytes
            self.read(0.5)

    def leave(self, *keys, status=0):
        """Presses keys that end the program; the terminal is as it was."""
        self.press(*keys)
        end = time.time() + 20
        while self.process.poll() is None:
            assert time.time() < end, self.text()
            self.read(0.05)
        while select.select([self.main], [], [], 0)[0] and self.read(0):
            pass
        assert self.process.returncode == status, (self.process.returncode, self.text())
        assert termios.tcgetattr(self.terminal) == self.usual, "the terminal is not as it was"
        assert not self.modes.get("1049") and self.modes.get("25", True) and self.modes.get("7", True), self.modes
        os.close(self.main)
        os.close(self.terminal)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plan changes no file: what the program writes, moves and removes lies in a folder over the file system.

Names are absolute paths without links, as the program sees them. A file that the program changes has a copy under the
folder, and a file that it removes is hidden. Extensions and other processes see the files as they are.
"""

import builtins
import contextlib
import errno
import functools
import os
import shutil
import stat
import sys
import tempfile
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, List, Set, Union

#: The functions as Python has them.
_real: Any = SimpleNamespace(file=builtins.open, **vars(os))
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
#: Of these a path is read; its last part may be a link that is meant itself.
_READS = ("stat", "access", "statvfs", "getxattr", "listxattr", "lstat", "readlink")
_OF_LINKS = ("lstat", "readlink", "lchown")
_CHANGES = ("chmod", "chown", "lchown", "utime", "truncate", "setxattr", "removexattr")
_MAX_LINKS = 40
_MAX_NAMED = 3
#: Modules of Python whose classes have such functions.
_HAVE_CLASSES = ("pathlib", "glob")
_NOT_FILES = ("/dev/", "/proc/", "/sys/")
_Path = Union[str, bytes, int, "os.PathLike[Any]"]


class Files:
    """The files of one plan."""

    def __init__(self) -> None:
        self._folder = os.path.realpath(tempfile.mkdtemp(prefix="memkit-predict-"))
        self._over = os.path.join(self._folder, "over")
        #: The program's own temporary files need no copies.
        self._temporary = os.path.join(self._folder, "tmp")
        self._start = os.getcwd()
        self._hidden: Set[str] = set()
        #: Folders that the program has made, which extensions write into; they go at the end, too.
        self._made: List[str] = []
        self._is_changed = False
        #: Names of the files that were opened for writing.
        self._written: Dict[str, None] = {}
        os.mkdir(self._over)
        os.mkdir(self._temporary)

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """The program's functions of files are those of this object; at the end the folder is removed."""
        before = tempfile.tempdir
        places = list(_places(self._functions()))
        for space, name, _, replacement in places:
            _set(space, name, replacement)
        tempfile.tempdir = self._temporary
        try:
            yield
        finally:
            tempfile.tempdir = before
            for space, name, original, _ in places:
                _set(space, name, original)
            with contextlib.suppress(OSError):
                os.chdir(self._start)
            for name in reversed(self._made):
                with contextlib.suppress(OSError):
                    os.rmdir(name)
            shutil.rmtree(self._folder, ignore_errors=True)

    def note(self, whose: str) -> List[str]:
        """What became of the files, if there are any."""
        start = os.path.join(self._start, "")
        names = [name[len(start) :] if name.startswith(start) else name for name in self._written]
        if not names:
            return []
        more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
        text = ", ".join(names[:_MAX_NAMED]) + more
        return [f"the {whose}'s files were written to a temporary folder and removed: {text}"]

    def _functions(self) -> Dict[Any, Any]:
        """The functions that take the place of others, by these."""
        mine: Dict[Any, Any] = {_real.file: self._open_file}
        for name in ("open", "mkdir", "rmdir", "rename", "replace", "symlink", "link", "listdir", "scandir", "chdir"):
            mine[getattr(_real, name)] = getattr(self, f"_{name}")
        mine[_real.unlink] = mine[_real.remove] = self._unlink
        mine[_real.getcwd] = self._getcwd
        for name in _READS + _CHANGES:
            mine[getattr(_real, name)] = self._with_path(name)
        return {original: self._told(original, function) for original, function in mine.items()}

    def _told(self, original: Any, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, whose errors have the names that the program gave."""

        @functools.wraps(original)
        def call(*args: Any, **options: Any) -> Any:
            try:
                return function(*args, **options)
            except OSError as error:
                for name, given in zip(("filename", "filename2"), args):
                    if getattr(error, name) is not None and isinstance(given, (str, bytes, os.PathLike)):
                        setattr(error, name, given)
                raise

        return call

    # -- names

    def _without_folder(self, path: str) -> str:
        return (path[len(self._over) :] or "/") if path.startswith(self._over) else path

    def _name(self, path: Any, follows: bool = True, dir_fd: Any = None) -> str:
        text = _real.readlink(f"/proc/self/fd/{path}") if isinstance(path, int) else os.fsdecode(path)
        folder = self._getcwd() if dir_fd is None else _real.readlink(f"/proc/self/fd/{dir_fd}")
        waiting = os.path.join(folder, text).split("/")[::-1]
        name, links = "/", 0
        while waiting:
            part = waiting.pop()
            one = os.path.dirname(name) if part == ".." else os.path.join(name, part)
            if part in ("", "."):
                continue
            if (waiting or follows) and links < _MAX_LINKS:
                with contextlib.suppress(OSError):
                    target = _real.readlink(self._place(one))
                    links += 1
                    waiting += target.split("/")[::-1]
                    name = "/" if target.startswith("/") else name
                    continue
            name = "/" if one == self._over else one
        return name

    def _place(self, name: str) -> str:
        """Where the file is: its copy, if there is one."""
        over = self._over + name
        return over if _is_there(over) or self._hides(name) else name

    def _hides(self, name: str) -> bool:
        while name != "/":
            if name in self._hidden:
                return True
            name = os.path.dirname(name)
        return False

    def _is_below(self, name: str) -> bool:
        """Whether a file that is no copy is to be seen."""
        return _is_there(name) and not self._hides(name)

    def _is_mixed(self, name: str) -> bool:
        """Whether a folder shows other files than those below."""
        return _is_there(self._over + name) or self._hides(name) or name in map(os.path.dirname, self._hidden)

    def _is_left(self, name: str) -> bool:
        """Devices, pipes and temporary files, which are left as they are."""
        if name.startswith((*_NOT_FILES, self._temporary)):
            return True
        with contextlib.suppress(OSError):
            mode = _real.lstat(self._place(name)).st_mode
            return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))
        return False

    # -- copies

    def _changed(self, name: str, keeps: bool = True) -> str:
        """The place of a file that the program changes or makes. keeps: with what is in it."""
        over = self._over + name
        if self._is_left(name):
            return name
        self._is_changed = True
        if not _is_there(over):
            is_below = self._is_below(name)
            self._make_folder(os.path.dirname(name))
            _check_access(name if is_below else os.path.dirname(name))
            if is_below:
                _copy(name, over, keeps)
        return over

    def _make_folder(self, name: str) -> None:
        """The folder of a copy; none where the program sees none."""
        over = self._over + name
        if name == "/" or _is_there(over) or not self._is_below(name) or not os.path.isdir(name):
            return
        self._make_folder(os.path.dirname(name))
        _real.mkdir(over, stat.S_IMODE(_real.stat(name).st_mode) | stat.S_IRWXU)

    def _copy_all(self, name: str) -> str:
        """The copy of a file, or of a folder with all that is in it."""
        over = self._changed(name)
        if over != name and stat.S_ISDIR(_real.lstat(over).st_mode):
            for part in self._listdir(name):
                self._copy_all(os.path.join(name, part))
        return over

    def _hide(self, name: str) -> None:
        self._written.pop(name, None)
        self._is_changed = True
        if self._is_below(name):
            _check_access(os.path.dirname(name))
            self._hidden.add(name)

    # -- functions in place of Python's

    def _with_path(self, function: str) -> Callable[..., Any]:
        real, follows, changes = getattr(_real, function), function not in _OF_LINKS, function in _CHANGES

        def call(path: _Path, *args: Any, dir_fd: Any = None, **options: Any) -> Any:
            if isinstance(path, int) or not (changes or self._is_changed):
                return real(path, *args, **options, **({} if dir_fd is None else {"dir_fd": dir_fd}))
            name = self._name(path, follows and options.get("follow_symlinks", True), dir_fd)
            place = self._changed(name) if changes else self._place(name)
            return real(os.fsencode(place) if isinstance(path, bytes) else place, *args, **options)

        return call

    def _open_file(self, file: Any, *args: Any, **options: Any) -> Any:
        if isinstance(file, int) or len(args) > 6 or options.get("opener") is not None:
            return _real.file(file, *args, **options)
        options["opener"] = self._opener
        return _real.file(file, *args, **options)

    def _opener(self, path: Any, flags: int) -> int:
        return self._open(path, flags, 0o666)

    def _open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: Any = None) -> int:
        is_unnamed = flags & getattr(os, "O_TMPFILE", 0) == getattr(os, "O_TMPFILE", -1)
        writes = flags & _WRITES and not is_unnamed
        if not writes and not self._is_changed:
            return int(_real.open(path, flags, mode, dir_fd=dir_fd))
        name = self._name(path, not flags & os.O_NOFOLLOW, dir_fd)
        place = self._changed(name, not flags & os.O_TRUNC) if writes else self._place(name)
        found: int = _real.open(place, flags, mode)
        if writes and place != name:
            self._written.setdefault(name)
        return found

    def _mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: Any = None) -> None:
        name = self._name(path, False, dir_fd)
        if _is_there(self._place(name)):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        folder = os.path.dirname(name)
        if _is_there(name) or not self._is_below(folder) or self._is_left(name):
            _real.mkdir(self._changed(name), mode)
        else:
            _real.mkdir(name, mode)
            self._made.append(name)

    def _unlink(self, path: Any, *, dir_fd: Any = None) -> None:
        name = self._name(path, False, dir_fd)
        place = self._place(name)
        if place != name or self._is_left(name):
            _real.unlink(place)
        elif stat.S_ISDIR(_real.lstat(place).st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        self._hide(name)

    def _rmdir(self, path: Any, *, dir_fd: Any = None) -> None:
        name = self._name(path, False, dir_fd)
        place = self._place(name)
        if self._listdir(name):
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), path)
        if place != name or self._is_left(name):
            _real.rmdir(place)
        self._hide(name)

    def _rename(self, src: Any, dst: Any, *, src_dir_fd: Any = None, dst_dir_fd: Any = None) -> None:
        name, to = self._name(src, False, src_dir_fd), self._name(dst, False, dst_dir_fd)
        if name == to:
            return
        place = self._copy_all(name)
        if os.path.isdir(place) and self._is_below(to) and os.path.isdir(to) and self._listdir(to):
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), src, None, dst)
        _real.rename(place, self._changed(to, False))
        was_written = name in self._written or place == name
        if place != name:
            self._hide(name)
        if self._is_below(to):
            self._hidden.add(to)
        if was_written and not self._is_left(to):
            self._written.setdefault(to)

    _replace = _rename

    def _symlink(self, src: Any, dst: Any, target_is_directory: bool = False, *, dir_fd: Any = None) -> None:
        name = self._name(dst, False, dir_fd)
        if _is_there(self._place(name)):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), src, None, dst)
        _real.symlink(src, self._changed(name))

    def _link(self, src: Any, dst: Any, **options: Any) -> None:
        _real.link(self._changed(self._name(src)), self._changed(self._name(dst, False)))

    def _chdir(self, path: Any) -> None:
        name = self._name(path)
        # The folder itself rather than its copy, for extensions and processes that read files there.
        _real.chdir(name if self._is_below(name) else self._place(name))

    def _getcwd(self) -> str:
        return self._without_folder(_real.getcwd())

    def _listdir(self, path: Any = ".") -> List[Any]:
        if not self._is_changed:
            return list(_real.listdir(path))
        name = self._name("." if path is None else path)
        over = self._over + name
        found: Dict[str, None] = dict.fromkeys(_real.listdir(self._place(name)))  # else its error
        if self._is_below(name):
            found.update(dict.fromkeys(one for one in _real.listdir(name)))
        parts = [one for one in found if _is_there(os.path.join(over, one)) or self._is_below(os.path.join(name, one))]
        return [os.fsencode(one) for one in parts] if isinstance(path, bytes) else parts

    def _scandir(self, path: Any = ".") -> Any:
        if not self._is_changed:
            return _real.scandir(path)
        name = self._name("." if path is None else path)
        shown = "" if isinstance(path, int) else os.fspath("." if path is None else path)
        is_plain = shown and os.path.normpath(os.path.join(self._getcwd(), os.fsdecode(shown))) == name
        if is_plain and not self._is_mixed(name):
            return _real.scandir(shown)
        return _Entries(_Entry(os.path.join(shown, one), one, name) for one in self._listdir(path))


class _Entry:
    """As os.DirEntry."""

    def __init__(self, path: Any, name: Any, folder: str) -> None:
        self.path = path
        self.name = name
        self._at = os.path.join(folder, os.fsdecode(name))

    def __fspath__(self) -> Any:
        return self.path

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return os.stat(self._at, follow_symlinks=follow_symlinks)

    def inode(self) -> int:
        return self.stat(follow_symlinks=False).st_ino

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(stat.S_ISDIR, follow_symlinks)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(stat.S_ISREG, follow_symlinks)

    def is_symlink(self) -> bool:
        return self._is(stat.S_ISLNK, False)

    def is_junction(self) -> bool:
        return False

    def _is(self, kind: Callable[[int], bool], follows: bool) -> bool:
        try:
            return kind(self.stat(follow_symlinks=follows).st_mode)
        except OSError:
            return False


class _Entries:
    """As what os.scandir() gives."""

    def __init__(self, entries: Iterator[_Entry]) -> None:
        self._entries = entries

    def __iter__(self) -> Iterator[_Entry]:
        return self._entries

    def __next__(self) -> _Entry:
        return next(self._entries)

    def __enter__(self) -> "_Entries":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def close(self) -> None:
        self._entries = iter(())


def _places(functions: Dict[Any, Any]) -> Iterator[Any]:
    """Where Python has the functions, also under other names: a module's dict or a class, the name, both values.

    The import system goes on with posix, and memkit with what this module has kept.
    """
    by_id = {id(original): replacement for original, replacement in functions.items()}
    for module_name, module in list(sys.modules.items()):
        top = module_name.partition(".")[0]
        space = getattr(module, "__dict__", None)
        if not isinstance(space, dict) or module_name in ("posix", "_io") or top == "memkit":
            continue
        for name, value in list(space.items()):
            if id(value) in by_id:
                yield space, name, value, by_id[id(value)]
            elif top in _HAVE_CLASSES and isinstance(value, type):
                yield from _places_of_class(value, by_id)


def _places_of_class(kind: type, by_id: Dict[int, Any]) -> Iterator[Any]:
    for name, value in list(vars(kind).items()):
        replacement = by_id.get(id(value.__func__ if isinstance(value, staticmethod) else value))
        if replacement is not None:
            yield kind, name, value, staticmethod(replacement)


def _set(space: Any, name: str, value: Any) -> None:
    if isinstance(space, type):
        setattr(space, name, value)
    else:
        space[name] = value


def _is_there(place: str) -> bool:
    try:
        _real.lstat(place)
    except OSError:
        return False
    return True


def _check_access(name: str) -> None:
    """PermissionError where the program might not change the file itself."""
    if _is_there(name) and not _real.access(name, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)


def _copy(name: str, over: str, keeps: bool) -> None:
    found = _real.lstat(name)
    if stat.S_ISLNK(found.st_mode):
        _real.symlink(_real.readlink(name), over)
        return
    if stat.S_ISDIR(found.st_mode):
        _real.mkdir(over)
    else:
        with _real.file(over, "wb") as copy:
            if keeps:
                with _real.file(name, "rb") as file:
                    shutil.copyfileobj(file, copy)
    _real.chmod(over, stat.S_IMODE(found.st_mode))
    _real.utime(over, ns=(found.st_atime_ns, found.st_mtime_ns))

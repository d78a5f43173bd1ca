# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How lit runs the tests of test/tools, test/record and test/format.
#
# Substitutions, beside lit's own:
#   %cc %cxx       the host's compilers, for the programs that memrec records
#   %libmemrec     the capture library
#   %libmemkit     the library that reads traces; its folder is its rpath
#   %python        a Python; the one with PyTorch where there is one
#   %pythonX.Y     that version, where the machine has it
#   %pythons       one interpreter of each version from 3.8 on, with spaces between
#   %src_root      the source tree
#   %obj_root      the build folder
#   %tools         the folder of this build's tools
#   %open_speedscope FILE   shows FILE in speedscope's page, prints its profiles
#   %profiler_cli FILE COMMAND...   what the Firefox Profiler's own code says of FILE
#   %readers       a Python that has the packages of .cache/readers
#   %pprof         Go's pprof
#   %memray COMMAND   a command whose Python finds memray
#   %tensorflows   Pythons that have TensorFlow, one for each version, with spaces between
#   %web           a Python that has gunicorn, Flask and pytest
# Features: python, pythonX.Y, torch, gpu, chromium, speedscope, profiler-cli, perfetto, duckdb,
# pandas, pprof, asan, ubsan, tsan, heaptrack, memray, debuginfod, dwz, root, other-users, and long and wheel (utils/check --long), and
# git, node, perl, tensorflow (utils/check --with=frameworks), flask, pytest, redis and postgres (--long), cuda-allocator (utils/check --with=cuda-allocator), cuda-headers, and of a GPU cuda-device,
# torch-cuda and jax-cuda (utils/check --gpu).

import atexit
import glob
import os
import platform
import shutil
import subprocess
import sys
import tempfile

import lit.formats

sys.path.insert(0, os.path.dirname(__file__))
import shell_paths
import test_programs

config.name = "memkit"
config.suffixes = [".test", ".mas", ".c", ".cpp", ".py"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py", "lit.site.cfg.py.in", "shell_paths.py", "test_programs.py", "fuzz", "stress"]
config.test_source_root = os.path.dirname(__file__)

sanitizers = [s for s in config.memkit_sanitize.split(",") if s]
for name, feature in (("address", "asan"), ("undefined", "ubsan"), ("thread", "tsan")):
    if name in sanitizers:
        config.available_features.add(feature)
if sanitizers:
    # A report must fail the test, whatever status the test expects of the tool.
    config.environment["ASAN_OPTIONS"] = "abort_on_error=1:detect_leaks=1"
    config.environment["UBSAN_OPTIONS"] = "halt_on_error=1:abort_on_error=1:print_stacktrace=1"
    config.environment["TSAN_OPTIONS"] = "halt_on_error=1:abort_on_error=1"

# What only tests need. A build with a sanitizer has no tests of single parts. What utils/gpu/pack
# makes has none of these programs, and the tests of utils/check --gpu need none.
missing = test_programs.missing(config.memkit_obj_root, ["bin"] if sanitizers else ["bin", "test/unit"])
if missing and not lit_config.params.get("cuda"):
    lit_config.warning(test_programs.sentence(missing) + "; tests that need these are unsupported")
config.test_format = test_programs.ShTest(missing) if missing else lit.formats.ShTest(execute_external=True)

# The tests see the tools of this build first, then LLVM's test utilities, then the
# programs that test/unit builds to help them.
config.environment["PATH"] = os.path.pathsep.join(
    [config.memkit_tools_dir, config.llvm_tools_dir, os.path.join(config.test_exec_root, "unit"),
     os.environ["PATH"]]
)
home = os.path.join(config.test_exec_root, "home")
os.makedirs(home, exist_ok=True)
config.environment["HOME"] = home
config.environment["MEMKIT_RULES"] = ""  # no rules of the user
config.environment["LC_ALL"] = "C.UTF-8"
# Recordings of tests listen here, apart from those of the user. A socket's path is short.
sockets = tempfile.mkdtemp(prefix="memkit-lit-")
atexit.register(shutil.rmtree, sockets, True)
config.environment["XDG_RUNTIME_DIR"] = sockets
config.environment["MEMKIT_RUNTIME_ONLY"] = "1"  # not the user's other recordings
config.environment["TZ"] = "UTC"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"


def real_python(command):
    """The interpreter behind a name (not a script that starts it), or None."""
    path = shutil.which(command)
    if not path:
        return None
    try:
        result = subprocess.run(
            [path, "-c", "import sys; print(sys.executable)"],
            capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return result.stdout.strip() or None


def find_pythons():
    """Interpreters by version: on PATH as pythonX.Y, and in the folders of
    MEMKIT_PYTHONS (default: where pyenv keeps them)."""
    found = {}
    folders = os.environ.get("MEMKIT_PYTHONS", os.path.expanduser("~/.pyenv/versions"))
    for minor in range(8, 20):
        version = "3.%d" % minor
        candidates = ["python" + version]
        for folder in folders.split(os.pathsep):
            candidates += sorted(glob.glob("%s/%s.*/bin/python3" % (folder, version)))
            candidates.append("%s/bin/python%s" % (folder, version))
        for candidate in candidates:
            path = real_python(candidate)
            if path:
                found[version] = path
                break
    return found


def has_module(python, name):
    code = "import importlib.util as u, sys; sys.exit(u.find_spec('%s') is None)" % name
    return subprocess.run([python, "-c", code], capture_output=True).returncode == 0


venv = os.path.join(config.memkit_src_root, ".venv", "bin", "python")
python = os.environ.get("MEMKIT_PYTHON") or real_python(venv) or real_python("python3")
if python:
    config.available_features.add("python")
    config.substitutions.append((r"%python\b(?!\d)", python))
    for module in ("torch", "numpy", "jsonschema"):
        if has_module(python, module):
            config.available_features.add(module)
pythons = find_pythons()
config.substitutions.insert(0, ("%pythons", " ".join(pythons.values()) or "false"))
for version, path in pythons.items():
    config.available_features.add("python" + version)
    # Before %python, which is its prefix.
    config.substitutions.insert(0, ("%python" + version.replace(".", r"\."), path))

chromium = shutil.which("chromium")
packages = os.path.join(config.memkit_src_root, ".cache", "npm", "node_modules")
node = shutil.which("node") or shutil.which("nodejs")
if chromium:
    config.available_features.add("chromium")
if node and os.path.isdir(os.path.join(packages, "speedscope")):
    config.available_features.add("speedscope")
    script = os.path.join(config.test_source_root, "tools/memflame/Inputs/open-in-speedscope.cjs")
    # Takes the file to show, and a .png to write.
    config.substitutions.append(
        ("%browser", " ".join([packages, chromium or "chromium"])))
    config.substitutions.append(
        ("%open_speedscope", " ".join([node, script, packages, chromium or "chromium"])))
profiler_cli = os.path.join(packages, "@firefox-devtools/profiler-cli/dist/profiler-cli.js")
if python and node and os.path.exists(profiler_cli):
    config.available_features.add("profiler-cli")
    script = os.path.join(config.test_source_root, "tools/memflame/Inputs/ask-profiler.py")
    config.substitutions.append(("%profiler_cli", " ".join([python, script, node, profiler_cli])))
readers = os.path.join(config.memkit_src_root, ".cache", "readers")
if python and os.path.isdir(readers):
    command = "env PYTHONPATH=%s %s" % (readers, python)
    config.substitutions.insert(0, ("%readers", command))
    for module in ("perfetto", "duckdb", "pandas", "pyarrow", "polars", "mypy", "unicorn"):
        if os.path.isdir(os.path.join(readers, module)):
            config.available_features.add(module)
# Feature, substitution for the folder of its packages.
for module, name in (("dask", "dask"), ("pyspark", "spark")):
    folder = os.path.join(config.memkit_src_root, ".cache", name)
    if python and os.path.isdir(os.path.join(folder, module)):
        config.available_features.add(name)
        config.substitutions.append(("%packages_of_" + name, folder))
# Frameworks whose wheels are large: utils/check --with=frameworks fetches them.
for module, name in (("jaxlib", "jax"),):
    folder = os.path.join(config.memkit_src_root, ".cache", name)
    if python and os.path.isdir(os.path.join(folder, module)):
        config.available_features.add(name)
        config.substitutions.append(("%%{%s}" % name, "env PYTHONPATH=" + folder))
numba = os.path.join(config.memkit_src_root, ".cache", "numba")
if python and os.path.isdir(os.path.join(numba, "numba")):
    config.available_features.add("numba")
    config.substitutions.append(("%numba", numba))
memray = os.path.join(config.memkit_src_root, ".cache", "memray")
if python and os.path.isdir(os.path.join(memray, "memray")):
    config.available_features.add("memray")
    config.substitutions.append(("%memray", "env PYTHONPATH=" + memray))
tested = os.path.join(config.memkit_src_root, ".cache", "pytest")
if python and all(os.path.isdir(os.path.join(tested, module)) for module in ("pytest", "xdist", "pytest_asyncio")):
    config.available_features.add("pytest-plugin")
    package = os.path.join(config.memkit_src_root, "python")
    config.substitutions.append(
        ("%pytest", "env PYTHONPATH=%s:%s %s -m pytest -p memkit.pytest_plugin -p no:cacheprovider" % (tested, package, python))
    )
protocol = os.path.join(config.memkit_src_root, ".cache", "mcp")
if python and os.path.isdir(os.path.join(protocol, "mcp")):
    config.available_features.add("mcp-sdk")
    config.substitutions.append(("%mcp", "env PYTHONPATH=%s %s" % (protocol, python)))
board = os.path.join(config.memkit_src_root, ".cache", "tensorboard")
if python and os.path.isdir(os.path.join(board, "tensorboard")):
    config.available_features.add("tensorboard")
    config.substitutions.insert(0, ("%tensorboard", board))
packages = os.path.join(config.memkit_src_root, ".cache", "packages")
config.substitutions.append(("%packages", packages))
for module, feature in (("greenlet", "greenlet"), ("sarif", "sarif-tools")):
    if python and os.path.isdir(os.path.join(packages, module)):
        config.available_features.add(feature)
web = os.path.join(config.memkit_src_root, ".cache", "web")
if python and os.path.isdir(os.path.join(web, "flask")):
    config.available_features.add("flask")
    config.substitutions.append(("%web", "env PYTHONPATH=%s %s" % (web, python)))
    if os.path.isdir(os.path.join(web, "pytest")):
        config.available_features.add("pytest")
pprof = os.path.join(config.memkit_src_root, ".cache", "pprof", "pprof")
if os.path.exists(pprof):
    config.available_features.add("pprof")
    config.substitutions.append(("%pprof", pprof))
# The environment into which utils/check --with=wheel has installed the wheel, and Debian 11.
wheel = os.path.join(config.memkit_src_root, "build", "venv")
if lit_config.params.get("wheel") and os.path.exists(os.path.join(wheel, "bin", "memkit")):
    config.available_features.add("wheel")
    config.substitutions.append(("%wheel", wheel))
# What utils/check --with=frameworks has fetched.
tensorflows = [
    os.path.join(os.path.dirname(installed), "bin", "python")
    for installed in sorted(glob.glob(os.path.join(config.memkit_src_root, ".cache", "tensorflow-*", "installed")))
]
if lit_config.params.get("frameworks") and tensorflows:
    config.available_features.add("tensorflow")
    config.substitutions.insert(0, ("%tensorflows", " ".join(tensorflows)))
debian11 = os.path.join(config.memkit_src_root, ".cache", "debian11")
if os.path.exists(os.path.join(debian11, "installed")) and os.geteuid() == 0:
    config.available_features.add("debian11")
    config.substitutions.append(("%debian11", debian11))
if shutil.which("debuginfod"):
    config.available_features.add("debuginfod")
if shutil.which("dwz"):
    config.available_features.add("dwz")
if shutil.which("zstd"):
    config.available_features.add("zstd")
for program in ("git", "node", "perl"):
    if shutil.which(program):
        config.available_features.add(program)
if shutil.which("redis-server"):
    config.available_features.add("redis")
if shutil.which("initdb") or glob.glob("/usr/lib/postgresql/*/bin/initdb"):
    config.available_features.add("postgres")
if shutil.which("heaptrack"):
    config.available_features.add("heaptrack")
for name, pattern in (("jemalloc", "libjemalloc.so.2"), ("tcmalloc", "libtcmalloc_minimal.so.4"),
                      ("mimalloc", "libmimalloc.so.2")):
    found = glob.glob("/usr/lib/*/" + pattern)
    if found:
        config.available_features.add(name)
        config.substitutions.append(("%" + name, found[0]))
if all(glob.glob("/usr/lib/*/" + name) for name in ("libjemalloc_pic.a", "libtcmalloc_minimal.a")):
    config.available_features.add("static-allocators")
if os.path.exists("/usr/include/gtest/gtest.h"):
    config.available_features.add("googletest")
config.available_features.add("glibc-" + platform.libc_ver()[1])
if config.memkit_cuda_includes:
    config.available_features.add("cuda-headers")
if os.path.exists("/dev/nvidiactl"):
    config.available_features.add("gpu")
if os.geteuid() == 0:
    config.available_features.add("root")
    # Other users reach the build folder, so tests can run tools as other users.
    reach = ["setpriv", "--reuid=65532", "--regid=65532", "--clear-groups", "test", "-x"]
    if subprocess.run([*reach, os.path.join(config.memkit_tools_dir, "memstat")], stderr=subprocess.DEVNULL).returncode == 0:
        config.available_features.add("other-users")
# What utils/check --with=cuda-allocator has fetched.
allocator = os.path.join(config.memkit_src_root, ".cache", "cuda-allocator")
if lit_config.params.get("cuda-allocator") and os.path.isdir(os.path.join(allocator, "torch")):
    config.available_features.add("cuda-allocator")
    config.substitutions.append(("%cuda_allocator", allocator))
if lit_config.params.get("long"):
    config.available_features.add("long")

if not sanitizers:
    config.available_features.add("libmemkit")
config.substitutions += [
    ("%cc", config.host_cc),
    ("%cxx", config.host_cxx),
    ("%libmemrec", config.memkit_capture_library),
    ("%libmemkit", config.memkit_library),
    ("%memkit_version", config.memkit_version),
    ("%src_root", config.memkit_src_root),
    ("%obj_root", config.memkit_obj_root),
    ("%tools", config.memkit_tools_dir),
]

# The checkout may lie in any folder.
shell_paths.install([config.memkit_src_root, config.memkit_obj_root, config.test_exec_root] +
                    ([os.path.dirname(python)] if python else []))

# A test that hangs is a failure, not a run without end; lit needs psutil to end one.
try:
    import psutil  # noqa: F401

    # The longest of the long ones is half an hour by itself.
    lit_config.maxIndividualTestTime = 3600 if lit_config.params.get("long") else 600
except ImportError:
    pass

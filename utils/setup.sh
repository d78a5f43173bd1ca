# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What utils/quickstart and utils/check share: installing what is missing and
# building. To be sourced, with `set -euo pipefail`. Every function does nothing
# where its work is done already.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
torch_version=2.13.0
memray_version=1.20.0
# 1 once --no-install is given: what is missing is named, not installed.
no_install=0

if [ -t 1 ]; then bold=$'\e[1m' plain=$'\e[0m'; else bold='' plain=''; fi

say() { printf '%s== %s%s\n' "$bold" "$*" "$plain"; }
die() {
  printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# as_root COMMAND...: for what only root may do, which is to install packages. Where
# nothing is missing it is never called, and any user may build and test.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@" || die "'sudo $*' failed; run '$*' as root, then this again"
  else
    die "'$*' needs root; run it as root, or install sudo, then run this again"
  fi
}

# The packages to build memkit with.
build_packages=(cmake ninja-build g++ llvm-19-dev llvm-19-tools libzstd-dev
  zlib1g-dev libz3-dev flatbuffers-compiler libflatbuffers-dev libgtest-dev)
# What the tests want beside them.
test_packages=(git clang-format-19 clang-19 libclang-rt-19-dev chromium sqlite3 python3-psutil zstd
  libjemalloc2 libtcmalloc-minimal4)

# need_packages PACKAGE...: installs those of Debian's packages that are missing.
need_packages() {
  local package missing=()
  for package; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) in
    installed) ;;
    *) missing+=("$package") ;;
    esac
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ $no_install = 0 ] || die "not installed: ${missing[*]}"
  command -v apt-get >/dev/null || die "no apt-get here; install by hand: ${missing[*]}"
  say "Installing ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends "${missing[@]}" >/dev/null
}

# build PRESET TARGET...: configures build/PRESET and builds the targets. A folder that
# build() configured is configured again when one of $inputs has changed; a folder that the
# user configured by hand is left as it is. Files that come or go (CUDA's headers,
# speedscope) are seen by the build itself: see CONFIGURE_DEPENDS in CMake's files.
build() {
  local preset=$1 folder=$root/build/$1
  shift
  local inputs="$root $(env | grep -E '^(CUDA_HOME|CC|CXX|CMAKE_CX*_COMPILER_LAUNCHER)=' | sort || true)"
  local configured=$folder/configured-with
  if [ ! -e "$folder/build.ninja" ] ||
    { [ -e "$configured" ] && [ "$(cat "$configured")" != "$inputs" ]; }; then
    say "Configuring build/$preset"
    mkdir -p "$folder"
    (cd "$root" && cmake --fresh --preset "$preset") >"$folder/configure.log" 2>&1 || {
      cat "$folder/configure.log" >&2
      die "configuring build/$preset failed"
    }
    echo "$inputs" >"$configured"
  fi
  cmake --build "$folder" --target "$@"
}

# has_torch PYTHON: whether it has PyTorch, without the seconds an import takes.
has_torch() {
  "$1" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("torch") is None)' 2>/dev/null
}

# A Python that can make an environment, in $base_python.
need_base_python() {
  local candidate
  for candidate in python3.11 python3; do
    if "$candidate" -c 'import venv, ensurepip' 2>/dev/null; then
      base_python=$candidate
      return
    fi
  done
  need_packages python3-venv
  base_python=/usr/bin/python3
}

# Says what pip is about to fetch, when it is the build with CUDA.
say_cuda_size() {
  "$1" -m pip install --quiet --dry-run --report - "torch==$torch_version" 2>/dev/null |
    "$1" "$root/utils/download_size.py" || true
}

# A Python with PyTorch, in $python: the user's own, else that of .venv. It is the
# interpreter itself, where python3 is a script that chooses one.
need_torch() {
  python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null || true)
  if [ -n "$python" ] && has_torch "$python"; then return; fi
  python=$root/.venv/bin/python
  if has_torch "$python"; then return; fi
  [ $no_install = 0 ] || die "no PyTorch: neither python3 nor .venv has it"
  need_base_python
  say "Installing PyTorch $torch_version into .venv"
  "$base_python" -m venv "$root/.venv"
  # An older pip fetches whole packages only to look at them; it would do.
  "$python" -m pip install --quiet --disable-pip-version-check --upgrade pip || true
  say_cuda_size "$python"
  "$python" -m pip install --quiet --disable-pip-version-check "torch==$torch_version" numpy
}

# need_wheels NAME OTHERWISE WHEEL...: puts wheels into .cache/NAME, unless they are
# there. Where they cannot be had OTHERWISE says what is missing then. Its status says
# whether they are new.
need_wheels() {
  local name=$1 otherwise=$2 folder=$root/.cache/$1
  shift 2
  [ "$(cat "$folder/installed" 2>/dev/null)" != "$python $*" ] || return 1
  [ $no_install = 0 ] || die "not installed: $*, in .cache/$name"
  say "Installing $* into .cache/$name"
  rm -rf "$folder"
  if "$python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$folder" "$@"; then
    echo "$python $*" >"$folder/installed"
  else
    say "$otherwise"
  fi
}

# Headers and library of NVTX, and its package for Python: wheels of some 3 MB.
need_nvtx() {
  need_wheels nvtx "NVTX cannot be had: its tests are left out" \
    nvidia-nvtx==13.5.25 nvidia-nvtx-cu12==12.1.105 nvtx==0.2.17 || true
}

# Headers of CUDA, wheels of some 14 MB, for what no toolkit here has.
need_cuda_headers() {
  need_wheels cuda "The headers of CUDA cannot be had: its driver is not recorded" \
    nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88 nvidia-cuda-cupti==13.0.85 \
    nvidia-nvml-dev==13.0.87 || true
}

# Packages that tests use: greenlet, and what reads SARIF. Wheels of some 2 MB.
need_test_wheels() {
  need_wheels packages "greenlet and sarif-tools cannot be had: their tests are left out" \
    greenlet==3.5.6 sarif-tools==3.0.5 jsonpath-ng ply pyyaml || true
}

# memray, which a test records beside memkit, with what it imports: wheels of some 14 MB.
need_memray() {
  need_wheels memray "memray cannot be had: its test is left out" "memray==$memray_version" \
    rich==15.0.0 Pygments==2.21.0 markdown-it-py==4.3.0 mdurl==0.1.2 textual==8.2.8 \
    platformdirs==4.14.7 linkify-it-py==2.2.0 mdit-py-plugins==0.7.0 uc-micro-py \
    jinja2 markupsafe typing_extensions || true
}

# Programs of others that tests record: servers of Debian, and wheels of some 3 MB.
need_programs() {
  need_packages redis-server postgresql
  need_wheels web "gunicorn and Flask cannot be had: their test is left out" \
    gunicorn==23.0.0 flask==3.1.2 werkzeug==3.1.3 jinja2 markupsafe click itsdangerous blinker packaging || true
}

# What utils/bench measures beside memkit, and the programs it runs. memray goes into
# .venv alone, never into a Python of the user's.
need_peers() {
  need_packages heaptrack sqlite3 clang-19 zstd
  need_torch
  if "$python" -c 'import memray' 2>/dev/null; then return; fi
  if [ "$python" != "$root/.venv/bin/python" ]; then
    say "memray is left out: $python has PyTorch, and no memray"
    return
  fi
  [ $no_install = 0 ] || die "not installed: memray $memray_version, in .venv"
  say "Installing memray $memray_version into .venv"
  "$python" -m pip install --quiet --disable-pip-version-check "memray==$memray_version"
}

# Readers of what memflame and memdump write, that judge it in tests: the message
# classes of Perfetto, DuckDB and pandas. Wheels of 38 MB.
need_readers() {
  need_wheels readers "Readers of the formats cannot be had: their tests are left out" \
    perfetto==0.59.1 protobuf==7.36.2 duckdb==2.0.0 pandas==3.1.1 python-dateutil six || true
}

# pprof, in .cache/pprof: of Debian's Go (63 MB to fetch, 265 MB installed) the one program
# that tests run (10 MB). It runs without the rest.
need_pprof() {
  local folder=$root/.cache/pprof package=golang-1.19-go
  [ ! -x "$folder/pprof" ] || return 0
  [ $no_install = 0 ] || die "not fetched: pprof of Debian's $package"
  say "Fetching pprof from Debian's $package: 63 MB, of which 10 MB are kept"
  rm -rf "$folder" && mkdir -p "$folder"
  if (cd "$folder" && { apt-get download -qq "$package" || { as_root apt-get update -qq && apt-get download -qq "$package"; }; } &&
    dpkg --fsys-tarfile "$package"_*.deb |
    tar x --strip-components=7 ./usr/lib/go-1.19/pkg/tool/linux_amd64/pprof); then
    rm -f "$folder/$package"_*.deb
  else
    rm -rf "$folder"
    say "pprof cannot be had: its test is left out"
  fi
}

# Of PyTorch's build with CUDA, in .cache/cuda-allocator: the two libraries that its
# allocator is of, and the headers to call it. The wheel is fetched once, and is not kept.
need_cuda_allocator() {
  local folder=$root/.cache/cuda-allocator
  if [ -e "$folder/$torch_version" ]; then return; fi
  [ $no_install = 0 ] || die "not fetched: PyTorch's build with CUDA, for its allocator"
  say "Fetching PyTorch $torch_version with CUDA for its allocator: 505 MiB, of which 10 MiB are kept"
  rm -rf "$folder" && mkdir -p "$folder/wheels"
  local download=("$python" -m pip download --quiet --disable-pip-version-check --no-deps
    --dest "$folder/wheels")
  # `===`: the build of the package index, no other of the same version.
  "${download[@]}" "torch===$torch_version"
  "${download[@]}" nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88
  "$python" "$root/utils/unpack_cuda_allocator.py" "$folder"
  rm -rf "$folder/wheels"
  touch "$folder/$torch_version"
}

# The packages of utils/browser, in .cache/npm.
need_browser_packages() {
  local folder=$root/.cache/npm file
  if cmp -s "$root/utils/browser/package-lock.json" "$folder/package-lock.json" &&
    [ -e "$folder/installed" ]; then
    return
  fi
  [ $no_install = 0 ] || die "not installed: the npm packages of utils/browser"
  command -v npm >/dev/null || need_packages nodejs npm
  say "Installing speedscope and playwright-core into .cache/npm"
  mkdir -p "$folder"
  for file in package.json package-lock.json; do
    cp "$root/utils/browser/$file" "$folder/$file"
  done
  (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  touch "$folder/installed"
}

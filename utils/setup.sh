# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The steps that utils/quickstart and utils/check share: installing packages and
# building. Source this file with `set -euo pipefail`. A function does nothing if
# its work is already done.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
torch_version=2.13.0
memray_version=1.20.0
# 1 after --no-install: missing packages are named, not installed.
no_install=0

if [ -t 1 ]; then bold=$'\e[1m' plain=$'\e[0m'; else bold='' plain=''; fi

say() { printf '%s== %s%s\n' "$bold" "$*" "$plain"; }
die() {
  printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# as_root COMMAND...: runs a command as root, to install packages. If no package is
# missing, as_root is not called, and any user may build and test.
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
  zlib1g-dev libz3-dev liblz4-dev libsqlite3-dev flatbuffers-compiler libflatbuffers-dev libtomlplusplus-dev libgtest-dev)
# Further packages for the tests.
test_packages=(git clang-format-19 clang-19 libclang-rt-19-dev chromium sqlite3 python3-psutil zstd
  libjemalloc-dev libgoogle-perftools-dev libmimalloc2.0 zsh fish heaptrack debuginfod dwz
  musl-tools libc6-i386)

# need_packages PACKAGE...: installs missing Debian packages.
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
# build() configured is configured again after a change of $inputs; a folder that the
# user configured by hand keeps its configuration. The build itself notices new and removed
# files (CUDA's headers): see CONFIGURE_DEPENDS in CMake's files.
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

# has_torch PYTHON: whether PYTHON has PyTorch, without importing it, which takes seconds.
has_torch() {
  "$1" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("torch") is None)' 2>/dev/null
}

# Sets $base_python to a Python that can make a virtual environment.
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

# Prints the size of the download if pip is about to fetch the build with CUDA.
say_cuda_size() {
  "$1" -m pip install --quiet --dry-run --report - "torch==$torch_version" 2>/dev/null |
    "$1" "$root/utils/download_size.py" || true
}

# Sets $python to a Python with PyTorch: the user's own, else the Python of .venv. The path is
# that of the interpreter, even if python3 is a script that chooses an interpreter.
need_torch() {
  python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null || true)
  if [ -n "$python" ] && has_torch "$python"; then return; fi
  python=$root/.venv/bin/python
  if has_torch "$python"; then return; fi
  [ $no_install = 0 ] || die "no PyTorch: neither python3 nor .venv has it"
  need_base_python
  say "Installing PyTorch $torch_version into .venv"
  "$base_python" -m venv "$root/.venv"
  # An older pip would work, but fetches whole packages only to inspect them.
  "$python" -m pip install --quiet --disable-pip-version-check --upgrade pip || true
  say_cuda_size "$python"
  "$python" -m pip install --quiet --disable-pip-version-check "torch==$torch_version" numpy
}

# need_wheels NAME OTHERWISE WHEEL...: puts wheels into .cache/NAME, unless the wheels are
# there. If a download fails, prints OTHERWISE, which names the consequence. The status is 1
# if the wheels were there already, else 0.
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

# Headers of CUDA that no installed toolkit has: wheels of some 14 MB.
need_cuda_headers() {
  need_wheels cuda "The headers of CUDA cannot be had: its driver is not recorded" \
    nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88 nvidia-cuda-cupti==13.0.85 \
    nvidia-nvml-dev==13.0.87 || true
}

# Packages for tests: greenlet, and a reader of SARIF. Wheels of some 2 MB.
need_test_wheels() {
  need_wheels packages "greenlet and sarif-tools cannot be had: their tests are left out" \
    greenlet==3.5.6 sarif-tools==3.0.5 jsonpath-ng ply pyyaml || true
}

# pytest with plugins, for the tests of memkit's plugin: wheels of some 3 MB.
need_pytest() {
  need_wheels pytest "pytest cannot be had: the tests of its plugin are left out" \
    pytest==9.2.0 iniconfig pluggy pygments packaging pytest-xdist==3.8.0 execnet pytest-asyncio==1.5.0 \
    typing_extensions || true
}

# The SDK of the Model Context Protocol, a client for tests: wheels of some 12 MB.
need_mcp() {
  need_wheels mcp "The SDK of the Model Context Protocol cannot be had: its test is left out" mcp==2.3.0 \
    mcp-types==2.3.0 anyio==4.16.0 annotated-types==0.8.0 attrs==26.1.0 cffi==2.1.1 click==8.5.1 \
    cryptography==50.0.2 h11==0.16.0 httpcore2==2.16.2 httpx2==2.16.2 idna==3.20 jsonschema==4.26.0 \
    jsonschema-specifications==2025.9.1 opentelemetry-api==1.45.2 pycparser==3.12 pydantic==2.14.4 \
    pydantic_core==2.50.5 PyJWT==2.15.1 python-multipart==0.0.34 referencing==0.37.0 rpds-py==2026.9.1 \
    sse-starlette==3.7.0 starlette==1.10.0 truststore==0.10.5 typing_extensions==4.16.0 \
    typing-inspection==0.4.5 uvicorn==0.54.0 || true
}

# TensorBoard, which reads and writes its event files: wheels of some 8 MB.
need_tensorboard() {
  need_wheels tensorboard "TensorBoard cannot be had: its test is left out" tensorboard==2.21.0 protobuf==7.36.2 \
    absl-py==2.5.1 packaging==26.4 || true
}

# memray and its dependencies, for a test that records with both: wheels of some 14 MB.
need_memray() {
  need_wheels memray "memray cannot be had: its test is left out" "memray==$memray_version" \
    rich==15.0.0 Pygments==2.21.0 markdown-it-py==4.3.0 mdurl==0.1.2 textual==8.2.8 \
    platformdirs==4.14.7 linkify-it-py==2.2.0 mdit-py-plugins==0.7.0 uc-micro-py \
    jinja2 markupsafe typing_extensions || true
}

# Third-party programs that tests record: servers of Debian, and wheels of some 5 MB.
need_programs() {
  need_packages redis-server postgresql
  need_wheels web "gunicorn, Flask and pytest cannot be had: their tests are left out" \
    gunicorn==23.0.0 flask==3.1.2 werkzeug==3.1.3 jinja2 markupsafe click itsdangerous blinker packaging \
    pytest==9.2.0 iniconfig pluggy pygments || true
}

# A Debian 11 with Python in .cache/debian11, to run what promises to run with its glibc: 60 MB to
# fetch. Only as root. The status is 1 if there is none.
need_debian11() {
  local folder=$root/.cache/debian11 mirror
  [ ! -e "$folder/installed" ] || return 0
  [ "$(id -u)" = 0 ] && [ $no_install = 0 ] || return 1
  need_packages debootstrap
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -m 1 -v security) || return 1
  say "Fetching Debian 11 into .cache/debian11"
  rm -rf "$folder"
  debootstrap --variant=minbase --include=python3 bullseye "$folder" "$mirror" >/dev/null || return 1
  touch "$folder/installed"
}

# The recorders that utils/bench compares with memkit, and the programs of its workloads. memray
# is installed only into .venv, never into the user's Python.
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

# Readers that check the output of memflame and memdump in tests: the message classes of
# Perfetto, DuckDB, pandas, polars, pyarrow; and mypy. Wheels of some 170 MB.
need_readers() {
  need_wheels readers "Readers of the formats cannot be had: their tests are left out" \
    perfetto==0.59.1 protobuf==7.36.2 duckdb==2.0.0 pandas==3.1.1 python-dateutil six tzdata \
    pyarrow==26.0.1 polars==2.1.0 polars-runtime-32==2.1.0 unicorn==2.1.4 \
    mypy==2.4.1 mypy_extensions pathspec typing_extensions librt ast_serialize || true
  # Apart, because it has a compiler of its own in the process: LLVM, as memkit has.
  need_wheels numba "numba cannot be had: its test is left out" numba==0.68.1 llvmlite==0.50.0 || true
}

# Dask, on whose processes memkit.job merges traces: wheels of some 4 MB.
need_dask() {
  need_wheels dask "Dask cannot be had: its test is left out" \
    dask==2026.8.0 distributed==2026.8.0 click==8.5.1 cloudpickle==3.1.3 fsspec==2026.9.0 \
    importlib_metadata==10.2.0 jinja2==3.1.6 lazy-importer==0.1.0 locket==1.0.0 markupsafe==3.0.4 \
    msgpack==1.2.4 packaging==26.4 partd==1.4.2 psutil==7.2.2 pyyaml==6.0.4 sortedcontainers==2.4.0 \
    tblib==3.2.2 toolz==1.2.0 tornado==6.6.1 zict==3.0.0 zipp==4.1.2 || true
}

# Spark, with Debian's Java: 460 MB to fetch, so only on request.
need_spark() {
  need_packages openjdk-17-jre-headless
  need_wheels spark "Spark cannot be had: its test is left out" pyspark==4.3.0 py4j==0.10.9.9 || true
}

# JAX for the CPU: wheels of some 140 MB, so only on request.
need_jax() {
  need_wheels jax "JAX cannot be had: its tests are left out" \
    jax==0.10.2 jaxlib==0.10.2 ml_dtypes==0.6.0 opt_einsum==3.4.0 scipy==1.17.1 || true
}

# need_environment NAME VERSION WHEEL...: an environment of Python VERSION in .cache/NAME with wheels
# and their dependencies, for a package that has wheels for some versions only.
need_environment() {
  local folder=$root/.cache/$1 version=$2 base
  shift 2
  [ "$(cat "$folder/installed" 2>/dev/null)" != "$*" ] || return 0
  [ $no_install = 0 ] || die "not installed: $*, in $folder"
  base=$(ls -d "${MEMKIT_PYTHONS:-$HOME/.pyenv/versions}"/"$version".*/bin/python3 2>/dev/null | head -n 1)
  base=${base:-$(command -v "python$version" || true)}
  if [ -z "$base" ]; then
    say "No Python $version: the tests of $* are left out"
    return 0
  fi
  say "Installing $* into ${folder#"$root/"}"
  rm -rf "$folder"
  if "$base" -m venv "$folder" &&
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; then
    echo "$*" >"$folder/installed"
  else
    say "$* cannot be had: its tests are left out"
  fi
}

# TensorFlow, the oldest and the newest version that was tried: 1.3 GB to fetch, so only on request.
need_tensorflow() {
  need_environment tensorflow-2.16 3.11 tensorflow-cpu==2.16.2
  need_environment tensorflow-2.21 3.12 tensorflow-cpu==2.21.0
}

# pprof, in .cache/pprof: the only program of Debian's Go that tests run (10 MB; Go is 63 MB to
# fetch and 265 MB installed). pprof runs without the remainder.
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

# In .cache/cuda-allocator: the two libraries of the CUDA allocator from PyTorch's build with
# CUDA, and their headers. The wheel is fetched once and not kept.
need_cuda_allocator() {
  local folder=$root/.cache/cuda-allocator
  if [ -e "$folder/$torch_version" ]; then return; fi
  [ $no_install = 0 ] || die "not fetched: PyTorch's build with CUDA, for its allocator"
  say "Fetching PyTorch $torch_version with CUDA for its allocator: 505 MiB, of which 10 MiB are kept"
  rm -rf "$folder" && mkdir -p "$folder/wheels"
  local download=("$python" -m pip download --quiet --disable-pip-version-check --no-deps
    --dest "$folder/wheels")
  # `===`: exactly the build of the package index, no other build of the version.
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
  say "Installing speedscope, profiler-cli and playwright-core into .cache/npm"
  mkdir -p "$folder"
  for file in package.json package-lock.json; do
    cp "$root/utils/browser/$file" "$folder/$file"
  done
  (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  touch "$folder/installed"
}

# A plan changes no file: what the program writes, moves and removes is there for the plan alone.
#
# REQUIRES: python, torch
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%obj_root/share/memkit/python %python %s %t | FileCheck %s
# CHECK: the step's files were written to a temporary folder and removed: best.json, log.txt, old/three and [[#]] more
# CHECK: files.py:[[#]]: the step raised FileNotFoundError: [Errno 2] No such file or directory: 'no/such.txt'
# CHECK-NEXT: {{^}}  note      the step's files were written to a temporary folder and removed: log.txt
import bz2
import glob
import json
import os
import pathlib
import pickle
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile

import torch

import memkit

os.chdir(sys.argv[1])
Path = pathlib.Path
model = torch.nn.Linear(8, 8)
for name in ("best.json", "log.txt", "old/one", "old/two", "keep/one", "names.txt", "data/x.txt"):
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(f"real {name}")
os.symlink("data", "link")
os.mkfifo("pipe")


def on_disk():
    found = {}
    for folder, folders, files in os.walk("."):
        for name in folders + files:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            text = Path(path).read_text() if os.path.isfile(path) else None
            found[path] = status.st_ino, text and status.st_mtime_ns, status.st_mode, text
    return found


def missing(path):
    try:
        open(path)
    except FileNotFoundError as error:
        return error.filename == path and not os.path.exists(path) and not os.path.lexists(path)
    return False


def extension_removes(path):
    subprocess.run(["rm", path], check=True)


def changes():
    model(torch.ones(2, 8)).sum().backward()
    # Written, and read again.
    os.makedirs("new/deep")
    with open("new/deep/a.json", "w") as file:
        json.dump({"a": 1}, file)
        assert file.name == "new/deep/a.json"
    assert json.load(open("new/deep/a.json")) == {"a": 1} and os.listdir("new") == ["deep"]
    assert Path("best.json").read_text() == "real best.json"
    Path("best.json").write_text("1.0")
    assert Path("best.json").read_text() == "1.0" and os.path.getsize("best.json") == 3
    # A folder of the plan's, and a file that an extension finds there; it goes with the connection.
    database = sqlite3.connect("new/x.db")
    database.execute("create table x (y)")
    database.close()
    assert "x.db" in os.listdir("new")
    extension_removes("new/x.db")
    # Appended, and changed in the middle.
    with open("log.txt", "a") as file:
        file.write(" and more")
    with open(b"log.txt", "r+b") as file:
        file.write(b"REAL")
    assert Path("log.txt").read_text() == "REAL log.txt and more"
    # Removed: files, folders, and files made anew in their place.
    os.remove("names.txt")
    assert missing("names.txt") and "names.txt" not in os.listdir() and not glob.glob("name*")
    shutil.rmtree("old")
    assert missing("old/one") and not os.path.isdir("old")
    os.mkdir("old")
    assert os.listdir("old") == [] and missing("old/one")
    Path("old/three").touch()
    assert [entry.name for entry in os.scandir("old")] == ["three"]
    assert sorted(os.listdir(b".")) == sorted(map(os.fsencode, os.listdir(".")))
    try:
        os.rmdir("keep")
        raise AssertionError("not empty")
    except OSError:
        pass
    # Moved: a file over another, a folder, a temporary file into its place.
    os.replace("new/deep/a.json", "keep/one")
    assert json.load(open("keep/one")) == {"a": 1} and missing("new/deep/a.json")
    os.rename("keep", "kept")
    assert os.listdir("kept") == ["one"] and missing("keep/one")
    with tempfile.NamedTemporaryFile("w", delete=False) as file:
        file.write("temporary")
    shutil.move(file.name, "moved.txt")
    assert Path("moved.txt").read_text() == "temporary"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "x").touch()
    # Links of the program's and of the plan's own.
    Path("link/x.txt").write_text("by a link")
    assert Path("data/x.txt").read_text() == "by a link"
    os.symlink("kept", "latest")
    assert json.load(open("latest/one")) == {"a": 1} and os.path.realpath("latest/one") == os.path.abspath("kept/one")
    # Modules that hold a function of files under a name of their own.
    shutil.copytree("kept", "copied")
    with bz2.open("x.bz2", "wt") as file:
        file.write("x")
    with tarfile.open("x.tar", "w") as file:
        file.add("kept")
    assert tarfile.open("x.tar").getnames() == ["kept", "kept/one"] and bz2.open("x.bz2", "rt").read() == "x"
    assert sorted(str(one) for one in Path(".").glob("*/one")) == ["copied/one", "kept/one", "latest/one"]
    # Folders.
    os.chdir("kept")
    assert os.getcwd().endswith("kept") and Path("one").exists() and Path("../moved.txt").exists()
    os.chdir("..")
    # What is no file.
    open("/dev/null", "w").write("x")
    with os.fdopen(os.open("pipe", os.O_RDWR), "r+b", 0) as file:
        file.write(b"x")
        assert file.read(1) == b"x"
    # What PyTorch and pickle keep of tensors: shapes and types.
    torch.save({"model": model.state_dict(), "step": 3}, "ckpt.pt")
    found = torch.load("ckpt.pt")
    assert found["step"] == 3 and found["model"]["weight"].shape == (8, 8)
    model.load_state_dict(found["model"])
    with open("ckpt.pkl", "wb") as file:
        pickle.dump({"loss": model(torch.ones(2, 8)).sum(), "labels": torch.arange(3)}, file)
    with open("ckpt.pkl", "rb") as file:
        found = pickle.load(file)
    assert found["loss"].shape == () and found["labels"].tolist() == [0, 1, 2]


def fails():
    model(torch.ones(2, 8))
    open("log.txt", "w").close()
    open("no/such.txt", "w")


before, functions = on_disk(), (open, os.open, os.stat, shutil.copyfile)
print(*memkit.predict(changes, steps=1, device="1GiB", path=os.path.abspath("plan.fb")).notes)
os.unlink("plan.fb")
assert on_disk() == before, [set(before.items()) ^ set(on_disk().items())]
try:
    memkit.predict(fails)
except memkit.PredictionError as error:
    print(error)
assert on_disk() == before and functions == (open, os.open, os.stat, shutil.copyfile)


# A real checkpoint is read as before.
def resumes():
    state = torch.load("real.pt")
    model(torch.ones(2, 8)).sum().backward()
    assert state["weight"].shape == (2,)


torch.save({"weight": torch.ones(2)}, "real.pt")
memkit.predict(resumes, path="plan.fb")

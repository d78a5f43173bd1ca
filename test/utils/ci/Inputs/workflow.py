# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and runs what tells GitHub and GitLab to call utils/ci/ci-memory.sh.

    workflow.py check SOURCE_TREE
    workflow.py action FOLDER EVENT NAME=VALUE...
    workflow.py gitlab FILE JOB

check prints a line for each mistake: a step that the script does not have, a file, an input, a job
or a step's id that is not there, an expression in a command. action runs the steps of an action as
GitHub does for EVENT: `if`, inputs, outputs and variables. $CACHE is the folder of the cache, and
other actions are printed. gitlab runs the lines of a job with those of after_script."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
TOKEN = re.compile(r"'[^']*'|[a-z]+\(\)|[a-z][\w.-]*|&&|\|\||[=!]=|[!()]")
KEYS = {"name", "id", "if", "uses", "with", "run", "shell", "env", "continue-on-error"}
WORDS = {"&&": " and ", "||": " or ", "!": " not "}


def steps_of_script(root):
    text = (root / "utils/ci/ci-memory.sh").read_text(encoding="utf-8")
    return re.search(r"^(\w+(?: \| \w+)+)\)$", text, re.M)[1].split(" | "), text


class Checker:
    """Collects the mistakes of all files."""

    def __init__(self, root):
        self.root, self.found, self.calls = root, [], 0
        self.steps, self.script = steps_of_script(root)
        self.action = self.load(".github/actions/memory/action.yml")

    def load(self, path):
        self.path = path
        return yaml.safe_load((self.root / path).read_text(encoding="utf-8"))

    def expect(self, holds, what):
        if not holds:
            self.found.append(f"{self.path}: {what}")

    def check_command(self, command, folder):
        """The files and steps that a command names, its syntax and its expressions."""
        self.expect("${{" not in command, f"an expression in the command {command}")
        valid = subprocess.run(["sh", "-n", "-c", command], capture_output=True, check=False).returncode == 0
        self.expect(valid, f"no command of sh: {command}")
        for script, step in re.findall(r"(\S*ci-memory\.sh)\"? (\w+)", command):
            self.calls += 1
            self.expect(step in self.steps, f"ci-memory.sh has no step {step}")
            path = script.strip("\"").replace("$GITHUB_ACTION_PATH", str(folder))
            self.expect(os.access(folder / path, os.X_OK), f"no program {script}")
        for program in re.findall(r"(?:^|[ ;])(utils/\w+)", command):
            self.expect(os.access(self.root / program, os.X_OK), f"no program {program}")

    def check_variables(self, names):
        for name in names:
            if name.startswith(("MEMORY_", "MEMKIT_", "PULL_", "GH_")):
                self.expect(f"${{{name}:" in self.script or f"${name}" in self.script,
                            f"ci-memory.sh reads no {name}")

    def check_action(self):
        self.path, ids = ".github/actions/memory/action.yml", set()
        text = (self.root / self.path).read_text(encoding="utf-8")
        for step in self.action["runs"]["steps"]:
            self.expect(set(step) <= KEYS, f"{step['name']}: no such key: {set(step) - KEYS}")
            if "run" in step:
                self.expect("shell" in step, f"{step['name']}: no shell")
                self.check_command(step["run"], (self.root / self.path).parent)
            for name in re.findall(r"steps\.(\w+)\.", str(step)):
                self.expect(name in ids, f"{step['name']}: no step {name} before it")
            self.check_variables(step.get("env", {}))
            ids.add(step.get("id"))
        self.check_references(text, ids)

    def check_references(self, text, ids):
        declared, used = set(self.action["inputs"]), set(re.findall(r"inputs\.([\w-]+)", text))
        for name in sorted(declared ^ used):
            self.expect(False, f"the input {name} is not {'used' if name in declared else 'declared'}")
        for name, output in self.action["outputs"].items():
            for step in re.findall(r"steps\.(\w+)\.outputs\.", output["value"]):
                self.expect(step in ids, f"output {name}: no step {step}")
            self.expect(f"output {name} " in self.script, f"ci-memory.sh gives no {name}")

    def check_workflow(self, path):
        workflow = self.load(path)
        for name, job in workflow["jobs"].items():
            needs = job.get("needs", [])
            for other in [needs] if isinstance(needs, str) else needs:
                self.expect(other in workflow["jobs"], f"{name} needs no job: {other}")
            for step in job["steps"]:
                self.check_step(step)

    def check_step(self, step):
        self.expect(("run" in step) != ("uses" in step), f"neither run nor uses: {step}")
        if "run" in step:
            self.check_command(step["run"], self.root)
        match = re.match(r"[\w-]+/memkit/(.*)@", step.get("uses", ""))
        if match:
            self.calls += 1
            self.expect((self.root / match[1] / "action.yml").exists(), f"no action {match[1]}")
            given = set(step["with"])
            self.expect(given <= set(self.action["inputs"]), f"no such input: {given}")
            self.expect({name for name, of in self.action["inputs"].items() if of.get("required")} <= given,
                        f"a required input is missing: {given}")

    def check_gitlab(self, path, jobs):
        self.path = path
        for name, job in jobs.items():
            self.expect(job.get("extends", ".memory") in jobs, f"{name} extends no job")
            for command in job.get("script", []) + job.get("after_script", []):
                self.check_command(command, self.root / "utils/ci")
            self.check_variables(job.get("variables", {}))
            paths = job.get("artifacts", {}).get("paths", []) + job.get("cache", {}).get("paths", [])
            for file in paths + list(job.get("artifacts", {}).get("reports", {}).values()):
                self.expect(file.replace("ci-memory", "$folder", 1) in self.script, f"ci-memory.sh writes no {file}")

    def check_page(self, path):
        """The blocks of YAML on a page: workflows, and what includes the template."""
        self.path, kinds = path, set()
        text = (self.root / path).read_text(encoding="utf-8")
        for block in re.findall(r"^```yaml\n(.*?)^```$", text, re.M | re.S):
            data = yaml.safe_load(block)
            kinds.add("jobs" if "jobs" in data else "include")
            for job in data.get("jobs", {}).values():
                for step in job["steps"]:
                    self.check_step(step)
            for include in data.get("include", []):
                self.expect((self.root / "utils/ci" / include["local"]).exists(), f"no {include['local']}")
            self.check_variables(data.get("variables", {}))
        self.expect(kinds == {"jobs", "include"}, "no workflow, or no part of .gitlab-ci.yml")


def check(root):
    checker = Checker(root)
    checker.check_action()
    for path in sorted((root / ".github/workflows").glob("*.yml")):
        checker.check_workflow(str(path.relative_to(root)))
    template = "utils/ci/memory.gitlab-ci.yml"
    checker.check_gitlab(template, checker.load(template))
    checker.check_page("docs/HowTo/CompareInCI.md")
    print("".join(f"{what}\n" for what in checker.found), end="")
    print(f"{checker.calls} calls, {len(checker.found)} mistakes")
    return 1 if checker.found else 0


class Job:
    """A job on GitHub, in the current folder."""

    def __init__(self, folder, event, values):
        self.folder, self.failed = Path(folder), False
        self.action = yaml.safe_load((self.folder / "action.yml").read_text(encoding="utf-8"))
        self.context = {"github.event_name": event, "github.ref_name": "main", "github.sha": "0c1f2a7",
                        "github.token": "secret", **values}
        for name, declared in self.action["inputs"].items():
            given = self.context.setdefault(f"inputs.{name}", str(declared.get("default", "")))
            self.context[f"inputs.{name}"] = self.fill(given)

    def evaluate(self, expression):
        text = ""
        for token in TOKEN.findall(expression):
            if token.endswith("()"):
                text += {"cancelled()": "False", "success()": str(not self.failed)}[token]
            elif re.match(r"[a-z]", token):
                text += repr(self.context.get(token, ""))
            else:
                text += WORDS.get(token, token)
        return eval(text)  # pylint: disable=eval-used

    def fill(self, text):
        return EXPRESSION.sub(lambda match: str(self.evaluate(match[1])), text)

    def runs(self, step):
        condition = EXPRESSION.sub(r"\1", step.get("if", "success()"))
        if not re.search(r"cancelled\(\)|success\(\)", condition):
            condition = f"success() && {condition}"
        return self.evaluate(condition)

    def run_command(self, step):
        with tempfile.NamedTemporaryFile("r") as outputs:
            variables = {name: self.fill(value) for name, value in step.get("env", {}).items()}
            status = subprocess.run(["sh", "-e", "-c", step["run"]], check=False, env={
                **os.environ, "GITHUB_ACTION_PATH": str(self.folder), "GITHUB_OUTPUT": outputs.name,
                **variables}).returncode
            for line in outputs.read().splitlines():
                name, _, value = line.partition("=")
                self.context[f"steps.{step.get('id')}.outputs.{name}"] = value
        return status

    def call(self, uses, given):
        """Another action: the cache is a folder, the rest is printed."""
        match = re.match(r"actions/cache/(\w+)@", uses)
        if not match:
            print(f"  {uses.split('@')[0]}", *(line for value in given.values() for line in value.split()))
            return
        cache = Path(os.environ["CACHE"])
        for path in given["path"].split():
            if match[1] == "save":
                copy(Path(path), cache / given["key"] / path)
                continue
            saved = sorted(cache.glob(given["restore-keys"] + "*"), key=os.path.getmtime)
            if saved:
                copy(saved[-1] / path, Path(path))

    def run(self):
        for step in self.action["runs"]["steps"]:
            if not self.runs(step):
                continue
            status = 0
            print(f"{step['name']}", flush=True)
            if "run" in step:
                status = self.run_command(step)
            else:
                self.call(step["uses"], {name: self.fill(value) for name, value in step["with"].items()})
            if status:
                print(f"  status {status}")
                self.failed = True
        for name, output in self.action["outputs"].items():
            print(f"{name}={self.fill(output['value'])}")
        return 1 if self.failed else 0


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    elif source.exists():
        shutil.copy(source, target)


def run_gitlab(path, name):
    """Both parts of a job, each in a shell of its own. The status is that of the first."""
    job = yaml.safe_load(Path(path).read_text(encoding="utf-8"))[name]
    status, *_ = [subprocess.run(["bash", "-eo", "pipefail", "-c", "\n".join(job[part])], check=False).returncode
                  for part in ("script", "after_script") if part in job]
    return status


def main(command, *arguments):
    if command == "check":
        return check(Path(arguments[0]))
    if command == "gitlab":
        return run_gitlab(*arguments)
    folder, event, *values = arguments
    return Job(folder, event, dict(value.split("=", 1) for value in values)).run()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

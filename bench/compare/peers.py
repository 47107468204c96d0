"""Contenders: executables that speak the protocol of README.md, what they say of themselves, and one run of one."""

import json
import os
import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Contender:
    """One code in one precision. `settings` go from cheap and coarse to dear and accurate."""

    executable: Path
    code: str
    version: str
    settings: list[str]
    setting_is: str  # "degree", "order", "tolerance"
    leaves: list[int]  # leaf sizes to try, the middle one first; [0]: the code chooses
    outputs: str
    precision: str
    modes: list[str] = field(default_factory=lambda: ["error", "tolerance"])
    floor: float = 0.0  # errors below this are not tried
    uses_aim: bool = False  # is told the error aimed at beside its setting
    ours: bool = False
    tasks: list[str] = field(default_factory=lambda: ["gradient"])  # of clouds.TASKS

    @property
    def middle(self) -> int:
        return self.leaves[len(self.leaves) // 2]

    def job(self, setting: str, leaf: int, aim: float):
        return setting, leaf, aim if self.uses_aim else None

    def setting_for(self, asked: float) -> str | None:
        """The setting that means this tolerance, for codes that are told one."""
        return next((s for s in self.settings if abs(float(s) / asked - 1) < 1e-6), None)


def _one(executable: Path, said: dict) -> Contender:
    settings = said["settings"]
    if isinstance(settings, dict):
        settings = [str(s) for s in range(settings["from"], settings["to"] + 1)]
    known = {k: said[k] for k in ("modes", "floor", "uses_aim", "ours", "tasks") if k in said}
    return Contender(executable.resolve(), said["code"], said["version"], settings, said["setting_is"], said["leaves"],
                     said["outputs"], said["precision"], **known)  # fmt: skip


def describe(executable: Path) -> list[Contender]:
    text = subprocess.run([executable, "--describe"], capture_output=True, text=True, check=True, timeout=30).stdout
    said = json.loads(text)
    return [_one(executable, entry) for entry in (said if isinstance(said, list) else [said])]


def find(folder: Path | None, farfield: Path) -> list[Contender]:
    """All contenders: Farfield, and every executable of `folder`, by name."""
    found = describe(farfield)
    for path in sorted(folder.iterdir()) if folder else []:
        if path.is_file() and os.access(path, os.X_OK):
            found += describe(path)
    return found


@dataclass
class Runner:
    """How processes are run: threads, a command in front of each (a lock, taskset), and a limit in seconds."""

    threads: int
    under: str
    under_search: str
    limit: int
    scratch: Path

    def probe(self, contender, cloud, job) -> dict:
        """One first call, with errors measured here; its time is not one to compare, and other programs may run, so the
        limit is three times that of what is timed. Or {"failed": why}."""
        output = self.scratch / "results.bin"
        (result,) = self._run(self.under_search, contender, cloud, [job], 0, output, 3 * self.limit)
        if "failed" not in result:
            result |= cloud.errors(output)
            output.unlink()
        return result

    def time(self, contender, cloud, jobs, repeat) -> list[dict]:
        """One process that runs `jobs`, each warmed up if `repeat` is not 0; ends with the first that fails."""
        return self._run(self.under, contender, cloud, jobs, repeat, None, self.limit)

    def _run(self, under, contender, cloud, jobs, repeat, output, limit):
        """A job is (setting, leaf size, aim), the aim None for codes that are not told it."""
        home = self.scratch / "operators" / cloud.name  # some codes keep operators per box size where they run
        home.mkdir(parents=True, exist_ok=True)
        command = shlex.split(under) + ["timeout", str(limit), str(contender.executable)]
        values = {"code": contender.code, "input": cloud.path, "n": cloud.n, "threads": self.threads, "repeat": repeat,
                  "jobs": ",".join("/".join(str(w) for w in job if w is not None) for job in jobs)}  # fmt: skip
        if cloud.task != "gradient":
            values["task"] = cloud.task
        if output:
            values["output"] = output
        for name, value in values.items():
            command += ["--" + name, str(value)]
        environment = dict(os.environ, OMP_NUM_THREADS=str(self.threads), OPENBLAS_NUM_THREADS=str(self.threads))
        done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True)
        results = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"setting"')]
        if done.returncode == 124:
            why = f"longer than {limit} s"
        else:
            why = f"exit status {done.returncode}: {done.stderr.strip()[-200:]}"
        return results if len(results) == len(jobs) else results + [{"failed": why}]

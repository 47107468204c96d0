"""Runs already made, kept in a JSON file that is rewritten after each: a comparison goes on where it was stopped."""

import json
import os
from pathlib import Path
from statistics import median


class Store:
    def __init__(self, path: Path):
        self.path = path
        self.data = json.loads(path.read_text()) if path.exists() else {"codes": {}, "runs": []}
        self.runs = self.data["runs"]

    def find(self, **key) -> list[dict]:
        key = {"task": None, **key}  # runs of task gradient have none
        return [r for r in self.runs if all(r.get(k) == v for k, v in key.items())]

    def add(self, key: dict, result: dict):
        self.runs.append({**key, **result})
        self.save()

    def save(self):
        partial = self.path.with_suffix(".partial")
        partial.write_text(json.dumps(self.data, indent=1) + "\n")
        os.replace(partial, self.path)


def summary(runs: list[dict]) -> dict:
    """Of all runs of one setting: medians of the timed evaluations; of first calls the dearest set-up."""
    good = [r for r in runs if "failed" not in r]
    if not good:
        return {"failed": runs[0]["failed"]} if runs else {}
    timed = [r for r in good if not r["probe"]]
    measured = [r for r in good if "error_gradient" in r] or [{}]
    calls = [r["first_s"] - r["setup_s"] for r in timed or good]
    warm = [t for r in timed for t in r["evaluate_s"]]
    setup = max(r["setup_s"] for r in good)
    return {
        "evaluate": median(warm or calls),
        "runs": len(timed),
        "warm": bool(warm),
        "setup": setup,
        "first": setup + median(calls),
        "error_potential": measured[0].get("error_potential"),
        "error_gradient": measured[0].get("error_gradient"),
        "error_hessian": measured[0].get("error_hessian"),
        "peak_mb": min(r["peak_mb"] for r in good),  # a process with several jobs tells the peak of all before
        "stages": (timed or good)[-1].get("stages", {}),
        "note": good[-1].get("note", ""),
    }

"""What a plan decided and did, as attributes, as a dictionary, and to look at."""

from __future__ import annotations

import html
from typing import Any

from . import _core

_parts = {"stages": _core.StageReport, "choices": _core.Choice, "ranks": _core.RankReport}


def _as_dict(part: Any) -> dict[str, Any]:
    return {name: getattr(part, name) for name in part.fields()}


def _filled(part: Any, values: dict[str, Any]) -> Any:
    for name, value in values.items():
        setattr(part, name, value)
    return part


def _again(values: dict[str, Any]) -> Report:
    """A report from its dictionary: for pickle and copy."""
    made = dict(values)
    for name, kind in _parts.items():
        made[name] = [_filled(kind(), part) for part in made[name]]
    if made["error"] is not None:
        made["error"] = _filled(_core.ErrorReport(), made["error"])
    report = Report()
    report.copies, report.ranks = made.pop("copies"), tuple(made.pop("ranks"))
    return _filled(report, made)  # type: ignore[no-any-return]


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"


class Report(_core.Report):
    """Of the last build and evaluation of a plan; the attributes are those of farfield::Report."""

    #: a line for each array that had to be copied on its way in, of points and strengths
    copies: tuple[str, ...] = ()
    #: what each rank of a plan over several devices held and did in the last evaluation; empty of other plans
    ranks: tuple[_core.RankReport, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, words, lists and dictionaries, as for json.dumps."""
        values = _as_dict(self)
        for name in _parts:
            values[name] = [_as_dict(part) for part in getattr(self, name)]
        values["cell"] = list(values["cell"])
        if self.error is not None:
            values["error"] = _as_dict(self.error)
        values["copies"] = list(self.copies)
        return values

    def lines(self) -> list[tuple[str, str]]:
        """What a reader asks first, as pairs of word and text."""
        lines = [
            ("sum", f"{self.kernel}, {_number(self.sources)} sources, {_number(self.targets)} targets"),
            ("asked", f"relative error {self.tolerance:g}" + (" of the gradient" if self.tolerance_for == "gradient" else "")),
            ("method", f"{self.method} on {self.backend}, {self.precision}, {self.simd or self.device}, "
                       f"{self.threads} threads"),
        ]
        if self.ranks and self.vectors:
            owned = [rank.owned for rank in self.ranks]
            lines.append(("ranks", f"{len(owned)}, which sum at {_number(min(owned))} to {_number(max(owned))} targets"))
        if self.boxes:
            lines.append(("tree", f"{self.levels} levels, {_number(self.boxes)} boxes, {_number(self.leaves)} leaves, "
                                  f"degree {self.degree}"))
        if self.vectors:
            lines.append(("time", f"{self.build_seconds:.3g} s to build, {self.evaluate_seconds:.3g} s to evaluate"))
        else:
            lines.append(("time", f"{self.build_seconds:.3g} s to build"))
        lines.append(("memory", f"{self.memory_bytes / 2**20:.1f} MiB"))
        if self.error is not None:
            lines.append(("measured", f"{self.error.potential:.2g} (potential), {self.error.gradient:.2g} (gradient), "
                                      f"on {self.error.samples} targets"))
        lines += [("copied", line) for line in self.copies]
        lines += [("warning", line) for line in self.warnings]
        return lines

    def __repr__(self) -> str:
        return "farfield.Report\n" + "\n".join(f"  {word:9} {text}" for word, text in self.lines())

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(word)}</th>"
                       f"<td style='text-align:left'>{html.escape(text)}</td></tr>" for word, text in self.lines())
        stages = "".join(f"<tr><td style='text-align:left'>{html.escape(s.name)}</td><td>{s.seconds * 1e3:.3g} ms</td></tr>"
                         for s in self.stages)
        return f"<table>{rows}</table><details><summary>stages</summary><table>{stages}</table></details>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.to_dict(),)

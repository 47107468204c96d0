"""Reports: complete, readable, and plain."""
import json
import pathlib
import pickle
import re

import numpy as np
import pytest

import farfield as ff

header = pathlib.Path(__file__).parents[2] / "include/farfield/report.hpp"


@pytest.mark.parametrize("name", ["StageReport", "Choice", "ErrorReport", "Report"])
def test_every_member_of_the_header_is_there(name):
    body = re.search(r"struct (?:FARFIELD_API )?" + name + r" {\n(.*?)\n};", header.read_text(), re.S)[1]
    members = set()
    for line in body.splitlines():
        statement = re.sub(r"///.*", "", line).strip()
        if statement.endswith(";") and "(" not in statement:
            declared = re.sub(r"^[\w:]+(<[\w:]+>)? ", "", statement[:-1])
            members |= {re.match(r"\w+", part.strip())[0] for part in declared.split(",")}
    assert len(members) > 2
    assert members == set(getattr(ff._core, name).fields())


def test_report(points, charges):
    result = ff.Plan(points, gradient=True, check=100, seed=5).evaluate(charges.astype(">f8"))
    report = result.report
    assert (report.sources, report.tolerance, report.error.samples, report.error.seed) == (600, 1e-6, 100, 5)
    values = json.loads(json.dumps(report.to_dict()))
    assert values["error"]["potential"] == report.error.potential < 1e-6
    assert values["stages"][0]["name"] and values["choices"][0]["reason"]
    assert values["copies"] == ["strengths: >f8 made float64"] == list(report.copies)
    for text in (repr(report), report._repr_html_(), repr(result)):
        assert "laplace3d, 600 sources" in text and "strengths: &gt;f8 made" in text.replace(">f8", "&gt;f8")
    assert pickle.loads(pickle.dumps(report)).to_dict() == report.to_dict()


def test_a_plan_has_a_report_before_it_is_evaluated():
    report = ff.Plan(np.random.default_rng(1).random((5000, 3)), method="fmm").report
    assert report.boxes > 8 and "levels" in repr(report)
    assert report.version == ff.__version__

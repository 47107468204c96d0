"""Every block of Python in the documentation, one after another, as a reader would type them."""
import pathlib
import re
import subprocess
import sys

import pytest

root = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["docs/python.md", "docs/autograd.md", "README.md"])
def test_page(page, tmp_path):
    if "autograd" in page:
        pytest.importorskip("jax", reason="jax is not installed")
    blocks = re.findall(r"```python\n(.*?)```", (root / page).read_text(), re.S)
    assert blocks
    program = tmp_path / "page.py"
    program.write_text("\n".join(blocks))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert any(line in done.stdout for line in ("\n3 source 41: coordinate y is nan", "misfit", "potential -1.666667"))

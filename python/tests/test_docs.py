"""Every block of Python in the documentation, one after another, as a reader would type them."""
import pathlib
import re
import subprocess
import sys

import pytest

root = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_page(page, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (root / page).read_text(), re.S)
    assert blocks
    program = tmp_path / "page.py"
    program.write_text("\n".join(blocks))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "\n3 source 41: coordinate y is nan" in done.stdout or "potential -1.666667" in done.stdout

"""write_options.py FOLDER_OF_CORE OUTPUT: the types of all options, from the list that _core was compiled with."""
import sys

sys.path.insert(0, sys.argv[1])
import _core  # noqa: E402

types = {"flag": "bool", "whole": "int", "count": "int", "seed": "int", "real": "float"}


def annotation(option: "_core.OptionInfo") -> str:
    if option.name == "softening":  # one length, or one for each point
        return "float | Any"
    if option.words:
        return "Literal[" + ", ".join(f'"{word}"' for word in option.words) + "]"
    return types[option.type]


lines = ["# Made from include/farfield/options_list.h.", "from typing import Any, Literal, TypedDict", "",
         "class SumOptions(TypedDict, total=False):"]
# bandwidth and periodic are arguments of densities; dipoles one of functions that take strengths, and an option of plans
of_density = ("bandwidth", "periodic")
lines += [f"    {o.name}: {annotation(o)}" for o in _core.options() if o.name not in (*of_density, "dipoles")]
lines += ["", "class DirectOptions(SumOptions, total=False):",
          *(f"    {o.name}: {annotation(o)}" for o in _core.options() if o.name in of_density), ""]
lines += ["class Options(DirectOptions, total=False):", "    dipoles: bool", ""]
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write("\n".join(lines))

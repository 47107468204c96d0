#!/usr/bin/env python3
"""Puts Farfield into a source tree of GROMACS 2026 as the force provider of its FMM interface.

    python3 hosts/gromacs/apply.py gromacs-2026.4

Copies our sources to src/gromacs/fmm and edits a line here and there in six files. Nothing is written unless every edit
finds its place; a second run only copies again. docs/hosts/gromacs.md says how to build.
"""
import shutil
import sys
from pathlib import Path

here = Path(__file__).resolve().parent

#: file, text that stands in it once, what replaces the text ({} is the text itself)
edits = [
    ("src/gromacs/fmm/CMakeLists.txt", "gmx_target_compile_options(fmm)", "include(farfield/farfield.cmake)\n{}"),
    ("src/gromacs/fmm/fmmforceprovider.h", "~FmmForceProvider();",
     "{}\n\nprivate:\n    std::shared_ptr<class FarfieldForces> farfield_;"),
    ("src/gromacs/fmm/fmmoptions.h", "FMSolvr,  //", "Farfield, //!< Farfield is active.\n    {}"),
    ("src/gromacs/fmm/fmmoptions.h", '"exafmm", "fmsolvr"', '"exafmm", "farfield", "fmsolvr"'),
    ("src/gromacs/fmm/fmm_mdpoptions.h", '#include "fmmoptions.h"', '#include "farfield/farfieldoptions.h"\n{}'),
    ("src/gromacs/fmm/fmm_mdpoptions.h", "ExaFmmOptions  exaFmmOptions_;", "FarfieldOptions farfieldOptions_;\n    {}"),
    ("src/gromacs/fmm/fmm_mdpoptions.cpp", "&exaFmmOptions_, ", "{}&farfieldOptions_, "),
    ("src/gromacs/fmm/fmm_mdpoptions.cpp", "exaFmmOptions_.initMdpOptionsFmm(",
     "farfieldOptions_.initMdpOptionsFmm(fmmSectionMdp);\n    {}"),
    ("src/gromacs/fmm/fmm_mdpoptions.cpp", "exaFmmOptions_.initMdpTransformFmm(",
     "farfieldOptions_.initMdpTransformFmm(rules);\n    {}"),
    ("src/gromacs/fmm/fmm_mdpoptions.cpp", "if (activeFmmBackend_ == ActiveFmmBackend::FMSolvr)\n",
     "if (activeFmmBackend_ == ActiveFmmBackend::Farfield)\n    {{\n"
     "        farfieldOptions_.buildMdpOutputFmm(builder);\n    }}\n    else {}"),
    ("src/gromacs/fmm/fmm_mdpoptions.cpp", "case ActiveFmmBackend::ExaFmm:",
     "case ActiveFmmBackend::Farfield: return FmmDirectProvider::Fmm;\n        {}"),
    ("src/gromacs/mdlib/forcerec.cpp", '#include "forcerec.h"', '{}\n\n#include "gromacs/fmm/farfield/farfieldinput.h"'),
    ("src/gromacs/mdlib/forcerec.cpp", 'GMX_RELEASE_ASSERT(false, "FMM is not yet supported by mdrun");',
     "gmx::checkFarfieldInput(inputrec);"),
]


def stop(sentence):
    sys.exit(f"apply.py: {sentence}")


def edited(name, source, anchor, replacement):
    count = source.count(anchor)
    if count != 1:
        stop(f"{name} has {count} times {anchor!r}, not once: this is not GROMACS 2026, or it was edited; nothing is written")
    return source.replace(anchor, replacement.format(anchor))


def edit_all(tree):
    """The new text of every file."""
    texts = {}
    for name, anchor, replacement in edits:
        source = texts[name] if name in texts else (tree / name).read_text()
        texts[name] = edited(name, source, anchor, replacement)
    return texts


def main(arguments):
    if len(arguments) != 1:
        stop("give one argument, the folder of GROMACS' sources")
    tree = Path(arguments[0])
    missing = [name for name in {name for name, _, _ in edits} if not (tree / name).is_file()]
    if missing:
        stop(f"{tree} has no {sorted(missing)[0]}; give the folder of the sources of GROMACS 2026 or later")
    fmm = tree / "src/gromacs/fmm"
    applied = "farfield_" in (fmm / "fmmforceprovider.h").read_text()
    for name, text in {} if applied else edit_all(tree).items():
        (tree / name).write_text(text)
    shutil.copytree(here / "src", fmm, dirs_exist_ok=True)
    print(f"{'copied' if applied else 'edited 6 files and copied'} Farfield's sources into {fmm}; build with "
          "-DGMX_USE_EXT_FMM=ON -DCMAKE_PREFIX_PATH=<Farfield's prefix>")


if __name__ == "__main__":
    main(sys.argv[1:])

"""summary.py RESULTS: failures and reasons of skips of pytest's JUnit file, then the counts; exit status 1 on failure."""
import sys
import xml.etree.ElementTree as xml
from collections import Counter

try:
    cases = list(xml.parse(sys.argv[1]).iter("testcase"))
except (OSError, xml.ParseError) as error:
    print(f"FAILED  python: pytest left no results ({error})")
    print("0 passed, 1 failed, 0 skipped")
    sys.exit(1)
counts = Counter()
for case in cases:
    name = f"python.{case.get('classname', '').rpartition('.')[2]}.{case.get('name')}"
    skipped = case.find("skipped")
    broken = case.find("failure") is not None or case.find("error") is not None
    counts["failed" if broken else "passed" if skipped is None else "skipped"] += 1
    if broken:
        print(f"FAILED  {name}")
    elif skipped is not None:
        print(f"skipped {name}: {skipped.get('message')}")
print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
sys.exit(counts["failed"] > 0 or counts["passed"] == 0)

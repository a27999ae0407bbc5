"""Print how many tests passed and failed, as the last line of scripts/test.sh; exit status 1 when any failed.

usage: count_tests.py CTEST_JUNIT_XML LIT_JSON
ctest counts the whole of lit as one test; its own results take that test's place.
"""
import json
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

junit, lit = map(Path, sys.argv[1:])
passed, failed, skipped = 0, [], []

lit_tests = json.loads(lit.read_text())["tests"] if lit.exists() else []
for test in lit_tests:
    if test["code"] in ("PASS", "FLAKYPASS", "XFAIL"):
        passed += 1
    elif test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
        skipped.append(test["name"])
    else:
        failed.append(test["name"])

for case in xml.parse(junit).getroot().iter("testcase") if junit.exists() else []:
    name, status = case.get("name"), case.get("status")
    excuse = case.find("skipped")
    if name == "lit" and (failed or (status == "run" and lit.exists())):
        continue
    if status == "run":
        passed += 1
    elif status == "disabled" or (excuse is not None and excuse.get("message", "").startswith("SKIP_")):
        skipped.append(name)
    else:
        failed.append(name)

if not junit.exists():
    failed.append("ctest left no results")
for name in skipped:
    print("skipped:", name)
for name in failed:
    print("failed: ", name)
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed else 0)

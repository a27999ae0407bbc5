"""lit + FileCheck over every stage that the command prints and every message that it gives.

A test is a .adj file with `// RUN:` lines, or a .test file with `# RUN:` lines. Substitutions: %adjoule the command,
%examples and %programs the folders of .adj files, %inputs the folder of generated .npy files, %python one with NumPy.
Everything by ctest; a single test from the root of the repository by
    /usr/lib/llvm-19/build/utils/lit/lit.py -v tests/lit/NAME.test        (-Dbuild=build/debug for another build)
"""
import os

import lit.formats

# Run on the source tree, lit reads this file first: take the paths from a build and come back.
if not hasattr(config, "adjoule_build"):
    root = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
    site = os.path.join(root, lit_config.params.get("build", "build/release"), "tests", "lit", "lit.site.cfg.py")
    if not os.path.exists(site):
        lit_config.fatal("no build at " + site + "; build first, or name one with -Dbuild=DIR")
    lit_config.load_config(config, site)
    raise SystemExit

config.name = "adjoule"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test", ".adj"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.adjoule_source, "tests", "lit")
config.test_exec_root = os.path.join(config.adjoule_build, "tests", "lit")

config.environment["XDG_CACHE_HOME"] = config.adjoule_cache
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["PATH"] = os.pathsep.join([config.llvm_tools, config.environment.get("PATH", "")])

config.substitutions += [
    ("%adjoule", os.path.join(config.adjoule_build, "bin", "adjoule")),
    ("%examples", os.path.join(config.adjoule_source, "examples")),
    ("%programs", os.path.join(config.adjoule_source, "tests", "programs")),
    ("%inputs", os.path.join(config.adjoule_build, "inputs")),
    ("%python", config.adjoule_python),
]

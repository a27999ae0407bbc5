"""Check that what a page says is so: its programs compile, and its commands print what the page shows.

usage: check_docs.py ADJOULE PAGE.md          (ADJOULE: the command that is tested)

A block ```adj is a complete program and must pass `adjoule check`; with a name behind it, ```adj ball.adj, it is also written
under that name for the commands of the page. A block ```adj fragment is left alone.
A block ```console holds commands, each after "$ " (a line that ends with \\ goes on in the next one), and what they print.
The commands run in a copy of the page's folder, and must succeed. Numbers may differ by a little (1 part in 10^6, or 1e-9),
what is below a "…" by everything, and a line that tells times ("compiled in …") is not compared.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")


def blocks(text):
    """(line, info string, content) of every fenced block."""
    fence, start, info, content = False, 0, "", []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if fence:
                yield start, info, "\n".join(content) + "\n"
            fence, start, info, content = not fence, number, line[3:].strip(), []
        elif fence:
            content.append(line)


def commands(content):
    """(command, expected lines) of a console block."""
    result, lines = [], iter(content.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command = command[:-1] + next(lines).strip()
            result.append((command, []))
        elif result:
            result[-1][1].append(line)
    return result


def agrees(shown, printed):
    if "compiled in " in shown and "compiled in " in printed:
        return True
    if " ".join(NUMBER.sub("#", shown).split()) != " ".join(NUMBER.sub("#", printed).split()):
        return False
    return all(abs(float(a) - float(b)) <= max(1e-9, 1e-6 * abs(float(a)))
               for a, b in zip(NUMBER.findall(shown), NUMBER.findall(printed)))


def difference(expected, printed):
    """The first line that is not as shown, or None."""
    for k, shown in enumerate(expected):
        if shown.strip() == "…":
            return None
        if k >= len(printed) or not agrees(shown, printed[k]):
            return f"shown:   {shown}\nprinted: {printed[k] if k < len(printed) else '(nothing)'}"
    if len(printed) > len(expected):
        return f"printed, but not shown: {printed[len(expected)]}"
    return None


def run(command, folder, environment):
    return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def check_page(page, adjoule, folder, environment):
    wrong, checked = 0, 0

    def complain(line, what):
        nonlocal wrong
        wrong += 1
        print(f"{page}:{line}: {what}\n")

    for line, info, content in blocks(page.read_text()):
        words = info.split()
        if words[:1] == ["adj"] and "fragment" not in words:
            checked += 1
            file = folder / (words[1] if len(words) > 1 else "block.adj")
            file.write_text(content)
            answer = run(f"{adjoule} check {file.name}", folder, environment)
            if answer.returncode:
                complain(line, f"this program does not compile:\n{answer.stdout}")
        elif words[:1] == ["console"]:
            for command, expected in commands(content):
                checked += 1
                answer = run(command, folder, environment)
                found = difference(expected, answer.stdout.splitlines())
                if answer.returncode:
                    found = f"exit status {answer.returncode}\n{answer.stdout}"
                if found:
                    complain(line, f"$ {command}\n{found}")
    print(f"{page.name}: {checked} programs and commands, {wrong} wrong")
    return wrong == 0


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    adjoule, page = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "page"
        if "examples" in page.parts:
            shutil.copytree(page.parent, folder)
        else:
            folder.mkdir()
        tools = [str(adjoule.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
        environment = dict(os.environ, PATH=os.pathsep.join(tools))
        sys.exit(0 if check_page(page, adjoule, folder, environment) else 1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Check that what the models of protocols say they follow is in the sources.

usage: models.py SOURCES MODEL...
  SOURCES  the folder in which src/ lies
  MODEL    a file of spec/models, whose first comment says "src/FILE: name, name, name; src/FILE: ..."

It fails, naming them, on a file that is not there, on a name after a file that this does not define,
and on any other mpj_ name that no file of src/ has. Exit status: 0; 1 what was found; 2 wrong arguments.
"""
import pathlib
import re
import sys


def named(comment):
    """The pairs (file, names that are to be found in it) of a comment."""
    text = re.sub(r"\s+", " ", comment.replace("\n *", " "))
    for path, names in re.findall(r"(src/[\w/]+\.[ch])(?:: ((?:\w+, )*\w+))?", text):
        yield path, names.split(", ") if names else []


assert list(named("of src/a/b.c: f, g_h,\n * i; and src/c.h")) == [("src/a/b.c", ["f", "g_h", "i"]), ("src/c.h", [])]


def complaints(model, sources):
    comment = re.match(r"/\*.*?\*/", model.read_text(), re.S).group()
    pairs = list(named(comment))
    if not pairs:
        yield "names no file that it follows"
    for path, names in pairs:
        file = sources / path
        if not file.is_file():
            yield f"there is no {path}"
            continue
        text = file.read_text()
        for name in names:
            if not re.search(rf"\b{name}\(", text):
                yield f"{path} has no {name}"
    everything = "\n".join(p.read_text() for p in (sources / "src").rglob("*.[ch]"))
    for name in sorted(set(re.findall(r"\bmpj_\w+", comment))):
        if not re.search(rf"\b{name}\b", everything):
            yield f"there is no {name}"


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    sources, *models = map(pathlib.Path, arguments)
    found = [f"{model.name}: {what}" for model in models for what in complaints(model, sources)]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

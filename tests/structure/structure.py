#!/usr/bin/env python3
"""Check the structure of src/ against what its objects and headers define and use.

usage: structure.py OBJECTS SOURCES [PLANTED...]
  OBJECTS  the folder of the build in which the objects of the layers lie
  SOURCES  src/
  PLANTED  FROM:TO, two files of SOURCES: check as if FROM took something from TO

The graph has a node for each source file, and an arrow from a file to each file
that defines a symbol it uses. In a second graph a node is a room, a source with the header of its
name, and there also is an arrow to each included header of which a file takes a struct, an enum or
its constants, a macro, a typedef or an inline function, and from a header to each file whose function
or variable one of its inline functions or macros uses. It fails, naming the files, on
  - an arrow from a layer to a higher one,
  - a circle of files, or of rooms,
  - a folder with more than FOLDER_MOST files,
  - a public function that returns a status and has no MPJ_ENTRY (base/entry.h).
Exit status: 0; 1 what was found; 2 wrong arguments.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

# What each layer may use, besides itself.
BELOW = {
    "base": [],
    "types": ["base"],
    "pack": ["base", "types"],
    "net": ["base", "types", "pack"],
    "coll": ["base", "types", "pack", "net"],
    "array": ["base", "types", "pack", "net", "coll"],
    "mpi": ["base", "types", "pack", "net", "coll"],
}
# Where the objects of a layer lie, if not in mpj_LAYER.dir: those of src/mpi are built for each MPI.
FOLDERS = {"net": ["mpj_net.dir", "mpj_sim.dir"], "mpi": ["mpj_mpi_*.dir", "mpj-interpose-*.dir"]}
FOLDER_MOST = 30
# They are for their caller's entry, and none's.
NO_ENTRY = {"MPJ_Error_raise", "MPJ_Error_enter"}


def symbols(objects, sources):
    """{file: (defined, used)} of the layers' objects, files relative to src/; objects of sources
    that are gone are passed over."""
    found = {}
    roots = [root for layer in BELOW for pattern in FOLDERS.get(layer, [f"mpj_{layer}.dir"])
             for root in sorted(objects.glob(pattern))]
    for root in roots:
        paths = [p for p in sorted(root.rglob("*.c.o"))
                 if (sources / str(p.relative_to(root))[:-2]).exists()]
        if not paths:
            continue
        # One line a symbol: "OBJECT:VALUE KIND NAME", the value being blank where it is used.
        text = subprocess.run(["nm", "-g", "-A", *paths], check=True, capture_output=True, text=True).stdout
        for path in paths:
            found.setdefault(str(path.relative_to(root))[:-2], (set(), set()))
        for line in text.splitlines():
            name, rest = line.rsplit(":", 1)
            kind, symbol = rest.split()[-2:]
            defined, used = found[str(pathlib.Path(name).relative_to(root))[:-2]]
            (used if kind in "Uw" else defined).add(symbol)
    return found


def owners_of(found):
    return {symbol: name for name, (defined, _) in found.items() for symbol in defined}


def arrows(found):
    """{file: files whose symbols it uses}."""
    owner = owners_of(found)
    return {
        name: {owner[symbol] for symbol in used if symbol in owner} - {name}
        for name, (_, used) in found.items()
    }


COMMENT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)
TAG = r"\b(?:struct|union|enum)\s+\w+"


def provided(text):
    """What a header defines for those who include it, but for symbols of objects: tags as "struct
    name"; functions with their parenthesis, as a tag may have the same name."""
    names = {" ".join(tag.split()) for tag in re.findall(rf"({TAG})\s*\{{", text)}
    names.update(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.M))
    names.update(re.findall(r"^typedef\b[^{}()]*?(\w+)\s*;", text, re.M))
    names.update(re.findall(r"^typedef\b[^{}();]*?\b(\w+)\s*\(", text, re.M))
    names.update(re.findall(r"^typedef\b[^{}();]*\{[^}]*\}\s*(\w+)\s*;", text, re.M))
    names.update(name + "(" for name in re.findall(
        r"^(?:MPJ_\w+\s+)?static\s+inline\b[^;{}()=\n]*?(\w+)\s*\(", text, re.M))
    for body in re.findall(r"\benum\b[^{};]*\{([^}]*)\}", text):
        names.update(re.findall(r"(?:^|,)\s*([A-Z]\w*)", body))
    return names


def taken(text):
    names = {" ".join(tag.split()) for tag in re.findall(TAG, text)}
    names.update(re.findall(r"\w+", re.sub(TAG, " ", text)))
    names.update(name + "(" for name in re.findall(r"(\w+)\s*\(", text))
    return names


def used_inline(text):
    """The words in the inline functions and macros of a header: names of what they use among them."""
    bodies = re.findall(r"\bstatic\s+inline\b[^;{}]*\{(.*?)^\}", text, re.M | re.S)
    bodies += re.findall(r"^[ \t]*#[ \t]*define[ \t]+\w+((?:\\\n|[^\n])*)", text, re.M)
    return {name for body in bodies for name in re.findall(r"\w+", body)}


assert used_inline("int h(void);\nstatic inline int f(int a)\n{\n  return a ? g(a) : v;\n}\n") == {"return", "a", "g", "v"}
assert used_inline("#define M(x) \\\n  g(x)\nint h(void);\n") == {"x", "g"}


def rooms(graph, owner, sources):
    """{room: rooms from which it takes something}, rooms being files without their suffix. owner:
    {symbol: file}."""
    raw = {str(p.relative_to(sources)): p.read_text() for p in sources.rglob("*.[ch]")}
    text = {name: COMMENT.sub(" ", body) for name, body in raw.items()}
    included = {}
    for name, body in raw.items():
        found = (i if i in raw else os.path.normpath(os.path.join(os.path.dirname(name), i))
                 for i in INCLUDE.findall(body))
        included[name] = {i for i in found if i in raw}
    owners = collections.defaultdict(set)
    for name in raw:
        for what in provided(text[name]) if name.endswith(".h") else ():
            owners[what].add(name)
    reached = {}

    def reach(name):
        if name not in reached:
            reached[name] = set()
            reached[name] = included[name].union(*map(reach, included[name]))
        return reached[name]

    room = lambda name: name.rsplit(".", 1)[0]
    found = {room(name): set() for name in raw}
    for name in raw:
        uses = set(graph.get(name, ()))
        if name.endswith(".h"):
            uses.update(owner[what] for what in used_inline(text[name]) if what in owner)
        for what in taken(text[name]):
            of = owners[what] & reach(name) if what in owners and name not in owners[what] else ()
            uses.update(of if len(of) == 1 else ())
        found[room(name)].update({room(to) for to in uses} - {room(name)})
    return found


def circles(graph):
    """The strongly connected components of more than one file, the largest first (Tarjan)."""
    index, low, stack, found = {}, {}, [], []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while work:
            node, rest = work[-1]
            for to in rest:
                if to not in index:
                    index[to] = low[to] = len(index)
                    stack.append(to)
                    work.append((to, iter(sorted(graph[to]))))
                    break
                if to in stack:
                    low[node] = min(low[node], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    if len(stack) - at > 1:
                        found.append(sorted(stack[at:]))
                    del stack[at:]
    return sorted(found, key=len, reverse=True)


def upwards(graph):
    """The arrows of a graph that lead to a higher layer."""
    for name, uses in sorted(graph.items()):
        layer = name.split("/")[0]
        for to in sorted(uses):
            if to.split("/")[0] not in BELOW[layer] + [layer]:
                yield name, to


def complaints(graph, houses, sources):
    for name, to in upwards(graph):
        yield f"an arrow upwards: {name} uses {to}"
    seen = {(name.rsplit(".", 1)[0], to.rsplit(".", 1)[0]) for name, to in upwards(graph)}
    for name, to in upwards(houses):
        if (name, to) not in seen:
            yield f"an arrow upwards, by headers: {name} takes something from {to}"
    for circle in circles(graph):
        yield f"a circle of {len(circle)} files: {', '.join(circle)}"
    for circle in circles(houses):
        yield f"a circle of {len(circle)} files with their headers: {', '.join(circle)}"
    folders = collections.Counter()
    for path in sources.rglob("*.[ch]"):
        folders[path.parent] += 1
    for folder, count in sorted(folders.items()):
        if count > FOLDER_MOST:
            yield f"{folder.relative_to(sources.parent)} has {count} files, more than {FOLDER_MOST}"
    for path in sorted(path for layer in BELOW for path in (sources / layer).rglob("*.c")):
        for name, body in re.findall(r"^(?:MPJ_HOT )?int (MPJ_[A-Z]\w*)\([^;{]*\)\n\{\n(.*?)^\}", path.read_text(), re.M | re.S):
            if "MPJ_ENTRY;" not in body and name not in NO_ENTRY:
                yield f"{name} in {path.relative_to(sources.parent)} has no MPJ_ENTRY"


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    objects, sources = map(pathlib.Path, arguments[:2])
    found = symbols(objects, sources)
    graph = arrows(found)
    if not graph:
        print(f"there are no objects in {objects}", file=sys.stderr)
        return 2
    houses = rooms(graph, owners_of(found), sources)
    for planted in arguments[2:]:
        name, to = planted.split(":")
        houses[name.rsplit(".", 1)[0]].add(to.rsplit(".", 1)[0])
    found = list(complaints(graph, houses, sources))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(graph)} files, {sum(map(len, graph.values()))} arrows; "
          f"{len(houses)} with their headers, {sum(map(len, houses.values()))} arrows")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

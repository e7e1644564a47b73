#!/usr/bin/env python3
"""Check the structure of src/ against what its objects define and use.

usage: structure.py OBJECTS SOURCES
  OBJECTS  the folder of the build in which the objects of the layers lie
  SOURCES  src/

The graph has a node for each source file, and an arrow from a file to each file
that defines a symbol it uses. It fails, naming the files, on
  - an arrow from a layer to a higher one,
  - a circle of files,
  - a folder with more than FOLDER_MOST files,
  - a public function that returns a status and has no MPJ_ENTRY (base/entry.h).
Exit status: 0; 1 what was found; 2 wrong arguments.
"""
import collections
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


def arrows(found):
    """{file: files whose symbols it uses}."""
    owner = {symbol: name for name, (defined, _) in found.items() for symbol in defined}
    return {
        name: {owner[symbol] for symbol in used if symbol in owner} - {name}
        for name, (_, used) in found.items()
    }


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


def complaints(graph, sources):
    for name, uses in sorted(graph.items()):
        layer = name.split("/")[0]
        for to in sorted(uses):
            if to.split("/")[0] not in BELOW[layer] + [layer]:
                yield f"an arrow upwards: {name} uses {to}"
    for circle in circles(graph):
        yield f"a circle of {len(circle)} files: {', '.join(circle)}"
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
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    objects, sources = map(pathlib.Path, arguments)
    graph = arrows(symbols(objects, sources))
    if not graph:
        print(f"there are no objects in {objects}", file=sys.stderr)
        return 2
    found = list(complaints(graph, sources))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(graph)} files, {sum(map(len, graph.values()))} arrows")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

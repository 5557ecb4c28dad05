#!/usr/bin/env python3
"""A folder includes only what its CMakeLists.txt says it uses, and one folder sees each library.

The include path alone would let any folder include any other: it is USES and PRIVATE_USES that say who may.
A header may include what USES leads to, a source file also what PRIVATE_USES names.
"""

import re

import check

# The folders that may see each library: its types stay behind their headers.
LIBRARIES = {
    "git2": ("source",),
    "curl": ("net",),
    "microhttpd": ("httpd",),
    "yaml": ("doc",),
    "jansson": ("doc",),
    "sqlite3": ("db",),
    "sodium": ("base", "secret"),
    "pcre2": ("model",),
    "glib": ("calendar",),
}
SYSTEM = re.compile(
    r"(arpa|linux|net|netinet|sys)/[a-z_0-9]+\.h|"
    r"(assert|ctype|dirent|endian|errno|fcntl|float|ftw|getopt|grp|inttypes|limits|locale|malloc|math|netdb|poll|pthread|pwd|"
    r"regex|sched|semaphore|setjmp|signal|spawn|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdio_ext|"
    r"stdlib|stdnoreturn|string|strings|syslog|termios|time|ucontext|unistd|wchar)\.h"
)
CALL = re.compile(r"weir_library\(\s*(\w+)([^)]*)\)", re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)


class Folder:
    def __init__(self, path, text):
        self.path = path
        name, arguments = CALL.search(text).groups()
        self.name = name
        self.uses = self.words(arguments, "USES")
        self.private_uses = self.words(arguments, "PRIVATE_USES")

    @staticmethod
    def words(arguments, keyword):
        found = re.search(rf"(?<!\w){keyword}\s+(.*?)(?=\s(?:SOURCES|USES|PRIVATE_USES)\s|\Z)", arguments, re.S)
        return [w for w in found.group(1).split() if "::" not in w] if found else []


def closure(names, folders):
    """The names with everything that their USES lead to."""
    reached = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += folders[name].uses if name in folders else []
    return reached


def read_folders():
    folders = {}
    for path in sorted(check.SRC.rglob("CMakeLists.txt")):
        text = path.read_text()
        if CALL.search(text):
            folder = Folder(path.parent, text)
            folders[folder.name] = folder
    return folders


def headers_with_libraries(folder):
    for path in folder.path.glob("*.h"):
        if any(k == "<" and n.split("/")[0].removesuffix(".h") in LIBRARIES for k, n in INCLUDE.findall(path.read_text())):
            yield path.name


def complaints_about(folder, folders):
    private = {f"{f.name}/{h}" for f in folders.values() for h in headers_with_libraries(f)}
    all_names = {p.parent.name for p in check.SRC.rglob("CMakeLists.txt")}
    for_headers = closure(folder.uses, folders) | {folder.name}
    for_sources = closure(folder.uses + folder.private_uses, folders) | {folder.name}
    for name in folder.uses + folder.private_uses:
        if name not in all_names:
            yield f"{check.relative(folder.path)}: uses {name}, and there is no such folder"
    for path in sorted(folder.path.glob("*.[ch]")):
        allowed = for_headers if path.suffix == ".h" else for_sources
        for kind, name in INCLUDE.findall(path.read_text()):
            top = name.split("/")[0]
            where = f"{check.relative(path)}: {name}"
            if kind == '"':
                if "/" not in name:
                    yield f"{where}: give the folder: \"{folder.name}/{name}\""
                elif top != folder.name and name in private:
                    yield f"{where}: shows a library's types, so it is {top}'s own"
                elif top not in allowed:
                    yield f"{where}: {check.relative(folder.path)}/CMakeLists.txt does not say that it uses {top}"
                continue
            library = top.removesuffix(".h")
            if library in LIBRARIES:
                if folder.name not in LIBRARIES[library]:
                    yield f"{where}: only {', '.join(LIBRARIES[library])} may see {library}"
            elif not SYSTEM.fullmatch(name) and not name.startswith("systemd/"):
                yield f"{where}: neither the system's nor a library that this check knows"


def cycles(folders):
    for folder in folders.values():
        if any(folder.name in closure(folders[n].uses, folders) for n in folder.uses if n in folders):
            yield f"{check.relative(folder.path)}: uses itself, by way of others"


folders = read_folders()
complaints = [c for f in folders.values() for c in complaints_about(f, folders)] + list(cycles(folders))
check.finish(complaints, len(folders))

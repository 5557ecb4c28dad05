#!/usr/bin/env python3
"""The mirror: what does not have to be in it, how large it becomes, and what it survives."""

import os
import re
import resource
import subprocess

from sourcetest import FRUGAL, REPLICATOR, SourceTest
from weirtest import main

MIB = 1 << 20
PACKS_MOST = 50


def peak_kb(probe):
    with open(f"/proc/{probe.process.pid}/status", encoding="utf-8") as status:
        return int(re.search(r"VmHWM:\s*(\d+) kB", status.read())[1])


class MirrorTest(SourceTest):
    def setUp(self):
        super().setUp()
        for folder in (self.work, self.bare):
            self.git("config", "core.bigFileThreshold", "64k", within=folder)  # noise does not compress
            self.git("config", "core.compression", "0", within=folder)
        self.objects = self.folder / "mirror" / "git" / "objects"

    def mirror_bytes(self):
        return sum(file.stat().st_size for file in self.objects.rglob("*") if file.is_file())

    def put(self, path, content):
        file = self.work / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def noise(self, n_files, n_bytes, folder="other"):
        for i in range(n_files):
            self.put(f"{folder}/{i}.bin", os.urandom(n_bytes))


class LargeFiles(MirrorTest):
    """Of a server that can filter, nothing is fetched that is larger than a YAML file may be."""

    def setUp(self):
        super().setUp()
        self.git("config", "uploadpack.allowFilter", "true", within=self.bare)

    def test_are_left_out(self):
        self.noise(2, 2 * MIB)
        self.put("replicators/small.bin", os.urandom(100))
        head = self.commit("b")
        for url in (self.url, str(self.bare)):
            with self.subTest(url):
                probe = self.probe(url)
                self.assertEqual(probe.fetch()[0], head)
                self.assertEqual(probe.ask("load", head), ["a", "b"])
                self.assertLess(self.mirror_bytes(), MIB)
                probe.ask("note", head, f"2 in sync at {url}")
                probe.close()
        self.noise(2, 2 * MIB)
        newer = self.commit("c")
        probe = self.probe()
        self.assertEqual(probe.fetch(head)[:2], [newer, "forward"])
        self.assertEqual(probe.ask("load", newer), ["a", "b", "c"])
        self.assertLess(self.mirror_bytes(), MIB)

    def test_that_shrink_and_grow_come_and_go(self):
        """The small one comes whole, though it is like the large one, which is not there."""
        lines = "".join(f"# {i} {os.urandom(30).hex()}\n" for i in range(20000)).encode()
        self.assertGreater(len(lines), MIB)
        yaml = REPLICATOR.format(name="b").encode()
        probe = self.probe()
        known = ""
        for tail, names in ((lines, ["a"]), (lines[: MIB // 2], ["a", "b"]), (lines, ["a"]), (b"", ["a", "b"])):
            self.put("replicators/b.yaml", yaml + tail)
            head = self.commit("a")
            probe.fetch(known)
            self.assertEqual(probe.ask("load", head), names)
            known = head

    def commit(self, name):
        """The files as they stand, even if there is only one."""
        self.put(f"replicators/{name}.yaml", REPLICATOR.format(name=name).encode())
        self.git("add", "-A", within=self.work)
        self.git("commit", "--quiet", "--allow-empty", "-m", name, within=self.work)
        self.git("push", "--quiet", "--force", self.bare, "main", within=self.work)
        return self.git("rev-parse", "HEAD", within=self.work)

    def test_up_to_the_limit_are_there(self):
        yaml = REPLICATOR.format(name="b").encode()
        self.put("replicators/b.yaml", yaml + b"#" * (MIB - len(yaml) - 1) + b"\n")
        head = self.commit("a")
        probe = self.probe()
        probe.fetch()
        self.assertEqual(probe.ask("load", head), ["a", "b"])
        self.assertEqual(self.server.count("POST", "/git-upload-pack$"), 1)

    def test_that_are_lost_are_told_from_those_left_out(self):
        probe = self.probe()
        probe.fetch()
        for file in [file for file in self.objects.rglob("*") if file.is_file()]:
            file.unlink()
        probe.close()
        probe = self.probe()
        probe.fetch()
        self.assertEqual(probe.ask("load", self.first), ["a"])

    def test_a_gigabyte_of_them_is_nothing_to_it(self):
        self.noise(16, 64 * MIB)
        head = self.commit("b")
        probe = self.probe(environment=FRUGAL)
        before = int(probe.ask("rss")[0])
        self.assertEqual(probe.fetch()[0], head)
        self.assertEqual(probe.ask("load", head), ["a", "b"])
        self.assertLess(self.mirror_bytes(), MIB)
        self.assertLess(peak_kb(probe) - before, 24 * 1024)


class Memory(MirrorTest):
    def test_stays_flat_whatever_the_server_sends(self):
        """It cannot filter: all comes, through memory that does not grow with it."""
        self.noise(24, 2 * MIB)
        head = self.commit("b")
        probe = self.probe(environment=FRUGAL)
        before = int(probe.ask("rss")[0])
        self.assertEqual(probe.fetch()[0], head)
        self.assertGreater(self.mirror_bytes(), 47 * MIB)
        peak = peak_kb(probe)
        self.assertEqual(probe.ask("load", head), ["a", "b"])
        self.assertLess(peak - before, 24 * 1024, f"{before} kB, then {peak} kB")


class Histories(MirrorTest):
    def test_of_many_rewritten_heads_stay_small(self):
        n = 1000
        blob = "blob\nmark :{}\ndata <<END\n{}END\n"
        commit = "commit refs/heads/pool\nmark :{}\ncommitter t <t@example.com> {} +0000\ndata 1\nx\n"
        tree = "M 100644 :{} replicators/a.yaml\nreset refs/heads/pool\n\n"
        stream = "".join(
            blob.format(2 * i + 1, REPLICATOR.format(name=f"r{i}"))
            + commit.format(2 * i + 2, 1700000000 + i)
            + tree.format(2 * i + 1)
            for i in range(n)
        )
        marks = self.folder / "marks"
        words = ["git", "fast-import", "--quiet", "--force", f"--export-marks={marks}"]
        subprocess.run(words, input=stream.encode(), cwd=self.bare, check=True, timeout=60)
        found = dict(line.split() for line in marks.read_text().splitlines())
        main_ref = self.bare / "refs" / "heads" / "main"
        (self.bare / "refs" / "heads" / "pool").unlink(missing_ok=True)
        probe = self.probe(str(self.bare))
        known = probe.fetch()[0]
        largest = 0
        for i in range(n):
            main_ref.write_text(found[f":{2 * i + 2}"] + "\n")
            head, relation, _ = probe.fetch(known)
            self.assertEqual((head, relation), (found[f":{2 * i + 2}"], "rewound"))
            packs = len(list((self.objects / "pack").glob("*.pack")))
            self.assertLessEqual(packs, PACKS_MOST)
            largest = max(largest, self.mirror_bytes()) if i % 10 == 0 else largest
            known = head
        self.assertEqual(probe.ask("load", known), [f"r{n - 1}"])
        self.assertLess(largest, MIB)

    def test_that_are_cut_off_at_the_server(self):
        self.commit("b")
        shallow = self.folder / "served" / "shallow.git"
        self.git("clone", "--quiet", "--bare", "--depth=1", f"file://{self.bare}", shallow)
        for url in (f"{self.server.url}/shallow.git", str(shallow)):
            with self.subTest(url):
                probe = self.probe(url)
                self.fails("remote", "is a shallow repository.*git fetch --unshallow", probe.fetch)
                probe.close()


class Disk(MirrorTest):
    def test_that_is_full(self):
        """A limit on the size of files fails as a full disk does."""
        self.noise(1, 4 * MIB)
        head = self.commit("b")
        probe = self.probe()
        resource.prlimit(probe.process.pid, resource.RLIMIT_FSIZE, (MIB, resource.RLIM_INFINITY))
        self.fails("io", "mirror .*check the space and the rights there", probe.fetch, retriable=True)
        self.assertLess(self.mirror_bytes(), 2 * MIB)
        resource.prlimit(probe.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self.assertEqual(probe.fetch()[0], head)

    def test_that_is_full_while_a_status_is_written(self):
        probe = self.probe()
        probe.fetch()
        resource.prlimit(probe.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        self.fails("io", "mirror .*check the space", probe.ask, "note", self.first, "1 in sync", retriable=True)
        resource.prlimit(probe.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        probe.ask("note", self.first, "1 in sync")


def damage_cut(file):
    file.write_bytes(file.read_bytes()[:20])


def damage_zero(file):
    file.write_bytes(bytes(file.stat().st_size))


def damage_flip(file):
    content = bytearray(file.read_bytes())
    for i in range(len(content) // 3, len(content), 7):
        content[i] ^= 0x55
    file.write_bytes(content)


DAMAGES = {
    "every_object_is_lost": ("objects/**/*", lambda file: file.unlink()),
    "packs_are_cut": ("objects/**/*.pack", damage_cut),
    "packs_are_zeroed": ("objects/**/*.pack", damage_zero),
    "packs_are_garbled": ("objects/**/*.pack", damage_flip),
    "indexes_are_cut": ("objects/**/*.idx", damage_cut),
    "indexes_are_lost": ("objects/**/*.idx", lambda file: file.unlink()),
    "references_are_empty": ("refs/heads/*", lambda file: file.write_bytes(b"")),
    "references_are_garbled": ("refs/heads/*", lambda file: file.write_bytes(b"\xff" * 41)),
    "its_head_is_lost": ("HEAD", lambda file: file.unlink()),
    "its_settings_are_garbled": ("config", lambda file: file.write_bytes(b"[core\n\0\xff")),
}


class Damages(MirrorTest):
    """The mirror is a cache: broken, it is thrown away and fetched anew, whether weir runs or not."""


def damage_case(pattern, damage, restart):
    def test(self):
        probe = self.probe()
        probe.fetch()
        if restart:
            probe.close()
        for file in [file for file in (self.folder / "mirror" / "git").glob(pattern) if file.is_file()]:
            file.chmod(0o600)
            damage(file)
        if restart:
            probe = self.probe()
        self.assertEqual(probe.fetch(self.first)[:2], [self.first, "same"])
        self.assertEqual(probe.ask("load", self.first), ["a"])
        second = self.commit("b")
        self.assertEqual(probe.fetch(self.first)[:2], [second, "forward"])
        self.assertEqual(probe.ask("load", second), ["a", "b"])
        probe.ask("note", second, "2 in sync")

    return test


for _name, (_pattern, _damage) in DAMAGES.items():
    for _restart in (False, True):
        _when = "between_two_runs" if _restart else "while_it_runs"
        setattr(Damages, f"test_{_name}_{_when}", damage_case(_pattern, _damage, _restart))

if __name__ == "__main__":
    main()

"""A team's repository: a bare one that is served, and a clone in which commits are made and pushed."""

import os
import subprocess

# Instead of what whoever runs the tests has.
IDENTITY = {
    "NO_PROXY": "127.0.0.1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Team",
    "GIT_AUTHOR_EMAIL": "team@example.com",
    "GIT_COMMITTER_NAME": "Team",
    "GIT_COMMITTER_EMAIL": "team@example.com",
}


def clean_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | IDENTITY


class Repository:
    def __init__(self, folder, path="replicators"):
        self.served = folder / "served"  # what a Git server has as its root
        self.bare = self.served / "team.git"
        self.work = folder / "work"
        self.path = self.work / path
        self.noted = {}
        self.served.mkdir()
        self.git("init", "--quiet", "--bare", "--initial-branch=main", self.bare, within=folder)
        # Housekeeping after a push would outlive it, and write while the folder is removed.
        self.git("config", "receive.autogc", "false", within=self.bare)
        self.git("init", "--quiet", "--initial-branch=main", self.work, within=folder)
        self.git("remote", "add", "origin", self.bare)

    def run(self, *arguments, within=None):
        return subprocess.run(
            ["git", *arguments],
            cwd=within or self.work,
            env=clean_environment(),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )

    def git(self, *arguments, within=None):
        done = self.run(*arguments, within=within)
        if done.returncode:
            raise AssertionError(f"git {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout.strip()

    # ---- pushing ----

    def write(self, files):
        """`files`: name below `path` to text or bytes; None removes the file."""
        for name, content in files.items():
            file = self.path / name
            if content is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files, message="change"):
        self.write(files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def push(self, files=(), message="change", branch="main"):
        """Commits the files and pushes; the commit."""
        sha = self.commit(dict(files), message)
        self.git("push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")
        return sha

    def rewind(self, sha):
        """Makes an older commit the head, here and there."""
        self.git("reset", "--quiet", "--hard", sha)
        self.git("push", "--quiet", "--force", "origin", "HEAD:refs/heads/main")

    # ---- statuses ----

    def note(self, sha, ref="refs/notes/weir/acme"):
        """{context: (state, text)} of a commit."""
        try:
            tip = (self.bare / ref).read_text()
        except FileNotFoundError:
            return {}
        if self.noted.get((ref, sha), ("", {}))[0] != tip:
            shown = self.run("notes", f"--ref={ref}", "show", sha, within=self.bare)
            self.noted[ref, sha] = tip, dict(map(parse_line, filter(None, shown.stdout.splitlines())))
        return self.noted[ref, sha][1]

    def noted_ever(self, sha, ref="refs/notes/weir/acme"):
        """Each (context, (state, text)) that a commit had, the oldest first."""
        shown = self.run("log", "--reverse", "--format=", "--patch", "--unified=0", ref, "--", sha, within=self.bare)
        added = [line[1:] for line in shown.stdout.splitlines() if line.startswith("+") and not line.startswith("+++")]
        return list(map(parse_line, added))

    def everything(self):
        """All objects of the served repository, uncompressed."""
        command = ["git", "cat-file", "--batch", "--batch-all-objects", "--unordered"]
        return subprocess.run(command, cwd=self.bare, env=clean_environment(), capture_output=True, check=True).stdout


def parse_line(line):
    state, context, *text = line.split(" ", 2)
    return context, (state, "".join(text))

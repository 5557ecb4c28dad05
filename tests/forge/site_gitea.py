"""A site (tests/e2e/weirtest.py) whose repository, statuses and webhooks are Gitea's."""

import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

# pylint: disable=wrong-import-position,unused-import
from gitea import USER  # noqa: E402
from weirtest import DEADLINE_S, Site, document, main, wait_for  # noqa: E402,F401

SECRET = "hook-secret-that-nobody-may-see"
names = map("flows-{}".format, itertools.count(1))


class GiteaSite(Site):
    """A site whose repository is on Gitea. `hook`: its content type, None for no webhook."""

    def __init__(self, gitea, hook="json", interval="1h", secret=SECRET, **options):
        self.gitea = gitea
        self.name = next(names)
        gitea.make_repository(self.name)
        super().__init__(**options)
        self.canaries |= {SECRET, gitea.token}
        self.environment |= {"GITEA_TOKEN": gitea.token, "HOOK_SECRET": SECRET}
        self.repository.git("remote", "set-url", "origin", gitea.clone_url(self.name))
        self.repository.git("pull", "--quiet", "origin", "main")
        self.hook = hook
        self.secret = secret
        self.configure(
            source={"url": gitea.plain_url(self.name), "token": "env:GITEA_TOKEN", "interval": interval},
            forge={"type": "gitea", "token": "env:GITEA_TOKEN"},
            sync={"interval": "1h"},
            http={"webhook_secret": "env:HOOK_SECRET"},
        )

    def start(self, crash_at=None):
        super().start(crash_at)
        if self.hook:
            self.gitea.make_hook(self.name, f"{self.url}/hooks/acme", self.secret, self.hook)
            self.hook = None
        wait_for(lambda: self.metric("weir_source_reads_total") >= 1, DEADLINE_S, "the first look")

    def wake(self):
        """Nobody but the forge does."""

    def status(self, sha, kind="sync"):
        try:
            return self.gitea.statuses(self.name, sha).get(f"weir/acme/{kind}")
        except OSError:
            return None

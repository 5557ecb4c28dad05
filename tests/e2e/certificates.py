"""A private certificate authority, of openssl.

    authority = Authority(folder)
    certificate, key = authority.issue("IP:127.0.0.1")     # authority.file vouches for it
"""

import itertools
import pathlib
import subprocess

NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, timeout=120)


class Authority:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.file = self.folder / "ca.pem"
        self.key = self.folder / "ca.key"
        self.numbers = itertools.count()
        openssl("req", "-x509", *NEW_KEY, "-keyout", self.key, "-out", self.file, "-days", 2, "-subj", "/CN=authority")

    def issue(self, name, days=2):
        """For a name as in subjectAltName. With negative `days` it is over already."""
        n = next(self.numbers)
        certificate, key, request = (self.folder / f"{n}.{end}" for end in ("pem", "key", "csr"))
        for_name = ["-subj", "/CN=server", "-addext", f"subjectAltName={name}"]
        openssl("req", *NEW_KEY, "-keyout", key, "-out", request, *for_name)
        words = ["-copy_extensions", "copy", "-CA", self.file, "-CAkey", self.key, "-days", days]
        openssl("x509", "-req", "-in", request, "-out", certificate, *words)
        return certificate, key

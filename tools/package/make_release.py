#!/usr/bin/env python3
"""Makes a release from a tag: weft-VERSION.tar.gz of what git has there, a software bill of materials (SPDX 2.3), and SHA256SUMS.

usage: make_release.py FOLDER [--tag vVERSION]   without --tag, vVERSION of the sources here

Refused are a folder without git, a tag that is not there, a version that its sources do not tell everywhere (tools/lint/release.py), and one whose heading in
the changelog is still unreleased. The same tag gives the same bytes."""

import argparse
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time

from common import TOP, version

sys.path.insert(0, os.path.join(TOP, "tools", "lint"))
import release as lint  # noqa: E402 (it is found in the line above)

HOLDER = "The Weft authors"
# What a build takes from elsewhere: name, license, purl, how it is used.
DEPENDENCIES = (
    ("CLI11", "BSD-3-Clause", "pkg:github/CLIUtils/CLI11", "its headers are compiled into the weft command"),
    ("fmt", "MIT", "pkg:github/fmtlib/fmt", "the weft command is linked with it, or has its headers"),
    ("nlohmann_json", "MIT", "pkg:github/nlohmann/json", "its headers are compiled into the weft command"),
    ("OpenSSL", "Apache-2.0", "pkg:github/openssl/openssl", "the weft command is linked with it; self-contained ones are not"),
)


def git(*words, text=True):
    done = subprocess.run(["git", "-C", TOP, *words], capture_output=True, text=text, check=False)
    if done.returncode != 0:
        said = done.stderr if text else done.stderr.decode()
        raise RuntimeError(f"git {' '.join(words)}: {said.strip()}")
    return done.stdout


def refuse_other_repositories():
    """git would answer for one that lies around this folder."""
    cure = "a release is made of a tag, which git knows; work in a clone of the repository"
    try:
        top = git("rev-parse", "--show-toplevel").removesuffix("\n")
    except RuntimeError as said:
        raise RuntimeError(f"{TOP} is no clone: {cure} ({said})") from said
    if not os.path.samefile(top, TOP):
        raise RuntimeError(f"{TOP} is no clone, but a folder in {top}: {cure}")


def commit_of(tag):
    try:
        return git("rev-parse", "--verify", "--quiet", f"refs/tags/{tag}^{{commit}}").strip()
    except RuntimeError:
        return ""


def refusals(tree, tag):
    """Why no release can be made of the sources in a folder with this tag."""
    told = lint.version_of(tree)
    changelog, _, is_released = lint.newest_heading(tree)
    problems = [f"the tag {tag} is for another version than {told}, which its sources tell"] if tag != f"v{told}" else []
    if changelog and not is_released:
        problems.append(f'CHANGELOG.md: "unreleased" is still in the heading of {changelog}')
    return problems + lint.check(tree)


def digests(data):
    return [{"algorithm": name.upper(), "checksumValue": hashlib.new(name, data).hexdigest()} for name in ("sha1", "sha256")]


def bill_of_materials(name, release, when, files, archive_digest):
    """SPDX 2.3: the package, each of its files, and what a build takes from elsewhere."""
    entries = [{"SPDXID": f"SPDXRef-File-{number}", "fileName": f"./{path}", "checksums": digests(data), "licenseConcluded": lint.LICENSE,
                "licenseInfoInFiles": [lint.LICENSE], "copyrightText": HOLDER} for number, (path, data) in enumerate(files)]
    sums = sorted(entry["checksums"][0]["checksumValue"] for entry in entries)
    package = {"SPDXID": "SPDXRef-Package", "name": "weft", "versionInfo": release, "downloadLocation": "NOASSERTION", "filesAnalyzed": True,
               "packageFileName": f"{name}.tar.gz", "checksums": [{"algorithm": "SHA256", "checksumValue": archive_digest}],
               "packageVerificationCode": {"packageVerificationCodeValue": hashlib.sha1("".join(sums).encode()).hexdigest()},
               "licenseConcluded": lint.LICENSE, "licenseDeclared": lint.LICENSE, "licenseInfoFromFiles": [lint.LICENSE], "copyrightText": HOLDER,
               "supplier": f"Organization: {HOLDER}"}
    others = [{"SPDXID": f"SPDXRef-{other.replace('_', '-')}", "name": other, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
               "licenseConcluded": "NOASSERTION", "licenseDeclared": its_license, "copyrightText": "NOASSERTION", "comment": use,
               "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]}
              for other, its_license, purl, use in DEPENDENCIES]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-Package"}]
    relations += [{"spdxElementId": "SPDXRef-Package", "relationshipType": "CONTAINS", "relatedSpdxElement": entry["SPDXID"]} for entry in entries]
    relations += [{"spdxElementId": other["SPDXID"], "relationshipType": "BUILD_DEPENDENCY_OF", "relatedSpdxElement": "SPDXRef-Package"} for other in others]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"https://spdx.invalid/{name}-{archive_digest}",
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when)), "creators": ["Tool: tools/package/make_release.py"]},
            "packages": [package, *others], "files": entries, "relationships": relations}


def make(folder, tag):
    """The paths of what a release consists of; RuntimeError says why there is none."""
    if not tag:
        raise RuntimeError("the tag is empty: name one, as in --tag v1.2.3 (./dev release TAG=v1.2.3), or none for the version here")
    refuse_other_repositories()
    commit = commit_of(tag)
    if not commit:
        raise RuntimeError(f"there is no tag {tag}; git tag {tag} makes it, once CHANGELOG.md has its date")
    name = f"weft-{tag.removeprefix('v')}"
    packed = git("archive", "--format=tar", f"--prefix={name}/", commit, text=False)
    with tempfile.TemporaryDirectory() as work:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(work)  # of our own tag
            files = [(entry.name.split("/", 1)[1], archive.extractfile(entry).read()) for entry in archive if entry.isfile()]
        problems = refusals(os.path.join(work, name), tag)
    if problems:
        raise RuntimeError("\n  ".join([f"{tag} is not ready:", *problems]))
    os.makedirs(folder, exist_ok=True)
    data = gzip.compress(packed, 9, mtime=0)
    bill = bill_of_materials(name, tag.removeprefix("v"), int(git("log", "-1", "--format=%ct", commit)), files, hashlib.sha256(data).hexdigest())
    made = {f"{name}.tar.gz": data, f"{name}.spdx.json": (json.dumps(bill, indent=1) + "\n").encode()}
    made["SHA256SUMS"] = "".join(f"{hashlib.sha256(content).hexdigest()}  {path}\n" for path, content in made.items()).encode()
    for path, content in made.items():
        with open(os.path.join(folder, path), "wb") as file:
            file.write(content)
    return [os.path.join(folder, path) for path in made]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--tag", default=f"v{version()}")
    arguments = parser.parse_args()
    try:
        print("\n".join(make(os.path.abspath(arguments.folder), arguments.tag)))
    except (RuntimeError, FileNotFoundError) as refused:
        print(f"make release: {refused}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

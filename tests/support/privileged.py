"""A program with raised privileges (AT_SECURE) without another user's help: a copy with the set-group-ID bit, of a group that is not the one in
force. Root may give it any group, other users one of their own further groups."""

import os
import shutil
import stat

NOBODY = 65534


def copy_with_privileges(program, folder):
    """The path of the copy; None: this user can make none."""
    others = [NOBODY] if os.geteuid() == 0 else [group for group in os.getgroups() if group != os.getegid()]
    if not others:
        return None
    path = shutil.copy(program, os.path.join(folder, "privileged"))
    os.chown(path, -1, others[0])
    os.chmod(path, 0o755 | stat.S_ISGID)
    return path


def has_privileges(path):
    """Whether the copy really gets them: not on a file system that is mounted nosuid, nor where no_new_privs is set."""
    flags = os.statvfs(path).f_flag
    with open("/proc/self/status", encoding="utf-8") as file:
        is_forbidden = "NoNewPrivs:\t1" in file.read()
    return not flags & os.ST_NOSUID and not is_forbidden

#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A Dovecot of our own: private configuration, free high ports, its own user, in a temporary folder.

Prints one line of JSON (imap, imaps: ports; ca, other_ca: files; mail: the folder of the user's
mail; log: the raw log of what clients sent), waits until its standard input ends, and takes
everything down. With `-- PROGRAM ARGUMENTS` it runs that instead, with the account in its
environment, and returns its exit code. No system service is started, nothing outside the folder is written. Exit code 77:
there is no Dovecot.
"""

import argparse
import base64
import grp
import hashlib
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
USER = "nora@example.org"
PASSWORD = 'p\\a"ss wörd'

CONFIG = """
base_dir = {root}/run
state_dir = {root}/state
log_path = {root}/dovecot.log
instance_name = postbag-test
protocols = imap
listen = 127.0.0.1
default_login_user = {login}
default_internal_user = {login}
default_internal_group = {group}
ssl = yes
ssl_cert = <{root}/{prefix}cert.pem
ssl_key = <{root}/{prefix}key.pem
ssl_min_protocol = TLSv1.2
disable_plaintext_auth = no
auth_mechanisms = {mechanisms}
auth_failure_delay = 0
mail_max_userip_connections = {connections}
first_valid_uid = 1
mail_location = maildir:{root}/mail
mail_fsync = never
{extra}
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%u {root}/users
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={root}/home
}}
namespace inbox {{
  inbox = yes
  separator = /
  mailbox Drafts {{
    special_use = \\Drafts
    auto = create
  }}
  mailbox Trash {{
    special_use = \\Trash
    auto = subscribe
  }}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
}}
service imap {{
  process_limit = 64
}}
service stats {{
  chroot =
}}
"""


def find_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def find_user():
    """Dovecot gives mail to no root: somebody without rights does for that."""
    if os.getuid() != 0:
        return pwd.getpwuid(os.getuid())
    return pwd.getpwnam("nobody")


def make_certificate(root, name, alternative):
    run = lambda *arguments: subprocess.run(
        ["openssl", *arguments], cwd=root, check=True, capture_output=True)
    run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-days", "2", "-keyout", f"{name}ca.key", "-out", f"{name}ca.pem", "-subj",
        f"/CN=Postbag test authority {name}")
    run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
        f"{name}key.pem", "-out", f"{name}request.pem", "-subj", "/CN=localhost")
    (root / f"{name}ext").write_text(f"subjectAltName={alternative}\n")
    run("x509", "-req", "-in", f"{name}request.pem", "-CA", f"{name}ca.pem", "-CAkey",
        f"{name}ca.key", "-CAcreateserial", "-days", "2", "-extfile", f"{name}ext", "-out",
        f"{name}cert.pem")


def compute_pin(root):
    """The key of the certificate, as an account's `pin` has it, by another program than ours."""
    key = subprocess.run(["openssl", "x509", "-in", "cert.pem", "-pubkey", "-noout"], cwd=root,
                         check=True, capture_output=True).stdout
    der = subprocess.run(["openssl", "pkey", "-pubin", "-outform", "DER"], input=key, cwd=root,
                         check=True, capture_output=True).stdout
    return "sha256:" + base64.b64encode(hashlib.sha256(der).digest()).decode()


def store_password(scheme):
    """As the list of users holds it: plain, or what Dovecot makes of it."""
    if scheme == "PLAIN":
        return "{PLAIN}" + PASSWORD
    return subprocess.run(["doveadm", "-c", "/dev/null", "pw", "-s", scheme, "-p", PASSWORD],
                          check=True, capture_output=True, text=True).stdout.strip()


def add_message(folder, number, lines):
    path = folder / "cur" / f"{1700000000 + number}.M{number}P1.test:2,"
    path.write_bytes("\r\n".join(lines).encode("utf-8", "surrogateescape"))
    os.utime(path, (1700000000 + number * 60,) * 2)


def add_large_message(folder, number, size, kind):
    add_message(folder, number, [
        "From: big@example.org", "To: nora@example.org", "Subject: with a large file",
        "Date: Tue, 14 Nov 2023 22:13:20 +0000", "MIME-Version: 1.0",
        'Content-Type: multipart/mixed; boundary="b"', "", "--b",
        "Content-Type: text/plain", "", "See the file.", "--b",
        f"Content-Type: {kind}", "Content-Transfer-Encoding: base64",
        "Content-Disposition: attachment; filename*=utf-8''Rechnung%20%C3%A4.bin", "",
        *["QUJD" * 19] * (size // 57), "--b--", ""])


def fill_mail(root, options):
    mail = root / "mail"
    count = options.messages
    for folder in (mail, mail / ".Entw&APw-rfe", mail / ".Say \"hi\""):
        for part in ("cur", "new", "tmp"):
            (folder / part).mkdir(parents=True, exist_ok=True)
    for number in range(1, count + 1):
        add_message(mail, number, [
            f"From: Sender {number} <s{number}@example.org>", "To: nora@example.org",
            f"Subject: message {number}" + (" café" if number % 10 == 0 else ""),
            f"Message-ID: <m{number}@example.org>",
            "Date: Tue, 14 Nov 2023 22:13:20 +0000", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit", "",
            f"This is the text of message {number}.", ""])
    for number in range(options.large):
        add_large_message(mail, count + 1 + number, options.attachment, options.attachment_type)
    if options.generate:
        subprocess.run([sys.executable, HERE.parents[1] / "bench/make-maildir.py", mail,
                        str(options.generate)], check=True)
    return mail


def give_away(root, user):
    if os.getuid() != 0:
        return
    for path in [root, *root.rglob("*")]:
        os.chown(path, user.pw_uid, user.pw_gid, follow_symlinks=False)


def wait_for(port, process):
    for _ in range(200):
        if process.poll() is not None:
            return False
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            time.sleep(0.05)
    return False


def run_program(options, root, ports):
    environment = dict(os.environ, IMAP_HOST="localhost", IMAP_PORT=str(ports["imaps"]),
                       IMAP_USER=USER, IMAP_PASSWORD=PASSWORD,
                       POSTBAG_CA_FILE=str(root / "ca.pem"))
    environment.pop("POSTBAG_MAILDIR", None)
    return subprocess.run(options.program, env=environment, check=False).returncode


def serve(options, root):
    user = find_user()
    group = grp.getgrgid(user.pw_gid).gr_name
    ports = {"imap": find_port(), "imaps": find_port()}
    make_certificate(root, "", "DNS:localhost,IP:127.0.0.1")
    make_certificate(root, "other", "DNS:elsewhere.example")
    for folder in ("run", "state", "home", "raw"):
        (root / folder).mkdir()
    extra = options.extra
    mail = fill_mail(root, options)
    if options.rawlog:
        extra += f"\nrawlog_dir = {root}/raw\n"
    (root / "users").write_text(f"{USER}:{store_password(options.scheme)}\n", encoding="utf-8")
    (root / "dovecot.conf").write_text(CONFIG.format(
        root=root, login=user.pw_name, group=group, uid=user.pw_uid, gid=user.pw_gid, extra=extra,
        prefix="other" if options.other_name else "", mechanisms=options.mechanisms, connections=options.connections, **ports),
        encoding="utf-8")
    give_away(root, user)
    process = subprocess.Popen(["dovecot", "-F", "-c", str(root / "dovecot.conf")],
                               stdin=subprocess.DEVNULL, stdout=sys.stderr,
                               start_new_session=True)
    try:
        if not wait_for(ports["imap"], process):
            sys.stderr.write((root / "dovecot.log").read_text() if
                             (root / "dovecot.log").exists() else "dovecot did not start\n")
            return 1
        if options.program:
            return run_program(options, root, ports)
        print(json.dumps({**ports, "ca": str(root / "ca.pem"),
                          "other_ca": str(root / "otherca.pem"), "mail": str(mail),
                          "raw": str(root / "raw"), "log": str(root / "dovecot.log"),
                          "user": USER, "pin": compute_pin(root), "password": PASSWORD}), flush=True)
        sys.stdin.read()
    finally:
        # The whole group: the master alone would wait for its children.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=120)
    parser.add_argument("--large", type=int, default=1,
                        help="how many messages with a large file come behind them")
    parser.add_argument("--attachment", type=int, default=40000 * 57, help="bytes of that file")
    parser.add_argument("--attachment-type", default="application/octet-stream")
    parser.add_argument("--generate", type=int, default=0,
                        help="how many varied messages there are besides")
    parser.add_argument("--mechanisms", default="plain login")
    parser.add_argument("--scheme", default="PLAIN", help="how Dovecot stores the password")
    parser.add_argument("--connections", type=int, default=20)
    parser.add_argument("--other-name", action="store_true",
                        help="with a certificate for elsewhere.example")
    parser.add_argument("--rawlog", action="store_true")
    parser.add_argument("--extra", default="", help="further lines of configuration")
    parser.add_argument("program", nargs="*", help="what to run, behind --")
    options = parser.parse_args()
    if shutil.which("dovecot") is None or shutil.which("openssl") is None:
        sys.stderr.write("there is no Dovecot (dovecot-imapd) or no openssl\n")
        return 77
    root = pathlib.Path(tempfile.mkdtemp(prefix="postbag-dovecot-"))
    os.chmod(root, 0o755)
    try:
        return serve(options, root)
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

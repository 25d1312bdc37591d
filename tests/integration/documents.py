# SPDX-License-Identifier: LGPL-2.1-or-later
"""The documents among the public mail cases, through `postbag extract --json`: what their text has
to contain, in which words a refusal comes, how long it may take."""

import email
import email.policy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import tap  # noqa: E402

PROGRAM = os.environ["POSTBAG_PROGRAM"]
CASES = os.environ.get("POSTBAG_CASES")
SECONDS = 60


def load_cases():
    if not CASES:
        return []
    lines = (pathlib.Path(CASES) / "eml/cases.jsonl").read_text("utf-8").splitlines()
    return [case for case in map(json.loads, lines) if "attachment_text" in case["expect"]]


def get_attachment(case, name):
    path = pathlib.Path(CASES) / "eml" / case["file"]
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    for part in message.walk():
        if part.get_filename() == name:
            return part.get_payload(decode=True)
    raise AssertionError(f"{case['id']} has no attachment {name}")


class Documents(unittest.TestCase):
    def extract(self, name, data):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.write_bytes(data)
            start = time.monotonic()
            done = subprocess.run([PROGRAM, "--json", "extract", str(path)], capture_output=True,
                                  timeout=SECONDS, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.seconds = time.monotonic() - start
        return json.loads(done.stdout.decode("utf-8")), len(done.stdout)

    def judge(self, expect, answer, size):
        text = answer.get("text", "")
        for piece in expect.get("contains", []):
            self.assertIn(piece, text)
        for piece in expect.get("absent", []):
            self.assertNotIn(piece, text)
        for piece in expect.get("once", []):
            self.assertEqual(text.count(piece), 1, piece)
        for choice in expect.get("contains_any", []):
            self.assertTrue(any(piece in text for piece in choice), (choice, text))
        words = expect.get("notice_contains_any")
        if words:
            self.assertTrue(any(word in answer["error"].lower() for word in words), answer)
        if expect.get("result") == "cut or limit error":
            self.assertTrue(answer.get("was_cut") or answer.get("reason") in (
                "too-large", "too-many-parts", "out-of-memory", "timeout"), answer)
        self.assertLessEqual(self.seconds, expect.get("max_seconds", SECONDS))
        self.assertLessEqual(size, expect.get("max_answer_bytes", 8 << 20))

    def try_case(self, case):
        for name, expect in case["expect"]["attachment_text"].items():
            answer, size = self.extract(name, get_attachment(case, name))
            if "cannot be turned into text here" in answer.get("error", ""):
                self.skipTest(f"there is no reader for {name}")
            self.judge(expect, answer, size)

    def test_cases_are_there(self):
        if not CASES:
            self.skipTest("POSTBAG_CASES is not set")
        self.assertGreater(len(load_cases()), 10)


class Members(unittest.TestCase):
    """Files inside others, each through the reader of its own type."""

    def extract(self, path, member):
        source = pathlib.Path(os.environ["POSTBAG_SOURCE_DIR"]) / "tests/corpus/documents" / path
        done = subprocess.run([PROGRAM, "extract", str(source), f"--member={member}"],
                              capture_output=True, timeout=SECONDS, check=False)
        return done.stdout.decode("utf-8") or done.stderr.decode("utf-8")

    def test_zip(self):
        self.assertEqual(self.extract("files.zip", "dir/a.txt"), "Words in a file.\n")
        self.assertEqual(self.extract("files.zip", "dir/a (2).txt"), "second\n")
        self.assertIn("(too-large)", self.extract("files.zip", "bomb.txt"))
        self.assertIn("(encrypted)", self.extract("locked.zip", "secret.txt"))

    def test_not_readable(self):
        for member in ("in.zip", "etc/passwd"):
            with self.subTest(member):
                said = self.extract("files.zip", member)
                self.assertIn("(not-a-document). The file inside cannot be read here", said)
                self.assertEqual(said.count("\n"), 1)

    def test_no_holder(self):
        for name, word in {"memo.doc": "doc", "orders.xlsx": "xlsx", "lists.rtf": "rtf"}.items():
            with self.subTest(name):
                self.assertIn(f"A document of this kind ({word}) has no files inside. Leave out "
                              "member", self.extract(name, "a.txt"))

    def test_missing(self):
        for holder in ("files.zip", "files.msg"):
            self.assertIn("There is no file of that name inside. Leave out member to list the files",
                          self.extract(holder, "nope"))


class Ole(unittest.TestCase):
    """Documents of Office before 2007 and letters of Outlook, as they are read in the cage."""

    def extract(self, data, name, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.write_bytes(data)
            done = subprocess.run([PROGRAM, "extract", str(path), "--json", *arguments],
                                  capture_output=True, timeout=SECONDS, check=False)
        return json.loads(done.stdout.decode("utf-8"))

    def read(self, name):
        return (pathlib.Path(os.environ["POSTBAG_SOURCE_DIR"]) / "tests/corpus/documents"
                / name).read_bytes()

    def test_formats(self):
        for name, piece in {"numbered.doc": "a) inner", "orders.xls": "## Sheet: ",
                            "kickoff.ppt": "## Slide 1: Harbour bridge",
                            "people.msg": "Cc: The Chief <chief@example.com>"}.items():
            for shown in (name, "unnamed"):
                with self.subTest(name=name, shown=shown):
                    answer = self.extract(self.read(name), shown)
                    self.assertEqual(answer["extracted_from"], name.rpartition(".")[2])
                    self.assertIn(piece, answer["text"])

    def test_inside(self):
        files = self.read("files.msg")
        self.assertIn("Only words in here.",
                      self.extract(files, "a.msg", "--member=notes.txt")["text"])
        self.assertIn("A page", self.extract(files, "a.msg",
                                             "--member=Überblick 2026.html")["text"])
        self.assertIn("- Screws: € 0.10", self.extract(self.read("page.msg"), "a.msg")["text"])
        wrapped = rb"{\rtf1\ansi\fromhtml1 {\*\htmltag64 <p>}\htmlrtf x\htmlrtf0 A page}"
        self.assertEqual(self.extract(wrapped, "a.rtf")["text"], "A page")
        self.assertIn("Grüße from rich text.",
                      self.extract(self.read("rich.msg"), "a.msg")["text"])

    def test_damaged(self):
        for name in ("numbered.doc", "orders.xls", "kickoff.ppt", "people.msg"):
            data = self.read(name)
            for size in (512, len(data) // 2, len(data) - 512):
                with self.subTest(name=name, size=size):
                    self.assertEqual(self.extract(data[:size], name).get("reason"), "corrupt")

    def test_encrypted(self):
        data = self.read("kickoff.ppt")
        token = b"\x5f\xc0\x91\xe3"
        self.assertEqual(data.count(token), 1)
        locked = data.replace(token, b"\xdf\xc4\xd1\xf3")
        self.assertEqual(self.extract(locked, "a.ppt")["reason"], "encrypted")


class Tnef(unittest.TestCase):
    """winmail.dat as public suites have it. Names of files are those that the program tnef lists;
    texts are those that stand in the files for strings(1), but for body.tnef, whose text is
    compressed."""

    FILES = {
        "attachments.tnef": ["zappa_av1.jpg", "bookmark.htm"],
        "two-files.tnef": ["AUTHORS", "README"],
        "one-file.tnef": ["AUTHORS"],
        "body.tnef": ["Bill of Rights", "Amendment I"],
        "unicode-mapi-attr.tnef": ["hello world", "example.dat"],
        "panic.tnef": ["VIKTIGT", "anders.waglund@bifirm.com"],
        "long-filename.tnef": ["allproductsmar2000.dat"],
        "triples.tnef": ["Sample description"],
    }

    def test_suite(self):
        if "POSTBAG_SUITES" not in os.environ:
            self.skipTest("POSTBAG_SUITES is not set")
        folder = (pathlib.Path(os.environ["POSTBAG_SUITES"]) /
                  "mime/mimekit/UnitTests/TestData/tnef")
        for path in sorted(folder.glob("*.tnef")):
            with self.subTest(path.name):
                done = subprocess.run([PROGRAM, "extract", str(path)], capture_output=True,
                                      timeout=SECONDS, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                for piece in self.FILES.get(path.name, []):
                    self.assertIn(piece, done.stdout.decode("utf-8"))


# One page; its cross references are left to be rebuilt.
PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<<
/F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj
4 0 obj<</Length 62>>stream
BT /F 12 Tf 20 250 Td (Invoice 4711) Tj 0 -20 Td (Total 9) Tj ET
endstream endobj
trailer<</Root 1 0 R>>
%%EOF
"""


# The codes are those of Python's codec cp932; which letters they mean says a file of poppler-data.
JAPANESE = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<<
/F<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/%ENCODING%/DescendantFonts[5 0 R]>>>>>>>>endobj
4 0 obj<</Length 59>>stream
BT /F 12 Tf 20 250 Td <93fa967b8cea82cc90bf8b818f91> Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/CIDFontType0/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)
/Supplement 2>>/FontDescriptor<</Type/FontDescriptor/FontName/A/Flags 4/FontBBox[0 0 9 9]
/ItalicAngle 0/Ascent 9/Descent 0/StemV 1/CapHeight 9>>>>endobj
trailer<</Root 1 0 R>>
%%EOF
"""


class Maps(unittest.TestCase):
    """What lies in files that the reader opens itself is read in the cage, too."""

    def extract(self, encoding):
        with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
            file.write(JAPANESE.replace(b"%ENCODING%", encoding))
            file.flush()
            done = subprocess.run([PROGRAM, "extract", file.name, "--json"], capture_output=True,
                                  timeout=SECONDS, check=False)
        return json.loads(done.stdout.decode("utf-8"))

    def test_japanese(self):
        answer = self.extract(b"90ms-RKSJ-H")
        self.assertEqual(answer["text"], "## Page 1\n\n日本語の請求書")
        self.assertEqual(answer["notes"], [])

    def test_missing(self):
        answer = self.extract(b"NoSuch-H")
        self.assertEqual(answer["text"], "## Page 1")
        self.assertIn("poppler-data", answer["notes"][0])


class Attachments(unittest.TestCase):
    """The same cage behind get_attachments."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.maildir = pathlib.Path(folder.name) / "Maildir"
        for name in ("cur", "new", "tmp"):
            (self.maildir / name).mkdir(parents=True)
        message = email.message.EmailMessage(policy=email.policy.SMTP)
        message["Subject"] = "Bill"
        message.set_content("See the bill.")
        message.add_attachment(PDF, maintype="application", subtype="pdf", filename="bill.pdf")
        message.add_attachment(b"PK\x03\x04 no such thing", maintype="application",
                               subtype="pdf", filename="lie.pdf")
        (self.maildir / "cur" / "1.1.host:2,S").write_bytes(message.as_bytes())
        self.environment = dict(os.environ, POSTBAG_STATE_DIR=str(pathlib.Path(folder.name) / "s"))

    def call(self, **arguments):
        done = subprocess.run([PROGRAM, "--json", "--maildir", str(self.maildir), "call",
                               "get_attachments", json.dumps({"uid": 1, **arguments})],
                              capture_output=True, timeout=SECONDS, check=False,
                              env=self.environment)
        return json.loads(done.stdout.decode("utf-8"))

    def test_text(self):
        listed = self.call()["structuredContent"]["attachments"]
        self.assertEqual([entry["extractable"] for entry in listed], [True, True])
        answer = self.call(part_id="2", mode="text", max_chars=11)["structuredContent"]
        self.assertEqual((answer["extracted_from"], answer["page_count"]), ("pdf", 1))
        self.assertEqual(answer["body"], "## Page 1\n\n")
        rest = self.call(part_id="2", offset=answer["next_offset"])["structuredContent"]
        self.assertEqual(rest["body"], "Invoice 4711\nTotal 9")
        self.assertIsNone(rest["next_offset"])

    def test_mislabelled(self):
        answer = self.call(part_id="3", mode="text")
        self.assertTrue(answer["isError"])
        self.assertIn("not-a-document", answer["content"][0]["text"])

    def test_as_on_the_command_line(self):
        """What a document hides, and a file inside that is not there."""
        documents = pathlib.Path(os.environ["POSTBAG_SOURCE_DIR"]) / "tests/corpus/documents"
        message = email.message.EmailMessage(policy=email.policy.SMTP)
        message.set_content("See the slides.")
        for name, subtype in (
                ("hidden.pptx", "vnd.openxmlformats-officedocument.presentationml.presentation"),
                ("files.zip", "zip")):
            message.add_attachment((documents / name).read_bytes(), maintype="application",
                                   subtype=subtype, filename=name)
        (self.maildir / "cur" / "1.1.host:2,S").write_bytes(message.as_bytes())
        self.assertIn(
            "1 piece of this document cannot be seen by somebody who looks at the document.",
            self.call(part_id="2", mode="text")["structuredContent"]["notes"])
        inside = self.call(part_id="3", mode="text", member="dir/a.txt")["structuredContent"]
        self.assertEqual(inside["filename"], "files.zip")
        self.assertEqual(inside["notes"][0],
                         "The text is that of a file inside: “dir/a.txt” (by its name text/plain).")
        missing = self.call(part_id="3", mode="text", member="nope")
        self.assertTrue(missing["isError"])
        self.assertIn("There is no file of that name inside. Leave out member to list the files",
                      missing["content"][0]["text"])


def make_test(case):
    def test(self):
        self.try_case(case)

    test.__doc__ = case["title"]
    return test


for _case in load_cases():
    if _case["level"] == "must":
        setattr(Documents, "test_" + _case["id"].replace("-", "_"), make_test(_case))


if __name__ == "__main__":
    tap.main()

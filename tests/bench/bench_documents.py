# SPDX-License-Identifier: LGPL-2.1-or-later
"""Documents: a 10-page PDF and a docx of 1 MB against the bare libraries in the same run, and what
a thousand documents leave behind in the server's memory."""

import email.message
import email.policy
import pathlib
import random
import subprocess
import tempfile
import time
import zipfile
import zlib

import server

TIMES = 40
EXTRACTIONS = 1000
WARM = 50
A_MESSAGE = 25  # attachments
MORE_MS = 5

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def make_words(rng, count):
    letters = "etaoinshrdlucmfwypvbgkqjxz"
    weights = range(len(letters), 0, -1)
    return ["".join(rng.choices(letters, weights, k=rng.randint(2, 9))) for _ in range(count)]


def make_pdf(pages):
    """@pages: a list of lines for each, set in Helvetica."""
    objects = ["<</Type/Catalog/Pages 2 0 R>>",
               "<</Type/Pages/Count %d/Kids[%s]>>" % (len(pages), " ".join("%d 0 R" % (4 + 2 * i) for i in range(len(pages)))),
               "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    for number, lines in enumerate(pages):
        content = "BT /F 10 Tf 13 TL 50 800 Td %s ET" % " ".join("(%s) Tj T*" % line for line in lines)
        packed = zlib.compress(content.encode("ascii"))
        objects.append("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>"
                       % (5 + 2 * number))
        objects.append(b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(packed), packed))
    file, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body if isinstance(body, bytes) else body.encode("ascii"))
    start = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    file += b"".join(b"%010d 00000 n \n" % place for place in places)
    file += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(places) + 1, start)
    return bytes(file)


def make_docx(path, size):
    """As Word writes it: a run for every few words, packed to about @size bytes; fewer than a million characters."""
    rng = random.Random(2)
    parts, packed = [f'<w:document xmlns:w="{W}"><w:body>'], 0
    packer = zlib.compressobj(6)
    while packed < size:
        runs = "".join(
            '<w:r w:rsidR="%08X" w:rsidRPr="%08X"><w:rPr><w:sz w:val="22"/></w:rPr><w:t xml:space="preserve">%s </w:t></w:r>'
            % (rng.getrandbits(32), rng.getrandbits(32), " ".join(make_words(rng, 7))) for _ in range(8))
        parts.append(f'<w:p w:rsidR="{rng.getrandbits(32):08X}"><w:pPr><w:spacing w:after="200"/></w:pPr>{runs}</w:p>')
        packed += len(packer.compress(parts[-1].encode("ascii"))) + len(packer.flush(zlib.Z_SYNC_FLUSH))
    parts.append("</w:body></w:document>")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", "".join(parts))


def make_files(folder):
    rng = random.Random(1)
    pages = [[" ".join(make_words(rng, 12)) for _ in range(45)] for _ in range(10)]
    (folder / "pages.pdf").write_bytes(make_pdf(pages))
    make_docx(folder / "megabyte.docx", 1_150_000)  # flushes count for more than the file has
    return [folder / "pages.pdf", folder / "megabyte.docx"]


def make_maildir(maildir, count):
    for name in ("cur", "new", "tmp"):
        (maildir / name).mkdir(parents=True)
    for number in range(count):
        message = email.message.EmailMessage(policy=email.policy.SMTP)
        message["Subject"] = f"Files {number}"
        message.set_content("See the files.")
        for part in range(A_MESSAGE):
            message.add_attachment(make_pdf([[f"Invoice {number} {part}"] * 40]), maintype="application",
                                   subtype="pdf", filename=f"{part}.pdf")
        (maildir / "cur" / f"{number}.host:2,S").write_bytes(message.as_bytes())


def read_one(postbag, index):
    result = postbag.call("get_attachments", {"uid": index // A_MESSAGE + 1, "part_id": str(index % A_MESSAGE + 2),
                                              "mode": "text"})
    assert "Invoice" in result["structuredContent"]["body"], result


def measure_memory(table, read_memory, folder):
    count = EXTRACTIONS + WARM
    make_maildir(folder / "Maildir", count // A_MESSAGE)
    with server.Server(folder / "Maildir", environment={"XDG_STATE_HOME": str(folder / "state")}) as postbag:
        postbag.initialize()
        start = time.perf_counter()
        read_one(postbag, 0)
        first = (time.perf_counter() - start) * 1000
        for index in range(1, WARM):
            read_one(postbag, index)
        before, _ = read_memory(postbag.process.pid)
        start = time.perf_counter()
        for index in range(WARM, count):
            read_one(postbag, index)
        each = (time.perf_counter() - start) * 1000 / EXTRACTIONS
        after, _ = read_memory(postbag.process.pid)
    table.add("the first document after a start", first, "ms", None, "the readers are opened")
    table.add("a PDF of one page, through get_attachments", each, "ms", None, f"mean of {EXTRACTIONS:,}")
    table.add(f"memory after {EXTRACTIONS:,} documents", after, "MiB", before * 1.02 + 0.25,
              f"{before:.2f} MiB before", aim="before + 2 % + 0.25")


def measure(table, program, tools, read_memory):
    with tempfile.TemporaryDirectory(prefix="postbag-bench-") as name:
        folder = pathlib.Path(name)
        files = make_files(folder)
        run = subprocess.run([tools / "bench-documents", pathlib.Path(program).parent / "postbag-extract", str(TIMES),
                              *files], check=True, stdout=subprocess.PIPE, text=True)
        for what, line in zip(("a PDF of 10 pages to text", "a docx of 1 MB to text"), run.stdout.splitlines()):
            ours, bare, chars, bare_chars = map(float, line.split())
            table.add(what, ours, "ms", bare + MORE_MS, f"{chars:,.0f} characters, bare {bare_chars:,.0f}", bare=bare,
                      aim=f"bare + {MORE_MS}")
        measure_memory(table, read_memory, folder)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""What users of such tools met with documents, each through get_attachments of the real program.

The numbers are those of tests/contract/guarded-faults.tsv. The documents are made here, byte by
byte, from the formats' own descriptions.
"""

import email.message
import email.policy
import io
import pathlib
import random
import sys
import tempfile
import unittest
import zipfile
import zlib

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "conformance")]

import tap  # noqa: E402
import server as stdio  # noqa: E402

OOXML = "application/vnd.openxmlformats-officedocument."
DOCX = OOXML + "wordprocessingml.document"
XLSX = OOXML + "spreadsheetml.sheet"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
PDF = "application/pdf"
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def pack(entries):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return file.getvalue()


def make_docx(body, **more):
    return pack({"word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
                 **more})


def make_xlsx(rows, shared):
    return pack({
        "xl/workbook.xml": f'<workbook {S} xmlns:r="{RELATIONS}"><sheets>'
                           '<sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels":
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="rId1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>'
            '</Relationships>',
        "xl/sharedStrings.xml": f"<sst {S}><si><t>{shared}</t></si></sst>",
        "xl/worksheets/sheet1.xml": f"<worksheet {S}><sheetData>{rows}</sheetData></worksheet>"})


def make_ods(table):
    names = "".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" '
                    for name in ("office", "table", "text"))
    return pack({"mimetype": ODS, "content.xml":
                 f"<office:document-content {names}><office:body><office:spreadsheet>"
                 f'<table:table table:name="One">{table}</table:table>'
                 "</office:spreadsheet></office:body></office:document-content>"})


def make_pdf(objects):
    """Objects by number; the first is the catalog. Cross references are left to be rebuilt."""
    parts = [b"%PDF-1.7\n"]
    for number, content in objects.items():
        content = content if isinstance(content, bytes) else content.encode()
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    return b"".join(parts) + b"trailer<</Root 1 0 R>>\n%%EOF\n"


def make_stream(data, more=""):
    return (f"<</Length {len(data)}{more}>>stream\n").encode() + data + b"\nendstream"


FONT = "/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"


def make_text(words):
    return make_stream(f"BT /F 12 Tf 20 250 Td ({words}) Tj ET".encode())


def make_page(contents, more=""):
    return f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents {contents} 0 R{FONT}{more}>>"


class Documents(unittest.TestCase):
    arguments = ()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.maildir = self.folder / "Maildir"
        for name in ("cur", "new", "tmp"):
            (self.maildir / name).mkdir(parents=True)

    def ask(self, data, content_type, name="a.bin", mode="text", **more):
        """The result for a message whose one attachment is @data, and its server stays alive"""
        message = email.message.EmailMessage(policy=email.policy.SMTP)
        message["Subject"] = "Document"
        message.set_content("See the document.")
        maintype, subtype = content_type.split("/")
        message.add_attachment(data, maintype=maintype, subtype=subtype, filename=name)
        (self.maildir / "cur" / "1.1.host:2,S").write_bytes(message.as_bytes())
        environment = {"POSTBAG_VALIDATE_RESULTS": "true",
                       "POSTBAG_STATE_DIR": str(self.folder / "state")}
        with stdio.Server(str(self.maildir), (), environment) as server:
            server.initialize()
            uid = server.call("list_messages", {})["structuredContent"]["messages"][0]["uid"]
            result = server.call("get_attachments", {"uid": uid, "part_id": "2", "mode": mode,
                                                     **more})
            server.expect_alive()
        return result

    def read(self, *arguments, **more):
        result = self.ask(*arguments, **more)
        self.assertNotIn("isError", result, result)
        return result["structuredContent"]

    def refuse(self, reason, *arguments, **more):
        result = self.ask(*arguments, **more)
        self.assertIs(result.get("isError"), True, str(result)[:500])
        text = result["content"][0]["text"]
        self.assertIn(reason, text)
        return text

    def test_17_forms_scripts_and_annotations_stay_unread(self):
        answer = self.read(make_pdf({
            1: "<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\('Scripted'\\))>>"
               "/AcroForm<</Fields[6 0 R]/NeedAppearances true>>"
               "/Names<</JavaScript<</Names[(a)<</S/JavaScript/JS(Scripted)>>]>>>>>>",
            2: "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            3: make_page(4, "/Annots[5 0 R 6 0 R 7 0 R]/AA<</O<</S/JavaScript/JS(Scripted)>>>>"),
            4: make_text("Invoice 4711"),
            5: "<</Type/Annot/Subtype/FreeText/Rect[20 20 200 60]/Contents(Annotated)"
               "/DA(/F 12 Tf)/AP<</N 8 0 R>>>>",
            6: "<</Type/Annot/Subtype/Widget/FT/Tx/T(field)/V(Filled)/Rect[20 80 200 120]"
               "/DA(/F 12 Tf)>>",
            7: "<</Type/Annot/Subtype/Text/Rect[20 140 40 160]/Contents(Noted)>>",
            8: make_stream(b"BT /F 12 Tf 0 0 Td (Appearing) Tj ET",
                           f"/Type/XObject/Subtype/Form/BBox[0 0 180 40]{FONT}"),
        }), PDF)
        self.assertIn("Invoice 4711", answer["body"])
        for word in ("Scripted", "Annotated", "Filled", "Noted", "Appearing", "alert"):
            self.assertNotIn(word, answer["body"])

    def test_22_references_and_tags_with_a_colon(self):
        body = self.read(make_docx("<w:p><w:r><w:t>a&#x26;#104; &#0000000104; &lt;b&gt;</w:t></w:r>"
                                   "</w:p><w:p><w:r><w:t>&#8211; next</w:t></w:r></w:p>"),
                         DOCX)["body"]
        self.assertEqual([line.strip() for line in body.split("\n") if line.strip()],
                         ["a&#104; h < b>", "– next"])

    def test_23_documents_are_text_where_nothing_can_be_saved(self):
        answer = self.read(make_docx("<w:p><w:r><w:t>Dear Bob</w:t></w:r></w:p>"), DOCX, "a.docx",
                           mode="auto")
        self.assertEqual((answer["action"], answer["encoding"], answer["extracted_from"],
                          answer["body"].strip()),
                         ("returned", "extracted_text", "docx", "Dear Bob"))

    def test_25_streams_are_measured_before_they_are_parsed(self):
        """96 MB of one letter in 93 kB."""
        packer = zlib.compressobj(9)
        bomb = b"".join([packer.compress(b"BT ET " * 174763) for _ in range(96)] + [packer.flush()])
        self.assertLess(len(bomb), 512 * 1024)
        self.refuse("(too-large)", make_pdf({
            1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            3: make_page(4), 4: make_stream(bomb, "/Filter/FlateDecode")}), PDF)

    def test_26_many_pages_are_no_scan(self):
        """The first hundred are read, and the declared number is told."""
        count = 130
        pages = {number: make_page(3 + count + number - 3) for number in range(3, 3 + count)}
        texts = {3 + count + index: make_text(f"Page number {index + 1}.") for index in range(count)}
        answer = self.read(make_pdf({
            1: "<</Type/Catalog/Pages 2 0 R>>",
            2: "<</Type/Pages/Kids[" + " ".join(f"{one} 0 R" for one in pages)
               + f"]/Count {count}>>", **pages, **texts}), PDF, max_chars=25000)
        self.assertEqual(answer["page_count"], 100)
        self.assertIn("Page number 100.", answer["body"])
        self.assertNotIn("Page number 101.", answer["body"])
        self.assertIn("130", " ".join(answer["notes"]))

    def test_27_long_contracts_are_documents(self):
        """Text above a million characters, and more markup: cut, and told; its end is reached."""
        chance = random.Random(27)
        words = ["".join(chance.choices("abcdefghijklmnop", k=7)) for _ in range(5000)]
        paragraphs = "".join("<w:p><w:r><w:t>" + " ".join(chance.choices(words, k=60))
                             + "</w:t></w:r></w:p>" for _ in range(2500))
        data = make_docx("<w:p><w:r><w:t>The parties agree.</w:t></w:r></w:p>" + paragraphs)
        first = self.read(data, DOCX)
        self.assertEqual(first["total_chars"], 1000000)
        self.assertTrue(first["body"].startswith("The parties agree."))
        self.assertTrue(any("1000000" in note.replace(",", "") for note in first["notes"]),
                        first["notes"])
        last = self.read(data, DOCX, offset=999000, max_chars=25000)
        self.assertEqual((last["returned_chars"], last["next_offset"]), (1000, None))

    def test_28_pictures_are_not_counted(self):
        text = "<w:p><w:r><w:t>Album</w:t></w:r></w:p>"
        pictures = {f"word/media/image{number}.png": "picture" for number in range(600)}
        self.assertEqual(self.read(make_docx(text, **pictures), DOCX)["body"].strip(), "Album")

    def test_29_repeated_cells_are_bounded(self):
        """A shared string of 100 kB 20,000 times; a cell that says it is there 16,384 times, in
        rows that say the same: gigabytes if one believed them."""
        rows = '<row><c t="s"><v>0</v></c></row>' * 20000
        answer = self.read(make_xlsx(rows, "x" * 100000), XLSX)
        self.assertLessEqual(answer["total_chars"], 1000000)
        self.assertNotEqual(answer["notes"], [])
        answer = self.read(make_ods(
            '<table:table-row table:number-rows-repeated="1048576">'
            '<table:table-cell table:number-columns-repeated="16384"><text:p>'
            + "y" * 100 + "</text:p></table:table-cell></table:table-row>"), ODS)
        self.assertLessEqual(answer["total_chars"], 1000000)
        self.assertNotEqual(answer["notes"], [])

    def test_30_deleted_text_is_dropped_and_hidden_runs_are_counted(self):
        run = "<w:r>{}<w:t xml:space='preserve'>{}</w:t></w:r>"
        result = self.ask(make_docx(
            "<w:p>" + run.format("", "Price ")
            + "<w:del><w:r><w:delText>900 EUR</w:delText></w:r></w:del>"
            + "<w:ins>" + run.format("", "1200 EUR") + "</w:ins>"
            + "<w:r><w:instrText>SECRETFIELD</w:instrText></w:r>"
            + run.format("<w:rPr><w:vanish/></w:rPr>", "one")
            + run.format("<w:rPr><w:color w:val='FFFFFF'/></w:rPr>", "two")
            + run.format("<w:rPr><w:sz w:val='2'/></w:rPr>", "three") + "</w:p>"), DOCX)
        body = result["structuredContent"]["body"]
        self.assertIn("Price 1200 EUR", body)
        for word in ("900", "SECRETFIELD"):
            self.assertNotIn(word, body)
        self.assertRegex(result["content"][0]["text"], r"\b3\b[^\n]*hidden|hidden[^\n]*\b3\b")


if __name__ == "__main__":
    tap.main()

#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds tests/corpus/hidden-text.json against a browser. Not a part of `make check`: it needs a
Chromium (`apt-get install chromium`) and some minutes. Run it after changing rows:

  tests/browser/hidden-text.py [ID...]

Each row is shown, then once more for each run of text in it with other letters there: where no
pixel changes, nobody can see that text. What is faint or tiny does change some, so rows whose reason
is one of those are told apart, as are those that no browser can judge (Outlook, screen readers)."""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

CORPUS = pathlib.Path(__file__).parent.parent / "corpus" / "hidden-text.json"
WIDTH, HEIGHT = 1000, 800
FAINT = {"opacity", "font-size", "same-color", "size", "transform"}
NO_BROWSER = {"mso-hide", "screen-reader", "invisible-characters", "blank-lines", "svg", "alt",
              "fallback", "textarea", "select", "noscript"}
# The runs of text of a page; what is no text of a page (styles, scripts) aside.
FIND = """(() => { const all = []; const walk = (root) => {
  const w = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (w.nextNode()) if (w.currentNode.data.trim()
    && !['STYLE', 'SCRIPT', 'TITLE'].includes(w.currentNode.parentNode.nodeName)) all.push(w.currentNode);
  }; walk(document); window.all = all; return all.map(n => n.data); })()"""
CHANGE = """(() => { const n = window.all[%d]; const old = n.data;
  n.data = old.replace(/[^\\s]/g, c => 'wWmM#'.includes(c) ? 'i' : 'W'); window.old = old; return 1; })()"""
BACK = "(() => { window.all[%d].data = window.old; return 1; })()"


class Browser:
    """Speaks the DevTools protocol over two pipes."""

    def __init__(self, folder):
        to_child, self.write = os.pipe()
        self.read, from_child = os.pipe()

        def give():
            os.dup2(to_child, 3)
            os.dup2(from_child, 4)

        high = [os.dup(fd) for fd in (to_child, from_child)]
        os.close(to_child), os.close(from_child)
        to_child, from_child = [self.move_up(fd) for fd in high]
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             f"--user-data-dir={folder}", f"--window-size={WIDTH},{HEIGHT}", "--blink-settings=imagesEnabled=false",
             "--remote-debugging-pipe", "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank"],
            preexec_fn=give, close_fds=False, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.buffer, self.number, self.session = b"", 0, None

    @staticmethod
    def move_up(fd):
        import fcntl
        high = fcntl.fcntl(fd, fcntl.F_DUPFD, 20)
        os.close(fd)
        os.set_inheritable(high, True)
        return high

    def receive(self):
        while b"\0" not in self.buffer:
            data = os.read(self.read, 1 << 20)
            if not data:
                sys.exit("the browser has gone")
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **arguments):
        self.number += 1
        message = {"id": self.number, "method": method, "params": arguments}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]

    def wait(self, event):
        while self.receive().get("method") != event:
            pass

    def start(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setScriptExecutionDisabled", value=True)
        # all letters are as wide: a box that grows with them stays as it is
        self.call("Page.setFontFamilies", fontFamilies=dict.fromkeys(
            ("standard", "serif", "sansSerif"), "monospace"))

    def evaluate(self, script):
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def look(self):
        return self.call("Page.captureScreenshot", format="png")["data"]

    def show(self, html):
        page = "data:text/html;charset=utf-8;base64," + base64.b64encode(html.encode()).decode()
        self.call("Page.navigate", url=page)
        self.wait("Page.loadEventFired")


def squeeze(text):
    return "".join(text.split())


def judge(browser, row, kind):
    """What differs: a list of (run of text, seen by the browser)."""
    html = row["html"] + (row["repeat"][0] * row["repeat"][1] if "repeat" in row else "") + row.get("after", "")
    browser.show(html)
    runs = browser.evaluate(FIND) or []
    base = browser.look()
    wrong = []
    for i, run in enumerate(runs):
        browser.evaluate(CHANGE % i)
        seen = browser.look() != base
        browser.evaluate(BACK % i)
        told = squeeze(run) in squeeze(row["text"])
        if seen != told:
            wrong.append((run.strip(), seen))
    return wrong


def main():
    rows = json.loads(CORPUS.read_text())
    wanted = set(sys.argv[1:])
    count, odd = 0, 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        browser.start()
        for kind in ("hidden", "shown"):
            for row in rows[kind]:
                if wanted and row["id"] not in wanted:
                    continue
                count += 1
                reasons = set(row["reasons"])
                for run, seen in judge(browser, row, kind):
                    known = reasons & NO_BROWSER or (seen and reasons & FAINT)
                    odd += not known
                    print("%s %s/%s: the browser %s `%s`, the row says otherwise (%s)" % (
                        "policy " if known else "DIFFERS", kind, row["id"], "shows" if seen else "hides", run[:60],
                        ", ".join(sorted(reasons)) or "nothing"))
        browser.process.terminate()
        browser.process.wait()
    print(f"{count} rows, {odd} differ")
    return odd > 0


if __name__ == "__main__":
    sys.exit(main())

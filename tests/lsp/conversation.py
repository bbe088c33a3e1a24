#!/usr/bin/env python3
"""conversation.py GPULINT: the language server as a process. What unit tests cannot see: bytes, both threads, its end."""

import json
import pathlib
import subprocess
import sys
import tempfile

from client import Client, uri_of

CONFIG = "batch_size: 8\nnum_workers: 0\n"


def check(condition, what):
    if not condition:
        sys.exit(f"conversation.py: {what}")


def started(program, folder):
    client = Client(program, ("lsp", "--stdio"))
    client.initialize([folder])
    return client


def rules(diagnostics):
    return [each["code"] for each in diagnostics]


def typing(program, folder):
    """Two hundred edits sent at once are judged in far fewer steps; the last version is judged last."""
    path = folder / "train.yaml"
    client = started(program, folder)
    client.open(path, CONFIG)
    check(rules(client.wait_for_version(path, 1)) == ["no-loader-workers"], "the finding of the first version")
    before = len(client.received)
    for version in range(2, 202):
        at = {"line": 1, "character": 13}
        change = {"range": {"start": at, "end": {"line": 1, "character": 14}}, "text": str(version % 2)}
        client.change(path, [change], version)
    check(rules(client.wait_for_version(path, 201)) == [], "the findings of the last version")
    check(len(client.received) - before < 150, "edits that wait are judged together")
    check(client.close() == 0, "shutdown and exit end with 0")


def garbage(program, folder):
    """What is no message is answered, and the next message is read."""
    client = started(program, folder)
    bad = b"{\"jsonrpc\": "
    client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(bad), bad))
    answer = client.wait_for(lambda message: message.get("id", 0) is None)
    check(answer["error"]["code"] == -32700, "bytes that are no JSON are a parse error")
    client.send_bytes(b"Hello\r\n\r\n")
    answer = client.wait_for(lambda message: message.get("id", 0) is None)
    check(answer["error"]["code"] == -32700, "headers without a length are a parse error")
    size = 65 << 20
    client.send_bytes(b"Content-Length: %d\r\n\r\n" % size)
    for _ in range(65):
        client.send_bytes(b"x" * (1 << 20))
    answer = client.wait_for(lambda message: message.get("id", 0) is None)
    check("limit of 64 MiB" in answer["error"]["message"], "a message over the limit names it")
    number = client.send_request("no/such", {})
    check(client.answer(number)["error"]["code"] == -32601, "a method nobody knows")
    check(client.close() == 0, "shutdown and exit end with 0")


def cancelled(program, folder):
    """Requests that are taken back while they wait are answered as cancelled."""
    path = folder / "train.yaml"
    client = started(program, folder)
    client.open(path, CONFIG)
    numbers = [client.send_request("textDocument/codeLens", {"textDocument": {"uri": uri_of(path)}}) for _ in range(50)]
    for number in numbers:
        client.notify("$/cancelRequest", {"id": number})
    answers = [client.answer(number) for number in numbers]
    check(all("result" in each or each["error"]["code"] == -32800 for each in answers), "every request is answered")
    check(client.close() == 0, "shutdown and exit end with 0")


def changes_since_head(program, folder):
    """What is unsaved is compared with the last commit, wherever the server was started."""
    repository = folder / "repository"
    repository.mkdir()
    git = ["git", "-C", repository, "-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"]
    path = repository / "train.yaml"
    path.write_text(CONFIG + "model: resnet50\nimage_size: 224\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *words], check=True)
    client = started(program, repository)
    client.open(path, path.read_text().replace("batch_size: 8", "batch_size: 64"))
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": uri_of(path)}})
    commands = [lens["command"]["command"] for lens in lenses]
    check("gpulint.diff" in commands, f"a lens with what changes: {commands}")
    text = client.request("workspace/executeCommand", {"command": "gpulint.diff", "arguments": [uri_of(path)]})
    check("HEAD -> the working files" in text and "peak VRAM" in text, f"memory before and after: {text}")
    check(client.close() == 0, "shutdown and exit end with 0")


def ends(program, folder):
    client = started(program, folder)
    client.notify("exit", None)
    check(client.process.wait(20) == 1, "exit without shutdown ends with 1")
    client = started(program, folder)
    client.process.stdin.close()
    check(client.process.wait(20) == 1, "input that ends without exit ends with 1")
    silent = subprocess.run([program, "lsp"], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=20)
    check((silent.returncode, silent.stdout) == (1, b""), "no input, no output")


def writes_nothing(program, folder):
    """Fixes are edits for the editor: the files stay as they are."""
    path = folder / "fix.yaml"
    path.write_text("batch_size: 8\nnum_workers: 0\npersistent_workers: true\n")
    before = sorted((str(each), each.stat().st_mtime_ns) for each in folder.rglob("*"))
    client = started(program, folder)
    client.open(path)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    actions = client.request("textDocument/codeAction", {"textDocument": {"uri": uri_of(path)}, "range": whole,
                                                        "context": {"diagnostics": [], "only": ["source.fixAll"]}})
    check("Apply all safe fixes" in json.dumps(actions), "the fix is offered")
    check(client.close() == 0, "shutdown and exit end with 0")
    check(sorted((str(each), each.stat().st_mtime_ns) for each in folder.rglob("*")) == before, "nothing is written")


def main():
    program = sys.argv[1]
    for part in (typing, garbage, cancelled, changes_since_head, ends, writes_nothing):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place).resolve()
            (folder / ".git").mkdir()
            part(program, folder)
    print("6 conversations")


main()

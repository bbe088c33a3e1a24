"""A small language client for tests and measurements: one server process, messages in and out."""

import json
import pathlib
import select
import subprocess
import time
import urllib.parse


def uri_of(path):
    return "file://" + urllib.parse.quote(str(path))


class Client:
    def __init__(self, program, arguments=("lsp",), timeout=20):
        self.process = subprocess.Popen([program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.timeout = timeout
        self.buffer = b""
        self.next_id = 1
        self.received = []  # notifications and requests of the server, in order
        self.diagnostics = {}  # the latest by URI
        self.versions = {}

    # Messages.

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def send_request(self, method, params):
        number, self.next_id = self.next_id, self.next_id + 1
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def request(self, method, params):
        return self.result(self.answer(self.send_request(method, params)))

    def answer(self, number):
        return self.wait_for(lambda message: message.get("id") == number and "method" not in message)

    @staticmethod
    def result(message):
        if "error" in message:
            raise AssertionError(message["error"])
        return message["result"]

    def wait_for(self, wanted):
        end = time.monotonic() + self.timeout
        while True:
            message = self.read(end - time.monotonic())
            if message is None:
                raise AssertionError("the server did not answer in time")
            if wanted(message):
                return message

    def read(self, timeout):
        """The next message, or None where none comes in time."""
        end = time.monotonic() + timeout
        while True:
            message = self.parse()
            if message is not None:
                self.keep(message)
                return message
            ready, _, _ = select.select([self.process.stdout], [], [], max(end - time.monotonic(), 0))
            if not ready:
                return None
            chunk = self.process.stdout.read1(1 << 20)
            if not chunk:
                raise AssertionError("the server is gone")
            self.buffer += chunk

    def parse(self):
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return None
        length = int(head.split(b":")[1])
        if len(rest) < length:
            return None
        self.buffer = rest[length:]
        return json.loads(rest[:length])

    def keep(self, message):
        if "method" not in message:
            return
        self.received.append(message)
        if message["method"] == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics[params["uri"]] = params["diagnostics"]
            self.versions[params["uri"]] = params.get("version")
        elif message["method"] == "client/registerCapability":
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": None})

    # What editors do.

    def initialize(self, folders=(), capabilities=None, options=None):
        answer = self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": None,
                "capabilities": capabilities or {},
                "initializationOptions": options or {},
                "workspaceFolders": [{"uri": uri_of(folder), "name": "f"} for folder in folders],
            },
        )
        self.notify("initialized", {})
        return answer

    def open(self, path, text=None, version=1):
        text = pathlib.Path(path).read_text() if text is None else text
        document = {"uri": uri_of(path), "languageId": "yaml", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, path, changes, version):
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri_of(path), "version": version}, "contentChanges": changes},
        )

    def wait_for_version(self, path, version):
        uri = uri_of(path)
        if self.versions.get(uri) != version:
            self.wait_for(lambda message: self.versions.get(uri) == version)
        return self.diagnostics[uri]

    def close(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        code = self.process.wait(self.timeout)
        self.process.stdin.close()
        self.process.stdout.close()
        return code

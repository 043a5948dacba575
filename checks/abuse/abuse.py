"""Attacks on the servers of the command by a raw iWARP peer, each followed by an honest client."""

from __future__ import annotations

import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "interop"))
from iwarp_pcap import FLAG_CRC, FLAG_REJECT, REPLY_KEY, REQUEST_KEY, STARTUP_HEADER, crc32c

JAVA = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-jar", sys.argv[1]]
WRITE, READ_REQUEST, SEND, TERMINATE, ATOMIC_REQUEST, ATOMIC_RESPONSE = 0, 1, 3, 7, 10, 11
COMPARE_SWAP = 2
UNTAGGED_HEADER = 18
OFFER, REFUSED = 1, 7  # messages of file serve
SECRET = b"a secret of an honest client"
INVALID_STAG_OF_WRITE, INVALID_STAG_OF_READ, INVALID_OFFSET = 0x1100, 0x0100, 0x1204  # RFC 5040 section 4.8


class Harm(Exception):
    """An attack has had an effect that it must not have."""


def fpdu(ulpdu: bytes) -> bytes:
    content = struct.pack(">H", len(ulpdu)) + ulpdu
    content += bytes(-len(content) % 4)
    return content + struct.pack("<I", crc32c(content))


def untagged(opcode: int, queue: int, number: int, offset: int, payload: bytes) -> bytes:
    return fpdu(struct.pack(">BBIIII", 0x41, 0x40 | opcode, 0, queue, number, offset) + payload)


def tagged(stag: int, offset: int, payload: bytes) -> bytes:
    return fpdu(struct.pack(">BBIQ", 0xC1, 0x40 | WRITE, stag, offset) + payload)


class Peer:
    """A raw connection."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.socket = socket.create_connection(("127.0.0.1", server.port), 5)
        self.socket.settimeout(10)

    def take(self, count: int) -> bytes:
        octets = b""
        while len(octets) < count:
            more = self.socket.recv(count - len(octets))
            if not more:
                raise EOFError
            octets += more
        return octets

    def request(self, private_data: bytes) -> None:
        self.socket.sendall(REQUEST_KEY + struct.pack(">BBH", FLAG_CRC, 1, len(private_data)) + private_data)

    def set_up(self) -> Peer:
        self.request(self.server.greeting)
        frame = self.take(STARTUP_HEADER)
        flags, _, length = struct.unpack(">BBH", frame[len(REPLY_KEY):])
        self.private_data = self.take(length)
        if not frame.startswith(REPLY_KEY) or flags & FLAG_REJECT:
            raise Harm("expected an accepted connection, got a rejection")
        return self

    def ulpdu(self) -> bytes:
        length = struct.unpack(">H", head := self.take(2))[0]
        rest = self.take(length + -(len(head) + length) % 4 + 4)
        return rest[:length]

    def expect_terminate(self, code: int) -> bytes:
        """Reads up to a Terminate; returns all that came."""
        seen = b""
        while True:
            try:
                ulpdu = self.ulpdu()
            except (EOFError, OSError) as end:
                raise Harm(f"expected a Terminate {code:04x}, got the end of the connection ({end!r})") from end
            seen += ulpdu
            if ulpdu[1] & 0x0F == TERMINATE:
                came = struct.unpack_from(">H", ulpdu, 18)[0]
                if came != code:
                    raise Harm(f"expected a Terminate {code:04x}, got {came:04x}")
                return seen


class Server:
    """A server of the command and its honest client."""

    def __init__(self, name: str, greeting: bytes, arguments: list[str], client: list[str], open_files: int = 0) -> None:
        self.greeting, self.client = greeting, client
        self.log = tempfile.NamedTemporaryFile(prefix="abuse-")
        limit = ["bash", "-c", f'ulimit -n {open_files} && exec "$@"', "bash"] if open_files else []
        self.process = subprocess.Popen([*limit, *JAVA, *arguments], stdout=self.log, stderr=subprocess.STDOUT)
        RUNNING.append(self)
        deadline = time.monotonic() + 20
        while not (found := re.search(r"listening on [^,\s]*:(\d+)", self.text())):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise Harm(f"{name}: expected a server that listens, got: {self.text()}")
            time.sleep(0.1)
        self.port = int(found[1])

    def text(self) -> str:
        return Path(self.log.name).read_text(errors="replace")

    def serves(self) -> None:
        arguments = [part.format(port=self.port) for part in self.client]
        try:
            done = subprocess.run([*JAVA, *arguments], capture_output=True, text=True, timeout=25, check=False)
        except subprocess.TimeoutExpired as slow:
            raise Harm("expected an honest client that ends, got none within 25 s") from slow
        if done.returncode:
            raise Harm(f"expected an honest client that succeeds, got {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


RUNNING: list[Server] = []


def unfinished_set_ups(server: Server) -> list[Peer]:
    peers = [Peer(server) for _ in range(50)]
    for peer in peers[::2]:
        peer.socket.sendall(REQUEST_KEY[:7])
    return peers


def half_fpdus(server: Server) -> list[Peer]:
    peers = [Peer(server).set_up() for _ in range(100)]
    for peer in peers:
        peer.socket.sendall(untagged(SEND, 0, 1, 0, bytes(1000))[:500])
    return peers


def wrong_write(server: Server) -> list[Peer]:
    peer = Peer(server).set_up()
    peer.socket.sendall(tagged(0x12345678, 0, b"x"))
    peer.expect_terminate(INVALID_STAG_OF_WRITE)
    return [peer]


def wrong_read(server: Server) -> list[Peer]:
    peer = Peer(server).set_up()
    peer.socket.sendall(untagged(READ_REQUEST, 1, 1, 0, struct.pack(">IQIIQ", 1, 0, 8, 0x12345678, 0)))
    peer.expect_terminate(INVALID_STAG_OF_READ)
    return [peer]


def secrets_of_others(server: Server) -> list[Peer]:
    for _ in range(8):
        honest = Peer(server).set_up()
        honest.socket.sendall(untagged(SEND, 0, 1, 0, SECRET * 36))
        if SECRET not in honest.ulpdu():
            raise Harm("expected an echo, got something else")
        honest.socket.close()
    peer = Peer(server).set_up()
    peer.socket.sendall(untagged(SEND, 0, 1, 999, b"x"))
    if SECRET[:8] in peer.expect_terminate(INVALID_OFFSET):
        raise Harm("expected no byte of another client, got its secret")
    return [peer]


def never_reads(server: Server) -> list[Peer]:
    peer = Peer(server).set_up()
    peer.socket.settimeout(2)
    message = bytes(8000)
    try:
        for number in range(1, 2000):
            peer.socket.sendall(untagged(SEND, 0, number, 0, message))
    except OSError:
        pass  # the server has stopped reading, or has ended the connection
    return [peer]


def many_connections(server: Server) -> list[Peer]:
    peers = [Peer(server) for _ in range(200)]
    time.sleep(1)
    for peer in peers:
        peer.socket.close()
    lines = [line for line in server.text().splitlines() if "files" in line.lower()]
    if len(lines) != 1:
        raise Harm(f"expected one line of the log about open files, got {len(lines)}: {server.text()[-500:]}")
    return []


def lock_and_vanish(server: Server) -> list[Peer]:
    peer = Peer(server).set_up()
    client, _, _, _, stag, offset, _ = struct.unpack_from(">QIQQIQQ", peer.private_data, len(server.greeting))
    # RFC 7306 section 5.2.1: CmpSwap of the lock, from free to this client's number.
    every_bit = 2**64 - 1
    request = struct.pack(">IIIQQQQQ", COMPARE_SWAP, 1, stag, offset, client, every_bit, 0, every_bit)
    peer.socket.sendall(untagged(ATOMIC_REQUEST, 1, 1, 0, request))
    answer = peer.ulpdu()
    if answer[1] & 0x0F != ATOMIC_RESPONSE or any(answer[-8:]):
        raise Harm(f"expected the free lock, got {answer.hex()}")
    peer.socket.close()
    return []


def hostile_names(server: Server) -> list[Peer]:
    for name in ("../escaped", "/tmp/escaped", "a\nforged line", "a\x1b[31m", "a\u202etxt.exe", "..", ""):
        peer = Peer(server).set_up()
        peer.socket.sendall(untagged(SEND, 0, 1, 0, struct.pack(">BQ", OFFER, 1) + name.encode()))
        answer = peer.ulpdu()
        # A direction mark is no reason to refuse a name.
        if answer[UNTAGGED_HEADER] != REFUSED and "\u202e" not in name:
            raise Harm(f"expected that the name {name!a} is refused, got {answer.hex()}")
        if any(raw in server.text() for raw in ("\x1b", "\u202e", "\nforged")):
            raise Harm(f"expected that the name {name!a} is escaped in the log, got {server.text()!a}")
        peer.socket.close()
    return []


def requests_beyond_limits(server: Server) -> list[Peer]:
    for operation in range(50):
        peer = Peer(server)
        task = struct.pack(">BBIIIQQ", operation % 6, operation % 2, 2**31 - 1, 2**31 - 1, 1, 0, 2**31 - 1)
        peer.request(server.greeting + task)
        if not peer.take(STARTUP_HEADER)[len(REPLY_KEY)] & FLAG_REJECT:
            raise Harm("expected a rejection of a size beyond the limits, got an accepted connection")
        peer.socket.close()
    return []


def main(directory: str) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    general = [unfinished_set_ups, half_fpdus, wrong_write, wrong_read]
    echo = ["echo-client", "127.0.0.1:{port}", "--count", "100", "--warmup", "0"]
    plan = [
        ("echo-server", b"iwarp echo 1", ["echo-server", "--port", "0"], echo, 0, [*general, secrets_of_others, never_reads]),
        ("echo-server, 60 files", b"iwarp echo 1", ["echo-server", "--port", "0"], echo, 60, [many_connections]),
        ("counter", b"iwarp counter 1", ["counter", "--listen", "--port", "0"],
         ["counter", "127.0.0.1:{port}", "--adds", "100", "--rounds", "20"], 0, [*general, lock_and_vanish]),
        ("rping", b"", ["rping", "-s", "-P", "-p", "0"],
         ["rping", "-c", "-p", "{port}", "-C", "3", "-V"], 0, general),
        ("file serve", b"iwarp write 1", ["file", "serve", "--port", "0", "--force", "--directory", directory],
         ["file", "put", "127.0.0.1:{port}", __file__], 0, [unfinished_set_ups, wrong_write, wrong_read, hostile_names]),
        ("perf server", b"iwarp perf 1", ["perf", "server", "--port", "0"],
         ["perf", "client", "127.0.0.1:{port}", "--size", "64", "--duration", "1", "--warmup", "0"], 0,
         [unfinished_set_ups, requests_beyond_limits]),
    ]
    failed = attacks = 0
    try:
        for name, greeting, arguments, client, files, list_of_attacks in plan:
            try:
                server = Server(name, greeting, arguments, client, files)
            except Harm as harm:
                print(harm, flush=True)
                failed += 1
                continue
            for attack in list_of_attacks:
                attacks += 1
                peers: list[Peer] = []
                try:
                    peers = attack(server)
                    server.serves()
                except (Harm, OSError, EOFError) as harm:
                    print(f"FAILED {name}: {attack.__name__}: {harm!r}", flush=True)
                    failed += 1
                for peer in peers:
                    peer.socket.close()
            server.end()
    finally:
        for server in RUNNING:
            server.end()
    print(f"{attacks} attacks on {len(plan)} servers, {failed} failures")
    return 1 if failed else 0


with tempfile.TemporaryDirectory(prefix="abuse-") as stored:
    sys.exit(main(stored))

"""Attacks by a raw iWARP peer on the servers of the command and of the examples, with honest clients beside and after them."""

from __future__ import annotations

import itertools
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Callable, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "interop"))
from iwarp_pcap import FLAG_CRC, FLAG_REJECT, REPLY_KEY, REQUEST_KEY, STARTUP_HEADER, crc32c

JVM = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
COMMAND = [*JVM, "-jar", "tools/target/iwarp.jar"]
EXAMPLE = [*JVM, "-cp", "examples/target/classes:" + Path("examples/target/class-path").read_text().strip()]
EXAMPLES = "io.iwarp.examples."
WRITE, READ_REQUEST, SEND, TERMINATE, IMMEDIATE, ATOMIC_REQUEST, ATOMIC_RESPONSE = 0, 1, 3, 7, 8, 10, 11
FETCH_ADD, COMPARE_SWAP = 0, 2
UNTAGGED_HEADER = 18
OFFER, GRANT, PIECE, DONE, REFUSED = 1, 2, 3, 5, 7  # messages of file serve
PERF_SEND, PERF_WRITE, PERF_READ, PERF_FETCH_ADD, BANDWIDTH = 1, 2, 4, 5, 1  # tasks of perf server
TO_SERVER, FROM_SERVER, BOTH = 0, 1, 2
BUFFER = ">IQQ"  # an advertised buffer: STag, offset, length
ANOTHER_ADDRESS = "127.0.0.2"
PATIENCE = 180  # a busy machine takes long to start a JVM
SECRET = b"a secret of an honest client"
# RFC 5040 section 4.8
INVALID_STAG_OF_WRITE, BOUNDS_OF_WRITE, STREAM_OF_WRITE = 0x1100, 0x1101, 0x1102
INVALID_STAG_OF_READ, BOUNDS_OF_READ, RIGHTS_OF_READ, STREAM_OF_READ = 0x0100, 0x0101, 0x0102, 0x0103
INVALID_OFFSET, TOO_LONG = 0x1204, 0x1205


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


def read_request(stag: int, offset: int, size: int) -> bytes:
    return untagged(READ_REQUEST, 1, 1, 0, struct.pack(">IQIIQ", 1, 0, size, stag, offset))


def atomic(operation: int, stag: int, offset: int, data: int, msn: int = 1) -> bytes:
    # RFC 7306 section 5.2.1: all bits take part.
    every_bit = 2**64 - 1
    return untagged(ATOMIC_REQUEST, 1, msn, 0, struct.pack(">IIIQQQQQ", operation, 1, stag, offset, data, every_bit, 0, every_bit))


class Memory(NamedTuple):
    """What a server lets a client access, and how: by Reads, Writes or atomics."""

    stag: int
    offset: int
    length: int
    rights: str


class Peer:
    """A raw connection."""

    def __init__(self, server: Server, address: str = "127.0.0.1") -> None:
        self.server = server
        self.socket = socket.create_connection(("127.0.0.1", server.port), 5, (address, 0))
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

    def is_accepted(self, private_data: bytes) -> bool:
        self.request(private_data)
        frame = self.take(STARTUP_HEADER)
        flags, _, length = struct.unpack(">BBH", frame[len(REPLY_KEY):])
        self.private_data = self.take(length)
        return frame.startswith(REPLY_KEY) and not flags & FLAG_REJECT

    def set_up(self) -> Peer:
        if not self.is_accepted(self.server.greeting):
            raise Harm(f"expected an accepted connection, got a rejection: {self.private_data!a}")
        return self

    def expect_end(self) -> None:
        """Reads to the end of the connection."""
        try:
            while self.socket.recv(65536):
                pass
        except ConnectionResetError:
            pass
        except OSError as silence:
            raise Harm("expected the end of the connection, got silence") from silence

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


class Kind(NamedTuple):
    """A server, its honest client, which is a command or some, and what it must withstand."""

    name: str
    greeting: bytes
    server: list[str]
    clients: list[list[str]]
    attacks: list[Callable[[Server], list[Peer]]]
    # What it grants to a connection.
    memory: Callable[[Peer], list[Memory]] = lambda peer: []
    open_files: int = 0
    # Whether it ends after one client, so that no other client runs beside the attacks.
    once: bool = False


class Server:
    """A server that runs."""

    def __init__(self, kind: Kind) -> None:
        self.kind, self.greeting = kind, kind.greeting
        self.log = tempfile.NamedTemporaryFile(prefix="abuse-")
        limit = ["bash", "-c", f'ulimit -n {kind.open_files} && exec "$@"', "bash"] if kind.open_files else []
        self.process = subprocess.Popen([*limit, *kind.server], stdout=self.log, stderr=subprocess.STDOUT)
        RUNNING.append(self)
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(r"listening on (?:port |[^,\s]*:)(\d+)", self.text())):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise Harm(f"expected a server that listens, got: {self.text()}")
            time.sleep(0.1)
        self.port = int(found[1])

    def text(self) -> str:
        return Path(self.log.name).read_text(errors="replace")

    def serves(self, file: str = __file__) -> None:
        for client in self.kind.clients:
            try:
                done = subprocess.run([part.format(port=self.port, file=file) for part in client], capture_output=True, text=True,
                                      timeout=PATIENCE, check=False)
            except subprocess.TimeoutExpired as slow:
                raise Harm(f"expected an honest client that ends, got none within {PATIENCE} s") from slow
            if done.returncode:
                raise Harm(f"expected an honest client that succeeds, got {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


RUNNING: list[Server] = []


class Bystander:
    """An honest client that comes again and again while others attack."""

    def __init__(self, server: Server) -> None:
        self.server, self.served, self.harm = server, 0, None
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        while not self.stopping.is_set() and not self.harm:
            try:
                self.server.serves(str(Path(__file__).parent / "run"))
                self.served += 1
            except Harm as harm:
                self.harm = harm

    def end(self) -> None:
        self.stopping.set()
        self.thread.join()
        if self.harm:
            raise self.harm
        if not self.served:
            raise Harm("expected a client that was served beside the attacks, got none")


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
    peer.socket.sendall(read_request(0x12345678, 0, 8))
    peer.expect_terminate(INVALID_STAG_OF_READ)
    return [peer]


def wrong_access(memory: Memory) -> list[tuple[bytes, int]]:
    """Requests outside the memory, and such as the client has no right to, each with the error that it must get."""
    stag, offset, length, rights = memory
    end = offset + length
    return [
        *([(tagged(stag, end, b"x"), BOUNDS_OF_WRITE), (tagged(stag, end - 1, b"xy"), BOUNDS_OF_WRITE),
           (tagged(stag, (offset - 1) % 2**64, b"x"), BOUNDS_OF_WRITE)] if "W" in rights
          else [(tagged(stag, offset, b"x"), INVALID_STAG_OF_WRITE)]),
        *([(read_request(stag, end, 1), BOUNDS_OF_READ), (read_request(stag, end - 8, 9), BOUNDS_OF_READ)] if "R" in rights
          else [(read_request(stag, offset, 1), RIGHTS_OF_READ)]),
        (atomic(FETCH_ADD, stag, end, 1), BOUNDS_OF_READ) if "A" in rights
        else (atomic(FETCH_ADD, stag, offset, 1), RIGHTS_OF_READ),
    ]


def beyond_its_memory(server: Server) -> list[Peer]:
    number = 0
    while True:
        peer = Peer(server).set_up()
        tries = [each for memory in server.kind.memory(peer) for each in wrong_access(memory)]
        if number == len(tries):
            return [peer]
        request, code = tries[number]
        peer.socket.sendall(request)
        peer.expect_terminate(code)
        peer.socket.close()
        number += 1


def memory_of_others(server: Server) -> list[Peer]:
    owner = Peer(server).set_up()
    for stag, offset, length, rights in server.kind.memory(owner):
        peer = Peer(server).set_up()
        if "W" in rights:
            peer.socket.sendall(tagged(stag, offset, b"x"))
            peer.expect_terminate(STREAM_OF_WRITE)
        else:
            peer.socket.sendall(read_request(stag, offset, 8) if "R" in rights else atomic(FETCH_ADD, stag, offset, 1))
            peer.expect_terminate(STREAM_OF_READ)
        peer.socket.close()
    return [owner]


def garbage(server: Server) -> list[Peer]:
    before = Peer(server)
    before.socket.sendall(b"GET / HTTP/1.0\r\n\r\n" + bytes(100))
    before.expect_end()
    behind = Peer(server).set_up()
    behind.socket.sendall(b"\x00\x28" + b"garbage of an FPDU" * 4)
    behind.expect_end()
    return []


def wrong_messages(server: Server) -> list[Peer]:
    for message in (b"", b"x", bytes(40), b"\xff" * 40):
        peer = Peer(server).set_up()
        peer.socket.sendall(untagged(SEND, 0, 1, 0, message))
        peer.expect_end()
    return []


def too_long_a_message(server: Server) -> list[Peer]:
    peer = Peer(server).set_up()
    message = struct.pack(">BBIIII", 0x01, 0x40 | SEND, 0, 0, 1, 0) + bytes(60_000)
    rest = struct.pack(">BBIIII", 0x41, 0x40 | SEND, 0, 0, 1, 60_000) + bytes(60_000)
    peer.socket.sendall(fpdu(message) + fpdu(rest))
    peer.expect_terminate(TOO_LONG)
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
    # What the kernel holds for a peer that does not read is no harm: on some machines it is 32 MB in each direction.
    peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    message = bytes(8000)
    try:
        for number in range(1, 20_000):
            peer.socket.sendall(untagged(SEND, 0, number, 0, message))
    except OSError:
        return [peer]  # the server has stopped reading, or has ended the connection
    raise Harm("expected a server that reads no more than it can answer, got one that took 160 MB")


def many_connections(server: Server) -> list[Peer]:
    def lines() -> list[str]:
        return [line for line in server.text().splitlines() if "files" in line.lower()]

    peers = [Peer(server) for _ in range(200)]
    deadline = time.monotonic() + PATIENCE
    while not lines() and time.monotonic() < deadline:
        time.sleep(0.1)
    # The server retries every second.
    time.sleep(2)
    for peer in peers:
        peer.socket.close()
    if len(lines()) != 1:
        raise Harm(f"expected one line of the log about open files, got {len(lines())}: {server.text()[-500:]}")
    return []


def lock_and_vanish(server: Server) -> list[Peer]:
    peer = Peer(server).set_up()
    client, _, _, _, stag, offset, _ = struct.unpack_from(">QIQQIQQ", peer.private_data, len(server.greeting))
    deadline = time.monotonic() + PATIENCE
    for msn in itertools.count(1):
        peer.socket.sendall(atomic(COMPARE_SWAP, stag, offset, client, msn))
        answer = peer.ulpdu()
        if answer[1] & 0x0F != ATOMIC_RESPONSE:
            raise Harm(f"expected an Atomic Response, got {answer.hex()}")
        if not any(answer[-8:]):
            break
        # The honest client beside the attacks holds it now and then.
        if time.monotonic() > deadline:
            raise Harm(f"expected the lock to be free within {PATIENCE} s, got {answer.hex()}")
    peer.socket.close()
    return []


def hostile_names(server: Server) -> list[Peer]:
    for name in ("../escaped", "/tmp/escaped", "a\nforged line", "a\x1b[31m", "a\u202etxt.exe", "..", ""):
        peer = Peer(server).set_up()
        peer.socket.sendall(untagged(SEND, 0, 1, 0, struct.pack(">BQ", OFFER, 1) + name.encode()))
        answer = peer.ulpdu()
        if answer[UNTAGGED_HEADER] != REFUSED or any(raw in answer[UNTAGGED_HEADER:].decode() for raw in ("\x1b", "\u202e", "\n")):
            raise Harm(f"expected that the name {name!a} is refused in plain text, got {answer!a}")
        if any(raw in server.text() for raw in ("\x1b", "\u202e", "\nforged")):
            raise Harm(f"expected that the name {name!a} is escaped in the log, got {server.text()!a}")
        peer.socket.close()
    return []


def hostile_names_of_the_example(server: Server) -> list[Peer]:
    """A directory that is empty must not be replaced, and a name not be printed as it is."""
    directory = Path(server.kind.server[-2])
    (directory / "empty").mkdir(exist_ok=True)
    before = sorted(directory.rglob("*"))
    for name in ("a\x1b[31m", "a\nforged line", "../escaped", "/tmp/escaped", "empty", "", "."):
        peer = Peer(server).set_up()
        peer.socket.sendall(untagged(SEND, 0, 1, 0, name.encode()))
        for number in 2, 3:
            # A piece without bytes: the end of the file.
            peer.socket.sendall(untagged(SEND, 0, number, 0, bytes(4)))
        peer.expect_end()
        if sorted(directory.rglob("*")) != before or not (directory / "empty").is_dir():
            raise Harm(f"expected that the name {name!a} is refused, got {sorted(directory.rglob('*'))}")
        if any(raw in server.text() for raw in ("\x1b", "\nforged")):
            raise Harm(f"expected a log without the name {name!a}, got {server.text()!a}")
    return []


def files_that_do_not_come(server: Server) -> list[Peer]:
    stored = Path(server.kind.server[-1])
    for rest in ([], [struct.pack(">BQI", PIECE, 1, 1)], [struct.pack(">BQI", PIECE, 0, 2**31 - 1)], [struct.pack(">BQI", PIECE, 0, 9)],
                 [struct.pack(">BQI", PIECE, 0, 8), struct.pack(">B32s", DONE, b"wrong")]):
        peer = Peer(server).set_up()
        for number, message in enumerate([struct.pack(">BQ", OFFER, 8) + b"never", *rest], 1):
            peer.socket.sendall(untagged(SEND, 0, number, 0, message))
        while rest and peer.ulpdu()[UNTAGGED_HEADER] != REFUSED:
            pass
        peer.socket.close()
    if (stored / "never").exists():
        raise Harm("expected no file that has not come as a whole, got one")
    return []


def silent_clients(server: Server) -> list[Peer]:
    """Takes all places that one address gets."""
    peers = [Peer(server, ANOTHER_ADDRESS) for _ in range(20)]
    if all([peer.is_accepted(server.greeting) for peer in peers]):
        raise Harm("expected a limit for one address, got 20 accepted connections")
    return peers


def perf_task(operation: int, mode: int, size: int, depth: int, direction: int = TO_SERVER) -> bytes:
    return b"iwarp perf 2" + struct.pack(">BBBIIIQQ", operation, mode, direction, size, depth, 1, 0, size)


def requests_beyond_limits(server: Server) -> list[Peer]:
    for operation in range(50):
        peer = Peer(server)
        if peer.is_accepted(perf_task(operation % 8, operation % 4, *((2**31 - 1, 1), (64, 2**31 - 1))[operation % 2])):
            raise Harm("expected a rejection of a task beyond the limits, got an accepted connection")
        peer.socket.close()
    return []


def a_load_that_nobody_takes(server: Server) -> list[Peer]:
    """Lets the server send and write, and reads nothing, or advertises memory that it does not have."""
    peers = []
    for operation, direction in (PERF_SEND, FROM_SERVER), (PERF_SEND, BOTH), (PERF_WRITE, FROM_SERVER), (PERF_WRITE, BOTH):
        peer = Peer(server, ANOTHER_ADDRESS)
        if not peer.is_accepted(perf_task(operation, BANDWIDTH, 1 << 16, 4, direction)):
            raise Harm(f"expected an accepted connection, got {peer.private_data!a}")
        # Immediate Data (RFC 7306): begin.
        peer.socket.sendall(untagged(IMMEDIATE, 0, 1, 0, bytes(8)))
        peers.append(peer)
    for operation, direction in (PERF_READ, BOTH), (PERF_WRITE, 3), (PERF_WRITE, 255):
        if Peer(server, ANOTHER_ADDRESS).is_accepted(perf_task(operation, BANDWIDTH, 64, 1, direction)):
            raise Harm("expected a rejection of a direction that the operation does not have, got an accepted connection")
    return peers


def more_than_its_share(server: Server) -> list[Peer]:
    """Takes the memory of one address, half of 16 MiB, and then asks for more. A connection takes twice its size."""
    peers = [Peer(server, ANOTHER_ADDRESS) for _ in range(8)]
    accepted = [peer.is_accepted(perf_task(PERF_WRITE, BANDWIDTH, 1 << 20, 1)) for peer in peers]
    if accepted != [True] * 4 + [False] * 4:
        raise Harm(f"expected four connections of 2 MiB, got {accepted}")
    return peers


def leaves_with_its_share(server: Server) -> list[Peer]:
    for peer in more_than_its_share(server):
        peer.socket.close()
    deadline = time.monotonic() + 10
    while not Peer(server, ANOTHER_ADDRESS).is_accepted(perf_task(PERF_WRITE, BANDWIDTH, 4 << 20, 1)):
        if time.monotonic() > deadline:
            raise Harm("expected that a client which left gets its share again, got rejections")
        time.sleep(0.1)
    return []


def memory_that_it_does_not_have(server: Server) -> list[Peer]:
    """Advertises more than rping takes, memory that cannot be, and memory that does not answer."""
    silent = Peer(server).set_up()
    silent.socket.sendall(untagged(SEND, 0, 1, 0, struct.pack(">QII", 0, 1, 64)))
    for advertised in (struct.pack(">QII", 0, 1, 2**32 - 1), struct.pack(">QII", 2**64 - 1, 1, 64), b"x"):
        peer = Peer(server).set_up()
        peer.socket.sendall(untagged(SEND, 0, 1, 0, advertised))
        peer.expect_end()
    return [silent]


def takes_the_only_place(server: Server) -> list[Peer]:
    """Without the peer-to-peer set-up, in which the server may send first. The run ends, in a line."""
    peer = Peer(server).set_up()
    if server.process.wait(PATIENCE) != 1 or server.text().count("must not send first") != 1:
        raise Harm(f"expected a run that ends with its reason, got {server.process.returncode}: {server.text()}")
    peer.socket.close()
    server.__init__(server.kind)
    return []


def counter_memory(peer: Peer) -> list[Memory]:
    number = struct.unpack_from(BUFFER, peer.private_data, len(peer.server.greeting) + 48)
    stag, offset, _ = struct.unpack_from(BUFFER, peer.private_data, len(peer.server.greeting) + 8)
    return [Memory(stag, offset, 16, "A"), Memory(*number, "RW")]


def advertised(rights: str) -> Callable[[Peer], list[Memory]]:
    """The buffers that a server accepts with, each with its right; a header of 8 bytes is before them."""
    return lambda peer: [Memory(*buffer, right) for buffer, right in zip(struct.iter_unpack(BUFFER, peer.private_data[8:]), rights, strict=True)]


def file_memory(peer: Peer) -> list[Memory]:
    name = b"of " + str(peer.socket.getsockname()[1]).encode()
    peer.socket.sendall(untagged(SEND, 0, 1, 0, struct.pack(">BQ", OFFER, 1) + name))
    answer = peer.ulpdu()[UNTAGGED_HEADER:]
    if answer[0] != GRANT:
        raise Harm(f"expected memory for a file, got {answer!a}")
    return [Memory(*struct.unpack_from(BUFFER, answer, 5), "W")]


def perf_memory(rights: str) -> Callable[[Peer], list[Memory]]:
    return lambda peer: [Memory(*struct.unpack_from(BUFFER, peer.private_data, len("iwarp perf 2")), rights)]


def judged() -> None:
    """The conformance suite waits for clients: one that sends garbage fails its cases, and an honest one passes them."""
    suite = [*COMMAND, "conformance", "client", "--patience", "2", "--only", "ping.*"]
    hostile = ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/{port}; head -c 100000 /dev/urandom >&3; cat <&3 >/dev/null"]
    honest = ["--in-process", "--", "rping", "-c", "-p", "{port}", "-C", "{count}", "-S", "{size}"]
    for client, expected in (["--", *hostile], 2), (honest, 0):
        done = subprocess.run([*suite, *client], capture_output=True, text=True, timeout=2 * PATIENCE, check=False)
        if done.returncode != expected or "fault of the program" in done.stdout + done.stderr:
            raise Harm(f"expected status {expected}, got {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")


def run_example(name: str, *words: str) -> tuple[int, str]:
    done = subprocess.run([*EXAMPLE, EXAMPLES + name, *words], capture_output=True, text=True, timeout=PATIENCE, check=False)
    return done.returncode, done.stdout + done.stderr


def examples_without_arguments() -> None:
    for name in "write.WriteServer", "write.WriteClient", "read.ReadServer", "read.ReadClient", "counter.CounterClient", "echo.EchoClient":
        status, text = run_example(name)
        if status != 2 or not text.startswith("usage: ") or text.count("\n") != 1:
            raise Harm(f"expected a line with the usage of {name} and status 2, got {status}: {text[-500:]}")


def examples_that_cannot_listen() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, tempfile.TemporaryDirectory() as directory:
        port = str(taken.getsockname()[1])
        for name, *words in (("echo.EchoServer", port), ("counter.CounterServer", port), ("read.ReadServer", __file__, port),
                             ("write.WriteServer", directory, port), ("kv.KvServer", "--port", port, "--http-port", "0")):
            status, text = run_example(name, *words)
            if not status or "in use" not in text:
                raise Harm(f"expected the end of {name}, whose port is taken, got {status}: {text[-500:]}")


def example_that_does_not_connect() -> None:
    """A port that is bound and does not listen refuses."""
    with socket.socket() as closed, tempfile.NamedTemporaryFile() as target:
        closed.bind(("127.0.0.1", 0))
        Path(target.name).write_text("before")
        status, text = run_example("read.ReadClient", "127.0.0.1", str(closed.getsockname()[1]), target.name)
        if not status or Path(target.name).read_text() != "before":
            raise Harm(f"expected a failure that leaves the target as it was, got {status}: {text[-300:]}")


def wrong_words_for_the_key_value_client() -> None:
    """No stack trace, and nothing from a log, comes with an error or the help."""
    for words, failing in ((["localhost", "get", "k"], True), (["--help"], False), (["--port", ""], True), ([], True)):
        status, text = run_example("kv.KvClient", *words)
        if bool(status) != failing or any(noise in text for noise in ("\tat ", "Exception", "SLF4J")):
            raise Harm(f"expected a text for {words}, got {status}: {text[-500:]}")


PROGRAMS = (judged, examples_without_arguments, examples_that_cannot_listen, example_that_does_not_connect,
            wrong_words_for_the_key_value_client)


def kinds(directory: str) -> list[Kind]:
    on_any_port = ["--port", "0"]
    general = [unfinished_set_ups, half_fpdus, wrong_write, wrong_read, garbage]
    granted = [beyond_its_memory, memory_of_others]
    echo = [[*COMMAND, "echo-client", "127.0.0.1:{port}", "--count", "100", "--warmup", "0"]]
    perf_client = [[*COMMAND, "perf", "client", "127.0.0.1:{port}", "--size", "64", "--depth", "4", "--duration", "1", "--warmup", "0"]]

    def perf(operation: int, rights: str, attacks: list) -> Kind:
        return Kind(f"perf server, {rights}", perf_task(operation, BANDWIDTH, 8, 1),
                    [*COMMAND, "perf", "server", *on_any_port, "--max-memory", "16M"], perf_client,
                    [beyond_its_memory, *attacks], perf_memory(rights))

    return [
        Kind("echo-server", b"iwarp echo 1", [*COMMAND, "echo-server", *on_any_port], echo,
             [*general, secrets_of_others, too_long_a_message, never_reads]),
        Kind("echo-server, 60 files", b"iwarp echo 1", [*COMMAND, "echo-server", *on_any_port], echo, [many_connections],
             open_files=60),
        Kind("counter", b"iwarp counter 1", [*COMMAND, "counter", "--listen", *on_any_port],
             [[*COMMAND, "counter", "127.0.0.1:{port}", "--adds", "100", "--rounds", "20"]],
             [*general, *granted, wrong_messages, lock_and_vanish], counter_memory),
        Kind("rping", b"", [*COMMAND, "rping", "-s", "-P", "-p", "0"], [[*COMMAND, "rping", "-c", "-p", "{port}", "-C", "3", "-V"]],
             [*general, memory_that_it_does_not_have]),
        Kind("cmatose", b"", [*COMMAND, "cmatose", "-p", "0"], [[*COMMAND, "cmatose", "-s", "127.0.0.1", "-p", "{port}"]],
             [unfinished_set_ups, takes_the_only_place], once=True),
        Kind("file serve", b"iwarp write 1", [*COMMAND, "file", "serve", *on_any_port, "--force", "--directory", directory],
             [[*COMMAND, "file", "put", "127.0.0.1:{port}", "{file}"]],
             [unfinished_set_ups, wrong_write, wrong_read, garbage, *granted, hostile_names, files_that_do_not_come,
              silent_clients], file_memory),
        perf(PERF_WRITE, "W", [wrong_read, unfinished_set_ups, garbage, requests_beyond_limits, a_load_that_nobody_takes, more_than_its_share,
                               leaves_with_its_share]),
        perf(PERF_READ, "R", [wrong_write]),
        perf(PERF_FETCH_ADD, "A", []),
        Kind("write example", b"", [*EXAMPLE, EXAMPLES + "write.WriteServer", directory, "0"],
             [[*EXAMPLE, EXAMPLES + "write.WriteClient", "127.0.0.1", "{port}", "{file}"]],
             [wrong_read, garbage, *granted, hostile_names_of_the_example], advertised("W")),
        Kind("key-value example", b"", [*EXAMPLE, EXAMPLES + "kv.KvServer", *on_any_port, "--http-port", "0"],
             [[*EXAMPLE, EXAMPLES + "kv.KvClient", "127.0.0.1:{port}", *words] for words in (["put", "key", "value"], ["get", "key"])],
             [*general, *granted, wrong_messages], advertised("RRA")),
    ]


def attack(kind: Kind) -> int:
    """Makes the attacks on a server; returns how many did harm."""
    failed = 0

    def harmless(name: str, step: Callable[[], object]) -> None:
        nonlocal failed
        try:
            step()
        except (Harm, OSError, EOFError, subprocess.SubprocessError) as harm:
            print(f"FAILED {kind.name}: {name}: {harm!r}", flush=True)
            failed += 1

    def attacked(server: Server, each: Callable[[Server], list[Peer]]) -> None:
        peers = each(server)
        try:
            server.serves()
        finally:
            for peer in peers:
                peer.socket.close()

    def all_at_one_server() -> None:
        server = Server(kind)
        bystander = Bystander(server)
        for each in kind.attacks:
            harmless(each.__name__, lambda: attacked(server, each))
        try:
            bystander.end()
        finally:
            server.end()

    if kind.once:
        for each in kind.attacks:
            harmless(each.__name__, lambda: attacked(Server(kind), each))
    else:
        harmless("an honest client beside the attacks", all_at_one_server)
    return failed


def main(directory: str, only: list[str]) -> int:
    """Attacks all servers, and the programs that end, or those that are named: a server by what its name begins with."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    plan = [kind for kind in kinds(directory) if not only or any(kind.name.startswith(name) for name in only)]
    failed = 0
    try:
        failed = sum(attack(kind) for kind in plan)
        for program in PROGRAMS if not only or "programs" in only else ():
            try:
                program()
            except (Harm, subprocess.SubprocessError) as harm:
                print(f"FAILED {program.__name__}: {harm!r}", flush=True)
                failed += 1
    finally:
        for server in RUNNING:
            server.end()
    print(f"{sum(len(kind.attacks) for kind in plan)} attacks on {len(plan)} servers, and of {len(PROGRAMS)} kinds on programs;"
          f" {failed} failures")
    return 1 if failed else 0


with tempfile.TemporaryDirectory(prefix="abuse-") as stored:
    sys.exit(main(stored, sys.argv[1:]))

"""Programs that are started, where they run, and how much processor time they take."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 90
SAMPLING = 0.05
# A client still has this much to do after its measurement: print, close, end.
ENDING = 0.3
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    """A program could not be measured."""


@dataclass(frozen=True)
class Ends:
    """Where the server listens, and what begins the commands of both ends."""

    address: str = "127.0.0.1"
    serving: tuple[str, ...] = ()
    asking: tuple[str, ...] = ()


@dataclass(frozen=True)
class Network:
    """What joins both ends: loopback, or Ethernet frames of a size between two namespaces. Its name stands in commands."""

    name: str = "127.0.0.1"
    mtu: int | None = None

    @functools.cache
    def ends(self) -> Ends:
        """Makes the network at the first call. It is removed when this program ends."""
        if self.mtu is None:
            return Ends()
        server, client = (f"iwarp-{os.getpid()}-{self.mtu}-{end}" for end in ("server", "client"))
        ends = Ends("10.71.0.1", ("ip", "netns", "exec", server), ("ip", "netns", "exec", client))
        try:
            for namespace in (server, client):
                run(["ip", "netns", "add", namespace])
                atexit.register(subprocess.run, ["ip", "netns", "del", namespace], check=False)
            run(["ip", "link", "add", "eth0", "netns", server, "type", "veth", "peer", "name", "eth0", "netns", client])
            for namespace, address in ((server, ends.address), (client, "10.71.0.2")):
                run(["ip", "-n", namespace, "address", "add", f"{address}/24", "dev", "eth0"])
                run(["ip", "-n", namespace, "link", "set", "eth0", "mtu", str(self.mtu), "up"])
        except (Failed, OSError) as failure:
            raise Failed(f"this machine cannot join two network namespaces: {failure}") from None
        return ends


LOOPBACK = Network()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def processor_seconds(process: subprocess.Popen) -> float:
    """What all threads of a running process took until now."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def pinned(processor: int) -> tuple[str, ...]:
    """What begins a command that shall run on one processor: the kernel may put both ends on one, or move them."""
    return ("taskset", "-c", str(processor)) if shutil.which("taskset") and (os.cpu_count() or 1) > 1 else ()


def congestion_control() -> str:
    """That of TCP, in all network namespaces that this program makes."""
    return Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()


def conditions() -> str:
    """What changes the figures of a whole run."""
    places = "each process on a processor of its own" if pinned(0) else "processes are not pinned and may share a processor"
    return f"TCP with {congestion_control()}; {places}"


class Server:
    """A server process for the time of one measurement."""

    def __init__(self, command: list[str], port: int, env: dict[str, str] | None = None, ends: Ends = Ends()) -> None:
        self.log = tempfile.TemporaryFile(mode="w+")
        self.port = port
        self.process = subprocess.Popen([*ends.serving, *pinned(0), *command], stdout=self.log, stderr=subprocess.STDOUT, env=env)

    def __enter__(self) -> Server:
        deadline = time.monotonic() + 30
        while not self.listening():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                raise Failed(f"the server does not listen: {self.said()}")
            time.sleep(SAMPLING)
        return self

    def listening(self) -> bool:
        wanted = f":{self.port:04X} "
        # Of the network that the process is in.
        tables = Path(f"/proc/{self.process.pid}/net")
        return any(wanted in line and " 0A " in line
                   for table in ("tcp", "tcp6") for line in (tables / table).read_text().splitlines())

    def said(self) -> str:
        self.log.seek(0)
        return self.log.read()[-300:].strip()

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def run(command: list[str], env: dict[str, str] | None = None) -> str:
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env,
                              timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise Failed(f"not done within {PATIENCE} s: {' '.join(command)}") from None
    if done.returncode:
        raise Failed(f"{' '.join(command)}: {done.stdout[-300:].strip()}")
    return done.stdout


def run_watched(command: list[str], server: Server, seconds: float, env: dict[str, str] | None = None) -> tuple[str, float]:
    """Runs a client that measures for some seconds before it ends.

    Returns its output, and how many processors both ends kept busy meanwhile. This is the same for all programs, and the
    time in which they start, warm up and end does not count.
    """
    samples: list[tuple[float, float]] = []
    with tempfile.TemporaryFile(mode="w+") as output:
        client = subprocess.Popen([*pinned(1), *command], stdout=output, stderr=subprocess.STDOUT, env=env)
        deadline = time.monotonic() + PATIENCE
        while client.poll() is None:
            samples.append((time.monotonic(), processor_seconds(client) + processor_seconds(server.process)))
            if time.monotonic() > deadline:
                client.kill()
                client.wait()
                raise Failed(f"not done within {PATIENCE} s: {' '.join(command)}")
            time.sleep(SAMPLING)
        end = time.monotonic() - ENDING
        output.seek(0)
        text = output.read()
    if client.returncode:
        raise Failed(f"{' '.join(command)}: {text[-300:].strip()}")
    window = [sample for sample in samples if end - max(0.5, seconds - 2 * ENDING) <= sample[0] <= end]
    if len(window) < 2:
        raise Failed(f"too short to be measured: {' '.join(command)}")
    return text, (window[-1][1] - window[0][1]) / (window[-1][0] - window[0][0])


def last_line(output: str, start: str, program: str) -> str:
    """The last line of the output that begins so, which is the program's result."""
    found = [line for line in output.splitlines() if line.startswith(start)]
    if not found:
        raise Failed(f"{program} printed no result: {output[-200:]}")
    return found[-1]

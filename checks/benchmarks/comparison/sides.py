"""The programs that are compared, each as a side of a row."""

from __future__ import annotations

import functools
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from .processes import LOOPBACK, Network, Server, free_port, last_line, run, run_watched

ROOT = Path(__file__).resolve().parents[3]
IWARP = ROOT / "tools/target/iwarp.jar"
BENCHMARKS = ROOT / "checks/benchmarks/target/benchmarks.jar"
JAVA = ("java", "-Xmx512m")
UCX = {**os.environ, "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}
MIB = 1024 * 1024
# The fastest way of this stack, of plain Netty's streams and of its echo in all runs so far.
POLLING = ("--transport", "epoll", "--busy-poll")
# The limit of iperf3.
MAX_STREAMS = 128
# The JIT compilers need this time, with both ends on 2 processors.
WARM_UP = 6.0


@dataclass(frozen=True)
class Figure:
    """What one measurement gave. Processors is how many both ends kept busy meanwhile, if it was watched."""

    value: float
    processors: float | None = None


@dataclass(frozen=True)
class Side:
    """One of two that are compared: measure(seconds) gives its figure."""

    name: str
    command: str
    measure: Callable[[float], Figure]
    needs: str | None = None


def pick(values: dict, path: str) -> float:
    """A figure with a dot is a path into the JSON."""
    for key in path.split("."):
        values = values[key]
    return float(values)


class Perf:
    """A perf server, and the clients that measure against it."""

    def __init__(self, *serving: str, java: tuple[str, ...] = JAVA, loops: tuple[str, ...] = POLLING,
                 network: Network = LOOPBACK) -> None:
        self.program = (*java, "-jar", str(IWARP), "perf")
        self.loops = loops
        self.ends = network.ends()
        port = free_port()
        self.address = f"{self.ends.address}:{port}"
        bind = ("--bind", self.ends.address, "--port", str(port))
        self.server = Server([*self.program, "server", *bind, *loops, *serving], port, ends=self.ends)

    def __enter__(self) -> Perf:
        self.server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.__exit__()

    def client(self, command: str, *options: str, watched: float | None = None) -> tuple[list[dict], float]:
        """Returns the lines of JSON, one for each size; and the busy processors of the last seconds, if they are watched."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "result.json"
            whole = [*self.ends.asking, *self.program, command, self.address, *options, *self.loops, "--json", str(path)]
            processors = 0.0
            if watched is None:
                run(whole)
            else:
                processors = run_watched(whole, self.server, watched)[1]
            return [json.loads(line) for line in path.read_text().splitlines()], processors


def perf(figure: str, *options: str, serving: tuple[str, ...] = (), network: Network = LOOPBACK) -> Side:
    """Operations of this stack."""

    def measure(seconds: float) -> Figure:
        shared = [option for option in ("--markers", "--no-crc") if option in options]
        with Perf(*shared, *serving, network=network) as server:
            lines, processors = server.client("client", *options, "--quiet", "--duration", f"{seconds:g}", "--warmup",
                                              f"{WARM_UP:g}", watched=seconds)
        return Figure(pick(lines[-1], figure), processors)

    return Side("this stack", f"./iwarp perf client {network.name}:7471 " + " ".join([*options, *POLLING]), measure)


def allocated(*options: str) -> Side:
    """Bytes that both ends together allocate on the heap for each operation."""

    def measure(seconds: float) -> Figure:
        # Busy polling allocates nothing either, but the timers of a sleeping loop might.
        with Perf(loops=("--transport", "epoll")) as server:
            line = server.client("client", *options, "--quiet", "--duration", f"{seconds:g}", "--warmup", f"{WARM_UP:g}")[0][-1]
        return Figure(line["allocatedBytesPerOperation"] + line["serverAllocatedBytesPerOperation"])

    return Side("this stack", "./iwarp perf client 127.0.0.1:7471 " + " ".join([*options, "--transport", "epoll"]), measure)


def from_java(figure: str, name: str, serving: list[str], asking: list[str], seconds: float,
              env: dict[str, str] | None = None, network: Network | None = None) -> Figure:
    """Runs a server and a client of the benchmarks. They take a port, or with a network an address and a port."""
    port = free_port()
    ends = (network or LOOPBACK).ends()
    place = f"{ends.address}:{port}" if network else str(port)
    program = [*JAVA, "-jar", str(BENCHMARKS)]
    with Server([*program, f"{name}-server", place, *serving], port, env, ends) as server:
        client = [*ends.asking, *program, f"{name}-client", place, *asking, f"{WARM_UP:g}", f"{seconds:g}"]
        output, processors = run_watched(client, server, seconds, env)
    return Figure(pick(json.loads(last_line(output, "{", f"{name}-client")), figure), processors)


def netty(figure: str, mode: str, size: int, network: Network = LOOPBACK) -> Side:
    command = f"$benchmarks netty-client {network.name}:7480 epoll+ {mode} {size}"
    return Side("plain Netty", command,
                lambda seconds: from_java(figure, "netty", ["epoll+"], ["epoll+", mode, str(size)], seconds, network=network))


def iperf3(size: int, streams: int = 1, network: Network = LOOPBACK) -> Side:
    options = ["-l", str(size), *(["-P", str(streams)] if streams > 1 else [])]

    def measure(seconds: float) -> Figure:
        port, ends = free_port(), network.ends()
        with Server(["iperf3", "-s", "-1", "-p", str(port)], port, ends=ends) as server:
            output, processors = run_watched(
                [*ends.asking, "iperf3", "-c", ends.address, "-p", str(port), *options, "-t", f"{max(1, round(seconds))}", "-O", "1", "-J"],
                server, seconds)
        return Figure(json.loads(output)["end"]["sum_received"]["bits_per_second"] / 8, processors)

    return Side("iperf3", f"iperf3 -c {network.name} {' '.join(options)}", measure, needs="iperf3")


def ucx(test: str, size: int, figure: str) -> Side:
    """The last line of ucx_perftest: count, typical latency, average, overall latency, bandwidth twice, rate twice."""
    column = {"latency": 2, "bandwidth": 6, "rate": 8}[figure]

    def once(count: int, seconds: float) -> tuple[list[str], float | None]:
        port = free_port()
        client = ["ucx_perftest", "127.0.0.1", "-p", str(port), "-t", test, "-s", str(size), "-n", str(count)]
        with Server(["ucx_perftest", "-p", str(port)], port, UCX) as server:
            output, processors = run_watched(client, server, seconds, UCX) if seconds else (run(client, UCX), None)
        return last_line(output, "Final:", f"ucx_perftest -t {test}").split(), processors

    def measure(seconds: float) -> Figure:
        per_second = float(once(2000, 0)[0][8])
        # It sets up for a while, and the count is a guess.
        words, processors = once(max(2000, int(per_second * seconds)), seconds / 2)
        value = float(words[column])
        return Figure(value * MIB if figure == "bandwidth" else value, processors)

    return Side(f"UCX {test}", f"UCX_TLS=tcp ucx_perftest 127.0.0.1 -t {test} -s {size}", measure, needs="ucx_perftest")


def pingpong(size: int) -> Side:
    """Half a round trip of a message of libfabric in microseconds, the mean. The client finds the server by a port of its own."""

    def once(count: int) -> float:
        port = free_port()
        options = ["-p", "tcp", "-e", "msg", "-S", str(size), "-I", str(count)]
        with Server(["fi_pingpong", *options, "-B", str(port)], port):
            output = run(["fi_pingpong", *options, "-P", str(port), "127.0.0.1"])
        return float(output.strip().splitlines()[-1].split()[-2])

    def measure(seconds: float) -> Figure:
        return Figure(once(max(1000, int(seconds * 1e6 / 2 / once(1000)))))

    return Side("libfabric fi_pingpong", f"fi_pingpong -p tcp -e msg -S {size} 127.0.0.1", measure, needs="fi_pingpong")


def libfabric(operation: str, size: int, figure: str) -> Side:
    """A stream of Writes, Reads or Sends of libfabric's tcp provider."""

    def measure(seconds: float) -> Figure:
        port = free_port()
        options = [str(port), operation, str(size)]
        with Server([str(compiled()), "server", *options], port) as server:
            output, processors = run_watched([str(compiled()), "client", *options, "1", f"{seconds:g}"], server, seconds)
        return Figure(pick(json.loads(last_line(output, "{", "libfabric")), figure), processors)

    return Side(f"libfabric {operation}", f"$libfabric client 7490 {operation} {size} 1 3", measure, needs="cc")


@functools.cache
def compiled() -> Path:
    program = BENCHMARKS.with_name("libfabric")
    run(["cc", "-O2", "-o", str(program), str(Path(__file__).with_name("libfabric.c")), "-lfabric"])
    return program


def jucx(size: int, figure: str) -> Side:
    """The same from Java. The jar brings the bindings; libucp comes with ucx-utils."""
    return Side("JUCX, tagged", f"UCX_TLS=tcp $benchmarks jucx-client 7480 {size}",
                lambda seconds: from_java(figure, "jucx", [str(size)], [str(size)], seconds, UCX), needs="ucx_perftest")


def times(factor: float, side: Side, name: str) -> Side:
    return replace(side, name=name, measure=lambda seconds: Figure(factor * side.measure(seconds).value))


def named(name: str, side: Side) -> Side:
    """The same side, as it is called where it is what another is compared with."""
    return replace(side, name=name)


def constant(value: float, name: str) -> Side:
    return Side(name, "", lambda _: Figure(value))

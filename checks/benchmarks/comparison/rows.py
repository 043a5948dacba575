"""What is compared with what, and what has to be reached."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Callable
from dataclasses import dataclass

from .processes import Failed, Network, run
from .sides import (BENCHMARKS, JAVA, MIB, MAX_STREAMS, POLLING, Figure, Perf, Side, allocated, constant, iperf3, jucx, libfabric,
                    named, netty, perf, pingpong, times, ucx)

# A cache line takes some 25 or 150 ns between the processors, as the host places them.
MOVED = 1.5


@dataclass(frozen=True)
class Row:
    """Two sides, and the ratio of ours to the other's that has to be reached, if any."""

    work: str
    unit: str
    ours: Side
    other: Side
    least: float | None = None
    most: float | None = None

    def names(self) -> dict[str, str]:
        return {"work": self.work, "other": self.other.name}

    def meets(self, ratio: float) -> bool | None:
        """None if nothing is required."""
        if self.least is None and self.most is None:
            return None
        return (self.least is None or ratio >= self.least) and (self.most is None or ratio <= self.most)

    def decided(self, lowest: float, highest: float) -> bool | None:
        """None if nothing is required, or if the target lies inside the interval."""
        return self.meets(lowest) if self.meets(lowest) == self.meets(highest) else None

    @property
    def target(self) -> str:
        return f">= {self.least:g}" if self.least is not None else f"<= {self.most:g}" if self.most is not None else "-"

    def reached(self, ratio: float) -> float | None:
        """How far it is from the target, if any: 1 is just met, more is better."""
        if self.most is not None:
            return self.most / ratio if ratio else None
        return None if self.least is None else ratio / self.least


def groups() -> list[list[Row]]:
    """Rows that are measured together, as they share sides or need the same moment."""
    return [*streams(), checks(), *(ethernet(mtu) for mtu in (1500, 9000)), many(), small(), round_trips(), heap(), connections()]


def streams() -> list[list[Row]]:
    found = []
    for size, text in ((65536, "64 KiB"), (MIB, "1 MiB")):
        write = perf("bytesPerSecond", "--op", "write", "--size", str(size))
        read = perf("bytesPerSecond", "--op", "read", "--size", str(size))
        send = perf("bytesPerSecond", "--op", "send", "--size", str(size))
        work = f"Write {text}"
        found.append([
            Row(work, "bytes/s", write, netty("bytesPerSecond", "stream", size), least=1.0),
            Row(work, "bytes/s", write, iperf3(size), least=1.0),
            Row(work, "bytes/s", write, ucx("ucp_put_bw", size, "bandwidth"), least=2.5),
            Row(work, "bytes/s", write, ucx("tag_bw", size, "bandwidth"), least=1.2),
            Row(work, "bytes/s", write, libfabric("write", size, "bytesPerSecond"), least=1.0),
            Row(work, "bytes/s", write, jucx(size, "bytesPerSecond")),
            Row(f"Read {text}", "bytes/s", read, named("our Write", write), least=0.9),
            Row(f"Read {text}", "bytes/s", read, libfabric("read", size, "bytesPerSecond"), least=1.0),
            Row(f"Send {text}", "bytes/s", send, libfabric("send", size, "bytesPerSecond"), least=1.0),
        ])
    return found


def checks() -> list[Row]:
    write = perf("bytesPerSecond", "--op", "write", "--size", "65536")
    markers = perf("bytesPerSecond", "--op", "write", "--size", "65536", "--markers")
    no_crc = perf("bytesPerSecond", "--op", "write", "--size", "65536", "--no-crc")
    return [
        Row("Write 64 KiB, markers on", "bytes/s", markers, named("markers off", write), least=0.85),
        # It depends on the processor's CRC instruction.
        Row("Write 64 KiB, CRC off", "bytes/s", no_crc, named("CRC on", write)),
    ]


def ethernet(mtu: int) -> list[Row]:
    network = Network(f"SERVER-AT-MTU-{mtu}", mtu)

    def ours(operation: str, *options: str) -> Side:
        return perf("bytesPerSecond", "--op", operation, "--size", "65536", *options, network=network)

    write = ours("write")
    work = f"MTU {mtu:,}: Write 64 KiB"
    return [
        Row(work, "bytes/s", write, iperf3(65536, network=network), least=1.3),
        Row(work, "bytes/s", write, netty("bytesPerSecond", "stream", 65536, network=network)),
        Row(work, "bytes/s", write, named("our Read", ours("read")), least=0.95),
        Row(f"MTU {mtu:,}: Send 64 KiB", "bytes/s", ours("send"), named("our Write", write)),
        Row(f"{work}, markers on", "bytes/s", ours("write", "--markers"), named("markers off", write), least=0.7),
    ]


def many() -> list[Row]:
    write = perf("bytesPerSecond", "--op", "write", "--size", "65536")
    rows = []
    for count in (8, 64, 512):
        spread = perf("bytesPerSecond", "--op", "write", "--size", "65536", "--depth", str(max(2, 128 // count)),
                      "--clients", str(count), "--unsent", "64K")
        work = f"Write 64 KiB, {count} connections"
        # With 512 it depends on the processor's caches.
        rows.append(Row(work, "bytes/s", spread, named("1 connection", write), least=0.8 if count < 512 else None))
        if count <= MAX_STREAMS:
            rows.append(Row(work, "bytes/s", spread, iperf3(65536, count)))
    return rows


def small() -> list[Row]:
    send = perf("operationsPerSecond", "--op", "send", "--size", "64", "--depth", "512")
    write = perf("operationsPerSecond", "--op", "write", "--size", "64", "--depth", "512")
    read = perf("operationsPerSecond", "--op", "read", "--size", "64", "--depth", "1024", "--ord", "1024", serving=("--ird", "1024"))
    added = perf("operationsPerSecond", "--op", "fetch-add", "--depth", "1024", "--ord", "1024", serving=("--ird", "1024"))
    return [
        Row("Send 64 bytes, rate", "1/s", send, ucx("tag_bw", 64, "rate"), least=10),
        Row("Send 64 bytes, rate", "1/s", send, jucx(64, "operationsPerSecond")),
        Row("Send 64 bytes, rate", "1/s", send, libfabric("send", 64, "operationsPerSecond"), least=1.0),
        Row("Send 64 bytes, rate", "1/s", send, netty("operationsPerSecond", "stream", 64), least=1.0),
        Row("Write 64 bytes, rate", "1/s", write, libfabric("write", 64, "operationsPerSecond"), least=1.0),
        Row("Read 64 bytes, rate", "1/s", read, libfabric("read", 64, "operationsPerSecond"), least=1.0),
        Row("FetchAdd, rate", "1/s", added, constant(1e6, "a million"), least=1.0),
    ]


def round_trips() -> list[Row]:
    ping = perf("latencyMicros.p50", "--op", "send", "--size", "64", "--mode", "latency")
    add = perf("latencyMicros.p50", "--op", "fetch-add", "--mode", "latency")

    def twice(size: int) -> Side:
        return times(2, pingpong(size), "libfabric fi_pingpong, twice")

    def large(size: int, text: str) -> Row:
        send = perf("latencyMicros.p50", "--op", "send", "--size", str(size), "--mode", "latency")
        return Row(f"Send {text}, round trip", "us", send, twice(size), most=1.0)

    return [
        Row("Send 64 bytes, round trip", "us", ping, netty("p50", "echo", 64), most=1.15),
        Row("Send 64 bytes, round trip", "us", ping, twice(64), most=1.0),
        Row("Send 64 bytes, round trip", "us", ping, times(2, ucx("tag_lat", 64, "latency"), "UCX tag_lat, twice"), most=1.0),
        large(65536, "64 KiB"),
        large(MIB, "1 MiB"),
        Row("FetchAdd, round trip", "us", add, ucx("ucp_fadd", 8, "latency"), most=1.0),
    ]


def heap() -> list[Row]:
    """Bytes on the heap for each operation, of both ends together."""
    return [Row(f"{text}, allocated", "bytes", allocated("--op", operation, *options), constant(16, "16 bytes"), most=1.0)
            for text, operation, options in (("Send 64 bytes", "send", ("--size", "64")), ("Write 64 bytes", "write", ("--size", "64")),
                                             ("Read 64 bytes", "read", ("--size", "64")), ("FetchAdd", "fetch-add", ()))]


def connections() -> list[Row]:
    def set_up(_: float) -> Figure:
        with Perf("--max-depth", "16", loops=("--transport", "epoll")) as server:
            line = server.client("connect", "--count", "10000", "--clients", "64", "--warmup", "20000")[0][-1]
        return Figure(line["connectionsPerSecond"])

    side = Side("this stack", "./iwarp perf connect 127.0.0.1:7471 --count 10000 --clients 64 --warmup 20000 --transport epoll",
                set_up)
    return [Row("Set-up of connections", "1/s", side, constant(3000, "3,000 a second"), least=1.0)]


@dataclass(frozen=True)
class Placed:
    """A figure, and the distances of the processors before and after it was measured."""

    figure: Figure
    distances: tuple[int, int]

    def same_place(self, other: Placed) -> bool:
        distances = (*self.distances, *other.distances)
        return max(distances) <= MOVED * min(distances)


class Measured:
    """The figures of one side, a round each; or why there are none."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.figures: list[Placed] = []
        self.failure: str | None = None
        if side.needs and not shutil.which(side.needs):
            self.failure = f"{side.needs} is not installed"

    def measure(self, seconds: float, before: int) -> int:
        """Returns the distance afterwards. A program that hangs or breaks gets a second chance."""
        for last in (False, True):
            if self.failure is None:
                try:
                    figure = self.side.measure(seconds)
                    after = distance()
                    self.figures.append(Placed(figure, (before, after)))
                    return after
                except Failed as failed:
                    if last:
                        self.failure = str(failed)
                    else:
                        print(f"    once more: {failed}", flush=True)
        return before


class Pairs:
    """The figures of a row's two sides of the same rounds, less those between which the host moved the processors."""

    def __init__(self, row: Row, sides: dict[str, Measured]) -> None:
        self.row = row
        self.ours, self.others = sides[key(row.ours)], sides[key(row.other)]

    @property
    def failure(self) -> str | None:
        return self.ours.failure or self.others.failure

    def kept(self) -> list[tuple[Figure, Figure]]:
        return [(mine.figure, theirs.figure) for mine, theirs in zip(self.ours.figures, self.others.figures)
                if not self.row.other.command or mine.same_place(theirs)]


def key(side: Side) -> str:
    return side.command or side.name


def cost(figures: list[Figure], unit: str) -> float | None:
    """Processor seconds for 10^9 bytes or microseconds for an operation, of both ends; none where they only wait."""
    scale = {"bytes/s": 1e9, "1/s": 1e6}.get(unit)
    watched = [each.processors / each.value * scale for each in figures if each.processors is not None and scale]
    return statistics.median(watched) if watched else None


def distance() -> int:
    """Nanoseconds that a cache line takes between the processors, which changes when the host moves them."""
    return int(run([*JAVA, "-jar", str(BENCHMARKS), "distance"]))


def compare(group: list[Row], rounds: int, seconds: float) -> list[dict]:
    """Goes on until each row has a pair for each round, or twice as many rounds were measured."""
    sides = {key(side): Measured(side) for row in group for side in (row.ours, row.other)}
    pairs = [Pairs(row, sides) for row in group]
    place = distance()
    for _ in range(2 * rounds):
        distances = [place]
        for measured in sides.values():
            place = measured.measure(seconds, place)
            distances.append(place)
        print(f"    distance of the processors: {' '.join(map(str, distances))} ns", flush=True)
        if all(each.failure or len(each.kept()) >= rounds for each in pairs):
            break
    return [conclude(each) for each in pairs]


def conclude(pairs: Pairs) -> dict:
    row = pairs.row
    result = row.names() | {"unit": row.unit, "target": row.target}
    kept = pairs.kept()
    failure = pairs.failure or (None if kept else "the host moved the processors in each round")
    if failure:
        print(f"{row.work:<36} {row.other.name:<20} left out: {failure}", flush=True)
        return result | {"left out": failure}
    sides = [list(side) for side in zip(*kept)]
    ours, others = ([each.value for each in side] for side in sides)
    ratios = sorted(mine / theirs for mine, theirs in zip(ours, others))
    ratio = statistics.median(ratios)
    met = row.decided(ratios[0], ratios[-1])
    costs = [cost(side, row.unit) for side in sides]
    print(f"{row.work:<36} {row.other.name:<20} {figure(ours, row.unit):>12} {figure(others, row.unit):>12} "
          f"{ratio:7.2f} {interval(ratios):>12} {row.target:>8} {cost_text(costs[0]):>7} {cost_text(costs[1]):>7}  "
          f"{len(kept)} pairs {'undecided' if met is None and row.target != '-' else verdict(met, 'MISSED')}".rstrip(),
          flush=True)
    return result | {"ours": ours, "others": others, "costs": costs, "ratio": ratio, "interval": interval(ratios), "met": met,
                     "reached": row.reached(ratio)}


def interval(ratios: list[float]) -> str:
    """The least and the greatest of n ratios contain their true median with a probability of 1 - 2^(1 - n)."""
    return f"{ratios[0]:.2f} to {ratios[-1]:.2f}"


def heading() -> str:
    return f"{'work':<36} {'compared with':<20} {'ours':>12} {'theirs':>12} {'ratio':>7} {'interval':>12} {'target':>8} {'cpu':>7} {'cpu':>7}"


def verdict(met: bool | None, missed: str) -> str:
    return "" if met is None else "met" if met else missed


def cost_text(cost: float | None) -> str:
    return "" if cost is None else f"{cost:.3f}"


def figure(values: list[float], unit: str) -> str:
    value = statistics.median(values)
    return {"bytes/s": f"{value / 1e6:,.0f} MB/s", "1/s": f"{value:,.0f}/s", "us": f"{value:.1f} us",
            "bytes": f"{value:,.{0 if value >= 100 else 1}f} bytes"}[unit]

"""What is measured of this stack alone: over the size, over time since the start, and over the number of connections."""

from __future__ import annotations

import concurrent.futures
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .processes import Failed, Server, free_port, processor_seconds, run
from .rows import verdict
from .sides import IWARP, JAVA, MIB, WARM_UP, Perf

BYTES_PER_GIGABYTE = 1e9


class Sizes:
    """Processor seconds for 10^9 bytes over the size of an operation, both ends together: no size may stand out."""

    name = "sizes"
    SIZES = (4096, 8192, 16384, 32768, 60_000, 65_536, 100_000, 131_072, 200_000, 262_144, 500_000, 524_288, MIB, 4 * MIB)
    MAX = 1.25
    # Smaller ones pay for each operation.
    LARGE_FROM = 32768
    SECONDS = 2.0
    PAUSE = 1.0

    def __init__(self) -> None:
        self.rounds: dict[str, list[list[dict]]] = {"write": [], "read": []}

    def measure(self) -> None:
        """All sizes in one process. The first size comes several times: only the last ones count."""
        for operation, rounds in self.rounds.items():
            warming = int(WARM_UP / (self.SECONDS + self.PAUSE))
            sizes = ",".join(map(str, (65_536,) * warming + self.SIZES))
            with Perf() as server:
                lines, _ = server.client("client", "--op", operation, "--size", sizes, "--quiet", "--warmup", f"{self.PAUSE:g}",
                                         "--duration", f"{self.SECONDS:g}")
            rounds.append(lines[warming:])

    def conclude(self) -> list[dict]:
        """For each size what it costs, relative to the mean of its neighbours and to the best large size."""
        return [result for operation in self.rounds for result in self.of(operation)]

    def of(self, operation: str) -> list[dict]:
        costs = self.medians(operation, lambda line: line["cpuSecondsPerGigabyte"] + line["serverCpuSecondsPerGigabyte"])
        rates = self.medians(operation, lambda line: line["bytesPerSecond"])
        best = min(costs)
        found = []
        for index, (size, rate, cost) in enumerate(zip(self.SIZES, rates, costs)):
            neighbours = statistics.mean(costs[max(0, index - 1):index] + costs[index + 1:index + 2])
            ratios = [cost / neighbours, *([cost / best] if size >= self.LARGE_FROM else [])]
            # The smallest size has one neighbour, which is cheaper.
            met = None if index == 0 else max(ratios) <= self.MAX
            found.append({"operation": operation, "size": size, "rate": rate, "cost": cost, "ratios": ratios, "met": met})
            print(f"{operation:<6} {size:>10,} bytes {rate / 1e6:>8,.0f} MB/s {cost:7.3f} s/GB  "
                  f"{' '.join(f'{ratio:.2f}' for ratio in ratios)}  {verdict(met, 'MISSED')}".rstrip(), flush=True)
        return found

    def medians(self, operation: str, figure: Callable[[dict], float]) -> list[float]:
        return [statistics.median(figure(found[index]) for found in self.rounds[operation]) for index in range(len(self.SIZES))]


class FirstSeconds:
    """How fast a fresh process is: the JVM begins with an interpreter."""

    name = "first seconds"
    # Operation, bytes, and the seconds in which it has to reach 90 % of its steady rate.
    WORK = (("write", 65_536, 2.0), ("read", 65_536, None), ("write", MIB, None), ("read", MIB, 4.0))
    SECONDS = 12.0
    STEADY = 4.0
    INTERVAL = 0.1
    # A single interval is noise.
    SPAN = 0.5
    SHARE = 0.9
    FILE_BYTES = 1 << 30

    def __init__(self) -> None:
        self.rounds: dict[tuple[str, int], list[dict]] = {(operation, size): [] for operation, size, _ in self.WORK}
        self.commands: list[dict] = []

    def measure(self) -> None:
        for (operation, size), rounds in self.rounds.items():
            with Perf() as server:
                line = server.client("client", "--op", operation, "--size", str(size), "--quiet", "--warmup", "0",
                                     "--duration", f"{self.SECONDS:g}", "--interval", f"{self.INTERVAL:g}")[0][-1]
            rounds.append(self.summary(line["intervals"]))
        self.commands.append(self.command())

    def summary(self, intervals: list[dict]) -> dict:
        ends, sums, now, moved = [], [0.0], 0.0, 0.0
        for interval in intervals:
            now += interval["seconds"]
            moved += interval["bytesPerSecond"] * interval["seconds"]
            ends.append(now)
            sums.append(moved)
        starts = [0.0, *ends]

        def rate(begin: float, end: float) -> float:
            inside = [index for index, time_ in enumerate(starts) if begin <= time_ <= end]
            first, last = inside[0], inside[-1]
            return (sums[last] - sums[first]) / (starts[last] - starts[first])

        steady = rate(now - self.STEADY, now)
        reached = next((start for start in starts if start + self.SPAN <= now and rate(start, start + self.SPAN) >= self.SHARE * steady), now)
        return {"first": rate(0, 1.05), "next": rate(0.95, 3.05), "steady": steady, "reached": reached}

    def command(self) -> dict:
        """Stores a file from and in memory, as far as there is room, so that the disk does not matter."""
        shared = Path("/dev/shm")
        roomy = shared.is_dir() and shutil.disk_usage(shared).free > 3 * self.FILE_BYTES
        with tempfile.TemporaryDirectory(dir=shared if roomy else None) as folder:
            file, store = Path(folder) / "data", Path(folder) / "store"
            store.mkdir()
            run(["dd", "if=/dev/urandom", f"of={file}", "bs=1M", f"count={self.FILE_BYTES // MIB}", "status=none"])
            port = free_port()
            program = [*JAVA, "-jar", str(IWARP)]
            epoll = ["--transport", "epoll"]
            with Server([*program, "file", "serve", "--port", str(port), "--directory", str(store), *epoll], port) as server:
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                begin = time.monotonic()
                run([*program, "file", "put", f"127.0.0.1:{port}", str(file), "--no-progress", *epoll])
                seconds = time.monotonic() - begin
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                return {"seconds": seconds, "processor": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                        + processor_seconds(server.process)}

    def conclude(self) -> list[dict]:
        found = []
        for operation, size, most in self.WORK:
            result = {"operation": operation, "size": size, "most": most}
            for key in ("first", "next", "steady", "reached"):
                result[key] = statistics.median(each[key] for each in self.rounds[operation, size])
            result["met"] = None if most is None else result["reached"] <= most
            found.append(result)
            print(f"{operation:<6} {size:>10,} bytes: first second {result['first'] / 1e6:,.0f} MB/s, to the third "
                  f"{result['next'] / 1e6:,.0f}, steady {result['steady'] / 1e6:,.0f}; 90 % after {result['reached']:.1f} s  "
                  f"{verdict(result['met'], 'MISSED')}".rstrip(), flush=True)
        command = {key: statistics.median(each[key] for each in self.commands) for key in ("seconds", "processor")}
        print(f"file put of 1 GiB: {command['seconds']:.1f} s, processor {command['processor']:.1f} s", flush=True)
        return [*found, {"command": True, "met": None, **command}]


class Connections:
    """Small Sends spread over many connections, what an idle one needs, and the round trips of one more among busy ones."""

    name = "scale"
    COUNTS = (1, 100, 1_000, 10_000)
    # Operations in flight on each connection.
    DEPTH = 64
    # With G1 a third of the processor time goes into its bookkeeping about references between regions.
    JAVA = ("java", "-Xmx3g", "-XX:+UseParallelGC")
    MIN_RATE = 0.5
    MAX_IDLE_BYTES = 12 * 1024
    # What the process itself needs varies by more than fewer connections take.
    MIN_IDLE = 100
    SECONDS = 4.0
    SECONDS_PER_CONNECTION = 0.0005
    SPARE_FILES = 500

    def __init__(self) -> None:
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.counts = [count for count in self.COUNTS if count + self.SPARE_FILES <= hard]
        self.rates: dict[int, list[float]] = {count: [] for count in self.counts}
        self.once: dict[int, dict] = {}

    def measure(self) -> None:
        for count in self.counts:
            with self.server(self.DEPTH) as server:
                self.rates[count].append(self.load(server, count, self.SECONDS)["operationsPerSecond"])
            if count not in self.once:
                self.once[count] = self.idle(count) | self.among(count)

    def server(self, depth: int) -> Perf:
        # One address may take half of the places.
        places = 3 * self.counts[-1]
        return Perf("--max-depth", str(depth), "--max-clients", str(places), java=self.JAVA, loops=("--transport", "epoll"))

    def load(self, server: Perf, count: int, seconds: float) -> dict:
        return server.client("client", "--op", "send", "--size", "64", "--clients", str(count), "--depth", str(self.DEPTH),
                             "--warmup", f"{WARM_UP:g}", "--duration", f"{seconds:g}", "--quiet")[0][-1]

    def idle(self, count: int) -> dict:
        if count < self.MIN_IDLE:
            return {"setUp": None, "idle": None}
        with self.server(16) as server:
            line = server.client("connect", "--count", str(count), "--clients", "64", "--warmup", "2000", "--idle")[0][-1]
        # Heap and direct memory of the end that needs more.
        idle = max(line["heapBytesPerConnection"] + line["directBytesPerConnection"],
                   line["serverHeapBytesPerConnection"] + line["serverDirectBytesPerConnection"])
        return {"setUp": line["connectionsPerSecond"], "idle": idle}

    def among(self, count: int) -> dict:
        with self.server(self.DEPTH) as server, concurrent.futures.ThreadPoolExecutor() as threads:
            load = threads.submit(self.load, server, count, 4 * self.SECONDS)
            # Time to connect, and to warm up.
            time.sleep(WARM_UP + count * self.SECONDS_PER_CONNECTION)
            line = server.client("client", "--op", "send", "--size", "64", "--mode", "latency", "--warmup", "2", "--duration",
                                 f"{self.SECONDS:g}", "--quiet")[0][-1]
            load.result()
        return {"median": line["latencyMicros"]["p50"], "tail": line["latencyMicros"]["p99"]}

    def conclude(self) -> list[dict]:
        alone = statistics.median(self.rates[1])
        found = []
        for count in self.counts:
            rate = statistics.median(self.rates[count])
            result = {"connections": count, "rate": rate, "ratio": rate / alone, **self.once[count], "met": None}
            if count == self.COUNTS[-1]:
                result["met"] = result["ratio"] >= self.MIN_RATE and result["idle"] <= self.MAX_IDLE_BYTES
            found.append(result)
            idle = "" if result["idle"] is None else f"set-up {result['setUp']:,.0f}/s, idle {result['idle']:,.0f} bytes, "
            print(f"{count:>6,} connections: {rate:,.0f} Sends/s ({result['ratio']:.2f}), {idle}one among them {result['median']:,.0f} us, 99 % {result['tail']:,.0f} us  "
                  f"{verdict(result['met'], 'MISSED')}".rstrip(), flush=True)
        return found


CURVES = (Sizes, FirstSeconds, Connections)


def measure(curve: Sizes | FirstSeconds | Connections, rounds: int) -> list[dict]:
    """Returns nothing, and says why, if it cannot be measured."""
    try:
        for _ in range(rounds):
            curve.measure()
    except (Failed, subprocess.SubprocessError, OSError) as failure:
        print(f"{curve.name} left out: {failure}", flush=True)
        return []
    return curve.conclude()

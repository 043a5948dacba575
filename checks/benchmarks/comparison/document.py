"""Writes the results into docs/performance.md, with their pictures."""

from __future__ import annotations

import math
import os
import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .processes import congestion_control, run
from .rows import cost_text, figure
from .sides import BENCHMARKS, JAVA, ROOT, WARM_UP

DOCUMENT = ROOT / "docs/performance.md"
PICTURE = ROOT / "docs/performance.png"
SIZES_PICTURE = ROOT / "docs/sizes.svg"
# What stands before it in the document is written by hand.
HEADING = "## Results"


def write(rows: list[dict], curves: dict[str, list[dict]], seconds: float) -> None:
    measured = [row for row in rows if "ratio" in row]
    pairs = max((len(row["ours"]) for row in measured), default=0)
    lines = [
        HEADING, "",
        "`checks/benchmarks/compare` writes this section and those below it. The two sides of each row are interleaved, as two",
        "processes each on a processor of its own, over loopback or a pair of virtual Ethernet devices, "
        f"{WARM_UP:g} s warm, CRC32C on.",
        f"The ratio is the median of the ratios of up to {pairs} pairs of {seconds:g} s, with the least and the greatest; a pair between whose",
        "sides the host moves the processors does not count. It can differ from the quotient of the columns, which are medians",
        "too. It is bold if all pairs miss the target, and undecided if some do. Rates are in MB/s. The processor time of both",
        "ends is in seconds for 10^9 bytes, or microseconds for an operation. Rows without a target are not shown.",
        "", "![ratios](performance.png)", "",
        "| work | ours | processor time | compared with | theirs | processor time | ratio | target |",
        "|---|---|---|---|---|---|---|---|",
    ]
    work = None
    for row in (row for row in rows if row["target"] != "-"):
        # Once for all rows that compare it.
        ours = ["", "", ""] if row["work"] == work else [row["work"], *mine(row)]
        work = row["work"]
        lines.append("| " + " | ".join([*ours, row["other"], *theirs(row)]) + " |")
    lines.append("")
    for name, section in (("sizes", sizes), ("first seconds", first_seconds), ("scale", connections)):
        if curves.get(name):
            lines += section(curves[name])
    lines += ["## Machine and versions", "", *(f"- {line}" for line in machine())]
    old = DOCUMENT.read_text()
    DOCUMENT.write_text(old[:old.index(HEADING)] + "\n".join(lines) + "\n")
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as table:
        table.writelines(f"{row['work']} / {row['other']}\t{row['reached']}\n" for row in measured if row["reached"] is not None)
        table.flush()
        run([*JAVA, "-Djava.awt.headless=true", "-jar", str(BENCHMARKS), "chart", table.name, str(PICTURE)])


def mine(row: dict) -> list[str]:
    return [short(row["ours"], row), cost_text(row["costs"][0])] if "ratio" in row else ["", ""]


def short(values: list[float], row: dict) -> str:
    """The figure without the unit that the text above the table names."""
    return figure(values, row["unit"]).removesuffix(" MB/s")


def theirs(row: dict) -> list[str]:
    if "ratio" not in row:
        return [f"left out: {row['left out']}", "", "", row["target"]]
    return [short(row["others"], row), cost_text(row["costs"][1]), judged(f"{row['ratio']:.2f}", row["met"]) + f" ({row['interval']})" + undecided(row),
            row["target"]]


def undecided(row: dict) -> str:
    return " undecided" if row["met"] is None and row["target"] != "-" else ""


def judged(text: str, met: bool | None) -> str:
    return f"**{text}**" if met is False else text


def sizes(results: list[dict]) -> list[str]:
    draw_sizes(results)
    lines = ["## By message size", "",
             "Processor seconds for 10^9 bytes. No size may cost more than 1.25 times the mean of its neighbours or, from 32 KiB on,",
             "the best size" + exceptions(results) + ".",
             "", "![processor time by message size](sizes.svg)", ""]
    return lines


def exceptions(results: list[dict]) -> str:
    missed = {operation: [f"{each['size']:,}" for each in results if each["operation"] == operation and each["met"] is False]
              for operation in ("write", "read")}
    found = [f"{operation.capitalize()}s of {', '.join(sizes)}" for operation, sizes in missed.items() if sizes]
    return f". Outliers: {'; '.join(found)} bytes" if found else ""


def first_seconds(results: list[dict]) -> list[str]:
    lines = ["## The first seconds", "",
             "Of two fresh processes, whose compilers compete with the traffic. They reach 90 % of the steady rate after:", ""]
    for each in results:
        if "command" in each:
            lines += ["", f"`file put` stores 1 GiB, with SHA-256 at both ends, in {each['seconds']:.1f} s and "
                          f"{each['processor']:.1f} s of processor time."]
        else:
            target = "" if each["most"] is None else f" (at most {each['most']:g} s)"
            lines.append(f"- {each['operation'].capitalize()} of {each['size']:,} bytes: " + judged(f"{each['reached']:.1f} s", each["met"]) + target)
    return [*lines, ""]


def connections(results: list[dict]) -> list[str]:
    one, many = results[0], results[-1]
    lines = ["## By number of connections", "",
             f"Sends of 64 bytes over one event loop at each end, with ParallelGC: one connection {one['rate']:,.0f}/s, {many['connections']:,} connections",
             f"{judged(format(many['rate'], ',.0f'), many['met'])}/s ({many['ratio']:.2f}, at least half)."]
    if many["idle"] is not None:
        lines[-1] += f" An idle connection takes {many['idle']:,.0f} bytes of memory (at most 12 KiB)."
    return [*lines, ""]


def machine() -> list[str]:
    found = dict(re.findall(r"^(.+?)\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE))
    cpu = (f"{found.get('model name', platform.machine())}, family {found.get('cpu family', '?')}, model {found.get('model', '?')}, "
           f"{'with' if 'avx512f' in found.get('flags', '') else 'without'} AVX-512")
    versions = [subprocess.run(["java", "-version"], stderr=subprocess.PIPE, text=True, check=False).stderr.splitlines()[0]]
    for name, command in (("", ["iperf3", "--version"]), ("UCX: ", ["ucx_info", "-v"]), ("", ["fi_info", "--version"])):
        if shutil.which(command[0]):
            output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout
            versions.append(name + output.splitlines()[0].lstrip("# "))
    return [f"{os.cpu_count()} processors, {cpu}; Linux {platform.release()}, TCP with {congestion_control()}", *versions]


def draw_sizes(results: list[dict]) -> None:
    """Both curves over a logarithmic axis. Their names stand above them, because the ends of the curves are close to each other."""
    width, height, left, right, top, bottom = 900, 420, 70, 30, 50, 60
    smallest, greatest = results[0]["size"], max(each["size"] for each in results)
    highest = 1.1 * max(each["cost"] for each in results)

    def x(size: float) -> float:
        return left + math.log2(size / smallest) / math.log2(greatest / smallest) * (width - left - right)

    def y(cost: float) -> float:
        return height - bottom - cost / highest * (height - top - bottom)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif" '
             f'font-size="14" fill="#222"><rect width="{width}" height="{height}" fill="#fff"/>',
             f'<text x="{left}" y="28" font-weight="bold">Processor seconds for 10^9 bytes, both ends together</text>',
             f'<text x="{(left + width - right) / 2}" y="{height - 14}" text-anchor="middle">bytes of each operation</text>']
    for tick in (part / 10 for part in range(int(highest * 10) + 1)):
        parts.append(f'<path d="M{left} {y(tick):.1f}H{width - right}" stroke="#ddd"/>'
                     f'<text x="{left - 8}" y="{y(tick) + 5:.1f}" text-anchor="end">{tick:.1f}</text>')
    for exponent in range(12, 23, 2):
        label = f"{1 << exponent - 10}K" if exponent < 20 else f"{1 << exponent - 20}M"
        parts.append(f'<text x="{x(1 << exponent):.1f}" y="{height - bottom + 22}" text-anchor="middle">{label}</text>')
    for operation, color, name in (("write", "#1f77b4", width - right - 60), ("read", "#d95f02", width - right)):
        points = [(x(each["size"]), y(each["cost"])) for each in results if each["operation"] == operation]
        parts.append(f'<polyline points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}" fill="none" stroke="{color}" '
                     'stroke-width="2"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{color}"/>' for a, b in points]
        parts.append(f'<text x="{name}" y="28" text-anchor="end" font-weight="bold" fill="{color}">{operation.capitalize()}</text>')
    SIZES_PICTURE.write_text("\n".join(parts) + "</svg>\n")

"""The same capture in other pieces, for tshark.

TCP keeps no record boundaries, and a capture has whatever pieces a socket or a network made of the stream. Wireshark
follows markers only where a segment begins with an FPDU, so it is shown the stream with one FPDU in each segment.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from iwarp_pcap import (
    ACK,
    FLAG_CRC,
    FLAG_MARKERS,
    IPV4_HEADER,
    RAW_IP,
    REQUEST_KEY,
    SYN,
    TCP_HEADER,
    Connection,
    Piece,
    without_markers,
)

MAX_SEGMENT = 65535 - IPV4_HEADER - TCP_HEADER
FIRST_CLIENT_PORT, SERVER_PORT = 40000, 7471


@dataclass
class Talk:
    """One TCP connection of the new capture: the port and the next sequence number of each side."""

    ports: tuple[int, int]
    sequences: list[int]


class Writer:
    """Writes a capture, and remembers what each of its frames shows."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.contents: list[tuple[Connection, Piece] | None] = []
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 2**18, RAW_IP))

    def open(self, port: int) -> Talk:
        """Makes a connection."""
        talk = Talk((port, SERVER_PORT), [1, 1])
        self.segment(talk, 0, SYN)
        self.segment(talk, 1, SYN | ACK)
        return talk

    def send(self, talk: Talk, sender: int, octets: bytes, shows: tuple | None) -> None:
        """Sends bytes, in one segment if they fit."""
        for begin in range(0, len(octets), MAX_SEGMENT):
            payload = octets[begin : begin + MAX_SEGMENT]
            self.segment(talk, sender, ACK, payload, shows if begin + len(payload) == len(octets) else None)

    def segment(self, talk: Talk, sender: int, flags: int, payload: bytes = b"", shows=None) -> None:
        """Writes one packet; addresses are of those set aside for documentation (RFC 5737)."""
        tcp = struct.pack(
            ">HHIIBBHHH", talk.ports[sender], talk.ports[1 - sender], talk.sequences[sender] % 2**32,
            talk.sequences[1 - sender] % 2**32, 5 << 4, flags, 65535, 0, 0)  # fmt: skip
        ip = struct.pack(
            ">BBHHHBBH4s4s", 0x45, 0, IPV4_HEADER + len(tcp) + len(payload), 0, 0, 64, 6, 0,
            bytes((192, 0, 2, 1 + sender)), bytes((192, 0, 2, 2 - sender)))  # fmt: skip
        packet = ip + tcp + payload
        self.file.write(struct.pack("<IIII", 0, len(self.contents), len(packet), len(packet)) + packet)
        self.contents.append(shows)
        talk.sequences[sender] += len(payload) + (1 if flags & SYN else 0)


def write(path: Path, connections: list[Connection]) -> list[tuple[Connection, Piece] | None]:
    """Writes the capture in which each segment is one piece; returns what each of its frames shows."""
    with path.open("wb") as file:
        writer = Writer(file)
        for index, connection in enumerate(connections):
            _write(writer, connection, FIRST_CLIENT_PORT + 2 * index)
    return writer.contents


def _write(writer: Writer, connection: Connection, port: int) -> None:
    main, aside = writer.open(port), None
    for piece in connection.pieces:
        beyond = piece.is_beyond_tshark
        if beyond and aside is None:
            # Another conversation, of which tshark is told that it has neither markers nor CRCs.
            aside = writer.open(port + 1)
            for startup in connection.pieces:
                if not startup.is_fpdu:
                    writer.send(aside, startup.sender, _without_flags(startup.octets), None)
        if beyond:
            stripped = without_markers(piece.octets, piece.marker_offsets)
            writer.send(aside, piece.sender, stripped, (connection, piece))
            main.sequences[piece.sender] += len(piece.octets)  # a gap, as if the capture had missed the segment
        else:
            writer.send(main, piece.sender, piece.octets, (connection, piece))


def _without_flags(startup: bytes) -> bytes:
    at = len(REQUEST_KEY)
    return startup[:at] + bytes((startup[at] & ~(FLAG_MARKERS | FLAG_CRC) & 0xFF,)) + startup[at + 1 :]

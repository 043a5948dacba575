"""Captures of iWARP connections: the bytes that each side sent, in order, taken apart into start-up frames and FPDUs."""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ETHERNET, RAW_IP = 1, 101
ETHERNET_HEADER, IPV4_HEADER, TCP_HEADER = 14, 20, 20
SYN, ACK = 0x02, 0x10

REQUEST_KEY, REPLY_KEY = b"MPA ID Req Frame", b"MPA ID Rep Frame"
STARTUP_HEADER = 20  # key, flags, revision, length of the private data (RFC 5044 section 7.1)
FLAG_MARKERS, FLAG_CRC, FLAG_REJECT, FLAG_ENHANCED, FLAGS_RESERVED = 0x80, 0x40, 0x20, 0x10, 0x0F
MAX_PRIVATE_DATA = 512
# RFC 6581 section 6: two words before the private data, of which the uppermost bits are flags.
DEPTHS, DEPTH_MASK, PEER_TO_PEER = 4, 0x3FFF, 0x8000
MARKER_SPACING, MARKER_LENGTH = 512, 4  # RFC 5044 section 4.3
LENGTH_FIELD, CRC_FIELD = 2, 4
LAST_FLAG = 0x40

SENDERS = ("initiator", "responder")


class UnreadableCapture(Exception):
    """The file is no capture that can be judged."""


@dataclass
class Piece:
    """A start-up frame or an FPDU: what one segment of the new capture holds."""

    sender: int  # index into SENDERS
    frame: int  # the frame of the original capture in which its last byte came
    octets: bytes
    is_fpdu: bool
    position: int  # in the sender's stream of FPDUs and markers, from which the places of markers count
    markers: bool

    @property
    def is_beyond_tshark(self) -> bool:
        """tshark takes a marker that comes right behind the CRC, and belongs to the next FPDU, for this one's."""
        return self.markers and (self.position + len(self.octets)) % MARKER_SPACING == 0

    @property
    def opcode(self) -> int:
        """The opcode of an FPDU (RFC 5040 section 4.1)."""
        return self._control(1) & 0x0F

    @property
    def ends_message(self) -> bool:
        """Whether it is the last FPDU of a message (RFC 5041 section 4)."""
        return self.is_fpdu and bool(self._control(0) & LAST_FLAG)

    def _control(self, index: int) -> int:
        """One of the two control bytes, which follow the length field; 0 if the FPDU has none."""
        content = without_markers(self.octets, self.marker_offsets)
        at = LENGTH_FIELD + index
        return content[at] if len(content) > at + CRC_FIELD else 0

    @property
    def marker_offsets(self) -> list[int]:
        """Where its markers are, if it has the length that it says."""
        first = self.markers and self.position % MARKER_SPACING == 0
        ulpdu = struct.unpack_from(">H", self.octets, MARKER_LENGTH if first else 0)[0]
        return marker_offsets(self.position, content_length(ulpdu)) if self.markers else []


@dataclass
class Direction:
    """What one side has sent: bytes in order, and the frame in which each run of them came."""

    next_sequence: int | None = None
    early: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    octets: bytearray = field(default_factory=bytearray)
    ends: list[int] = field(default_factory=list)  # bytes so far, at the end of each run of them
    frames: list[int] = field(default_factory=list)  # and the frame of that run

    def add(self, sequence: int, frame: int, payload: bytes) -> None:
        """Takes a segment, in order or not, once or several times."""
        if self.next_sequence is None:
            self.next_sequence = sequence
        self.early[sequence] = (frame, payload)
        while self.early:
            first = min(self.early, key=lambda early: distance(self.next_sequence, early))
            gap = distance(self.next_sequence, first)
            if gap > 0:
                return
            frame, payload = self.early.pop(first)
            fresh = payload[-gap:] if gap else payload
            if fresh:
                self.octets += fresh
                self.ends.append(len(self.octets))
                self.frames.append(frame)
                self.next_sequence = (self.next_sequence + len(fresh)) % 2**32

    @property
    def missing_before(self) -> int | None:
        """The first frame whose bytes do not join on to those before, because some are not in the capture."""
        return min((frame for frame, _ in self.early.values()), default=None)

    def frame_of(self, end: int) -> int:
        """The frame that brought the byte before this end."""
        return self.frames[bisect_left(self.ends, end)]


def distance(origin: int, sequence: int) -> int:
    """How far a TCP sequence number is ahead of another, negative if it is behind."""
    return (sequence - origin + 2**31) % 2**32 - 2**31


@dataclass
class Startup:
    """A request or reply frame."""

    flags: int
    revision: int
    private_data: bytes

    def has(self, flag: int) -> bool:
        """Whether one of the flag byte's bits is set."""
        return bool(self.flags & flag)

    @property
    def depths(self) -> tuple[int, int] | None:
        """IRD and ORD as they were sent, with their flag bits; None if the frame has none (RFC 6581 section 6)."""
        if self.revision < 2 or not self.has(FLAG_ENHANCED) or len(self.private_data) < DEPTHS:
            return None
        return struct.unpack(">HH", self.private_data[:DEPTHS])


class Connection:
    """One TCP connection, taken apart into start-up frames and FPDUs."""

    def __init__(self, initiator: str, responder: str, sent: tuple[Direction, Direction]) -> None:
        self.initiator, self.responder = initiator, responder
        self.startup: list[Startup | None] = [None, None]
        self.leftover: list[tuple[int, int]] = [(0, 0), (0, 0)]  # bytes that form nothing whole, and their frame
        self.pieces: list[Piece] = []
        self.sent = sent
        for sender, key in enumerate((REQUEST_KEY, REPLY_KEY)):
            self.startup[sender] = self._take_startup(sender, key)
        for sender in (0, 1):
            self._take_fpdus(sender)
        self.pieces.sort(key=lambda piece: piece.frame)

    def markers(self, sender: int) -> bool:
        """Whether this side puts markers into what it sends: the receiver decides (RFC 5044 section 7.1)."""
        other = self.startup[1 - sender]
        return other is not None and other.has(FLAG_MARKERS)

    @property
    def crc(self) -> bool:
        """Whether CRCs are used: either side may ask for them (RFC 5044 section 7.1)."""
        return any(frame is not None and frame.has(FLAG_CRC) for frame in self.startup)

    @property
    def rejected(self) -> bool:
        """Whether the responder says no."""
        return self.startup[1] is not None and self.startup[1].has(FLAG_REJECT)

    def _take_startup(self, sender: int, key: bytes) -> Startup | None:
        octets = self.sent[sender].octets
        if not octets.startswith(key) or len(octets) < STARTUP_HEADER:
            return None
        flags, revision, length = struct.unpack(">BBH", octets[len(key) : STARTUP_HEADER])
        end = STARTUP_HEADER + length
        if len(octets) < end:
            return None
        self._add(sender, 0, end, is_fpdu=False, position=0)
        return Startup(flags, revision, bytes(octets[STARTUP_HEADER:end]))

    def _take_fpdus(self, sender: int) -> None:
        octets, startup = self.sent[sender].octets, self.startup[sender]
        origin = STARTUP_HEADER + len(startup.private_data) if startup else 0
        begin = origin
        while startup and begin < len(octets):
            length = fpdu_length(octets, begin, begin - origin, self.markers(sender))
            if length is None or begin + length > len(octets):
                break
            self._add(sender, begin, begin + length, is_fpdu=True, position=begin - origin)
            begin += length
        if begin < len(octets):
            self.leftover[sender] = (len(octets) - begin, self.sent[sender].frame_of(len(octets)))

    def _add(self, sender: int, begin: int, end: int, is_fpdu: bool, position: int) -> None:
        stream = self.sent[sender]
        octets, markers = bytes(stream.octets[begin:end]), is_fpdu and self.markers(sender)
        self.pieces.append(Piece(sender, stream.frame_of(end), octets, is_fpdu, position, markers))


def fpdu_length(octets: bytes, begin: int, position: int, markers: bool) -> int | None:
    """The bytes of an FPDU on the wire with its markers, or None if its length field is not there yet."""
    marker_first = markers and position % MARKER_SPACING == 0
    header = begin + (MARKER_LENGTH if marker_first else 0)
    if len(octets) < header + LENGTH_FIELD:
        return None
    content = content_length(struct.unpack_from(">H", octets, header)[0])
    return content + MARKER_LENGTH * (len(marker_offsets(position, content)) if markers else 0)


def content_length(ulpdu: int) -> int:
    """The bytes of an FPDU without its markers."""
    return LENGTH_FIELD + ulpdu + -(LENGTH_FIELD + ulpdu) % 4 + CRC_FIELD


def marker_offsets(position: int, content: int) -> list[int]:
    """Where markers fall in an FPDU that begins at this position of the stream: offsets from its first byte."""
    offsets, offset = [], -position % MARKER_SPACING
    # Each marker moves the bytes behind it; one that would come after the last byte is the next FPDU's.
    while offset - MARKER_LENGTH * len(offsets) < content:
        offsets.append(offset)
        offset += MARKER_SPACING
    return offsets


def without_markers(octets: bytes, offsets: list[int]) -> bytes:
    """An FPDU as it would be without markers."""
    begins = [0] + [offset + MARKER_LENGTH for offset in offsets]
    return b"".join(octets[begin:end] for begin, end in zip(begins, [*offsets, len(octets)]))


CRC32C_TABLE = []
for octet in range(256):
    for _ in range(8):
        octet = octet >> 1 ^ (0x82F63B78 if octet & 1 else 0)
    CRC32C_TABLE.append(octet)


def crc32c(octets: bytes) -> int:
    """The CRC of RFC 5044 section 4.4."""
    value = 0xFFFFFFFF
    for octet in octets:
        value = value >> 8 ^ CRC32C_TABLE[(value ^ octet) & 0xFF]
    return value ^ 0xFFFFFFFF


def read(path: Path) -> list[Connection]:
    """All connections of a capture in which a connection is made; what has no SYN is not looked at."""
    streams: dict[tuple, list] = {}
    connections = []
    for number, packet in enumerate(_packets(path), start=1):
        segment = _tcp(packet)
        if segment is None:
            continue
        source, target, sequence, flags, payload = segment
        if flags & (SYN | ACK) == SYN:
            both = (Direction((sequence + 1) % 2**32), Direction())
            streams[source, target], streams[target, source] = (both, 0), (both, 1)
            connections.append((source, target, both))
        elif flags & SYN and (source, target) in streams:
            both, sender = streams[source, target]
            both[sender].next_sequence = (sequence + 1) % 2**32
        elif payload and (source, target) in streams:
            both, sender = streams[source, target]
            both[sender].add(sequence, number, payload)
    return [Connection(address(source), address(target), both) for source, target, both in connections]


def address(end: tuple[bytes, int]) -> str:
    """An IPv4 address and a port as people write them."""
    return ".".join(str(octet) for octet in end[0]) + f":{end[1]}"


def _packets(path: Path) -> Iterator[bytes]:
    """The IP packets of a file."""
    octets = path.read_bytes()
    order = {b"\xa1\xb2\xc3\xd4": ">", b"\xd4\xc3\xb2\xa1": "<"}.get(octets[:4])
    if order is None or len(octets) < 24:
        raise UnreadableCapture(f"{path} is not a pcap file (pcapng is another format: convert it with tshark -F pcap)")
    link_type = struct.unpack_from(order + "I", octets, 20)[0]
    if link_type not in (ETHERNET, RAW_IP):
        raise UnreadableCapture(f"{path} has link type {link_type}; only Ethernet and raw IP can be judged")
    begin = 24
    while begin + 16 <= len(octets):
        captured, full = struct.unpack_from(order + "II", octets, begin + 8)
        if captured != full or begin + 16 + captured > len(octets):
            raise UnreadableCapture(f"{path} has packets that are cut off: capture whole packets")
        packet = octets[begin + 16 : begin + 16 + captured]
        yield packet[ETHERNET_HEADER:] if link_type == ETHERNET else packet
        begin += 16 + captured


def _tcp(ip: bytes) -> tuple | None:
    """Source, target, sequence number, flags and payload, or None if this is no TCP over IPv4."""
    if len(ip) < IPV4_HEADER or ip[0] >> 4 != 4 or ip[9] != 6:
        return None
    begin, end = 4 * (ip[0] & 0x0F), struct.unpack_from(">H", ip, 2)[0]
    source_port, target_port, sequence = struct.unpack_from(">HHI", ip, begin)
    payload = ip[begin + 4 * (ip[begin + 12] >> 4) : end or len(ip)]
    return (ip[12:16], source_port), (ip[16:20], target_port), sequence, ip[begin + 13], payload

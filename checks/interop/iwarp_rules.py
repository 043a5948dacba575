"""What must hold for the FPDUs of a connection, from RFC 5044, 5041, 5040 and 7306, applied to what tshark dissected."""

from __future__ import annotations

import struct
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from iwarp_pcap import (
    CRC_FIELD,
    LENGTH_FIELD,
    MARKER_LENGTH,
    SENDERS,
    Connection,
    Piece,
    content_length,
    crc32c,
    marker_offsets,
    without_markers,
)

INITIATOR, RESPONDER = 0, 1
TAGGED_HEADER, UNTAGGED_HEADER = 14, 18  # RFC 5041 section 4
SEND_QUEUE, REQUEST_QUEUE, TERMINATE_QUEUE, ATOMIC_RESPONSE_QUEUE = 0, 1, 2, 3


@dataclass(frozen=True)
class Opcode:
    """An operation on the wire."""

    name: str
    queue: int | None  # None: a tagged message
    payload: int | None = None  # the only length that its message may have
    invalidates: bool = False


READ_REQUEST, READ_RESPONSE, TERMINATE, ATOMIC_REQUEST, ATOMIC_RESPONSE = 0x1, 0x2, 0x7, 0xA, 0xB
# RFC 5040 section 4.3, RFC 7306 section 4.1. tshark has no names for 8 and 9.
OPCODES = {
    0x0: Opcode("Write", None),
    READ_REQUEST: Opcode("Read Request", REQUEST_QUEUE, payload=28),
    READ_RESPONSE: Opcode("Read Response", None),
    0x3: Opcode("Send", SEND_QUEUE),
    0x4: Opcode("Send with Invalidate", SEND_QUEUE, invalidates=True),
    0x5: Opcode("Send with SE", SEND_QUEUE),
    0x6: Opcode("Send with SE and Invalidate", SEND_QUEUE, invalidates=True),
    TERMINATE: Opcode("Terminate", TERMINATE_QUEUE),
    0x8: Opcode("Immediate Data", SEND_QUEUE, payload=8),
    0x9: Opcode("Immediate Data with SE", SEND_QUEUE, payload=8),
    ATOMIC_REQUEST: Opcode("Atomic Request", REQUEST_QUEUE, payload=52),
    ATOMIC_RESPONSE: Opcode("Atomic Response", ATOMIC_RESPONSE_QUEUE, payload=12),
}


@dataclass(frozen=True)
class Fault:
    """Something wrong, in a frame of the capture."""

    frame: int
    text: str

    def __str__(self) -> str:
        return f"frame {self.frame}: {self.text}"


@dataclass
class Segment:
    """An FPDU as tshark shows it."""

    piece: Piece
    ulpdu: int
    crc_label: str  # empty if tshark checks none
    markers: list[int]  # the pointers
    marker_reserved: list[int]
    fields: dict[str, int]

    @staticmethod
    def of(piece: Piece, mpa: Element, ddp: Element) -> Segment:
        """Reads tshark's trees of the two layers, and only that of DDP if tshark was not shown markers and CRC."""
        fields = {
            field.get("name").partition(".")[2]: number(field)
            for field in ddp.iter("field")
            if field.get("value") and field.get("name").startswith("iwarp_")
        }
        ulpdu = number(mpa.find(".//field[@name='iwarp_mpa.ulpdulength']"))
        if piece.is_beyond_tshark:
            return Segment._beyond_tshark(piece, ulpdu, fields)
        crc = mpa.find(".//field[@name='iwarp_mpa.crc_check']")
        return Segment(
            piece,
            ulpdu,
            "" if crc is None else crc.get("showname", ""),
            [number(marker) for marker in mpa.iterfind(".//field[@name='iwarp_mpa.marker_fpduptr']")],
            [number(marker) for marker in mpa.iterfind(".//field[@name='iwarp_mpa.marker_res']")],
            fields,
        )

    @staticmethod
    def _beyond_tshark(piece: Piece, ulpdu: int, fields: dict[str, int]) -> Segment:
        expected = crc32c(piece.octets[:-CRC_FIELD])
        good = piece.octets[-CRC_FIELD:] == expected.to_bytes(CRC_FIELD, "little")
        crc_label = "CRC check: Good CRC32" if good else f"CRC check: Bad CRC32, should be {expected:#010x}"
        markers = [struct.unpack_from(">HH", piece.octets, offset) for offset in piece.marker_offsets]
        pointers, reserved = [pointer for _, pointer in markers], [reserved for reserved, _ in markers]
        return Segment(piece, ulpdu, crc_label, pointers, reserved, fields)

    @property
    def opcode(self) -> Opcode | None:
        return OPCODES.get(self.fields["opcode"])

    @property
    def opcode_name(self) -> str:
        return self.opcode.name if self.opcode else f"opcode {self.fields['opcode']:#x}"

    @property
    def queue_name(self) -> str:
        return "tagged" if self.tagged else f"queue {self.fields['qn']}"

    @property
    def tagged(self) -> bool:
        return bool(self.fields["tagged_flag"])

    @property
    def last(self) -> bool:
        return bool(self.fields["last_flag"])

    @property
    def payload(self) -> int:
        """The bytes behind the DDP header."""
        return self.ulpdu - (TAGGED_HEADER if self.tagged else UNTAGGED_HEADER)


def number(field: Element | None) -> int:
    """A field's value: as shown if that is a number, for flags and bit fields; else its bytes, big-endian."""
    if field is None:
        return 0
    try:
        return int(field.get("show", ""), 0)
    except ValueError:
        return int(field.get("value") or "0", 16)


@dataclass
class Message:
    """A message of which not all segments have come."""

    opcode: int
    queue: int | None
    sequence: int  # MSN, or the STag if tagged
    next_offset: int  # MO, or the tagged offset
    payload: int = 0


class StreamRules:
    """Follows one connection. Segments come in the order of the capture; each is answered with what is wrong."""

    def __init__(self, connection: Connection, siw: bool) -> None:
        self.connection = connection
        self.siw = siw
        self.messages: list[Message | None] = [None, None]
        self.sequences: defaultdict[tuple[int, int], int] = defaultdict(int)
        self.requests: tuple[deque[Segment], deque[Segment]] = (deque(), deque())  # by who asked
        self.terminated = [False, False]
        self.initiator_has_spoken = False

    def check(self, segment: Segment) -> list[Fault]:
        """What is wrong with a segment."""
        sender = segment.piece.sender
        texts = [*self._framing(segment), *self._order(segment)]
        if segment.opcode is None:
            texts.append(f"{segment.opcode_name} does not exist")
        else:
            texts += [*self._header(segment, segment.opcode), *self._message(segment, segment.opcode)]
        return [Fault(segment.piece.frame, f"{SENDERS[sender]}: {segment.opcode_name}: {text}") for text in texts]

    def at_end(self) -> Iterator[Fault]:
        """What is still missing when the capture ends."""
        for sender, message in enumerate(self.messages):
            if message and not self.terminated[1 - sender]:
                yield Fault(self.connection.sent[sender].frames[-1], f"{SENDERS[sender]}: the last message has no end")

    def _framing(self, segment: Segment) -> Iterator[str]:
        piece = segment.piece
        if self.connection.crc and "Good CRC32" not in segment.crc_label:
            yield segment.crc_label or "tshark sees no CRC to check, though CRCs were agreed on"
        content = content_length(segment.ulpdu)
        offsets = marker_offsets(piece.position, content) if piece.markers else []
        # A pointer counts from the length field, which comes behind a marker at the very beginning.
        pointers = [max(0, offset - MARKER_LENGTH) if offsets[0] == 0 else offset for offset in offsets]
        if segment.markers != pointers:
            yield f"marker pointers are {brief(segment.markers)} where they should be {brief(pointers)}"
        if any(segment.marker_reserved):
            yield "a marker's reserved bits are not zero"
        if len(piece.octets) != content + MARKER_LENGTH * len(offsets):
            yield f"tshark sees {segment.ulpdu} ULPDU octets in an FPDU of {len(piece.octets)} on the wire"
        # tshark itself looks in the wrong place if a marker comes between padding and CRC.
        padding = without_markers(piece.octets, offsets)[LENGTH_FIELD + segment.ulpdu : -CRC_FIELD]
        if any(padding) and not self.siw:
            yield f"padding is {padding.hex()}, not zero"

    def _order(self, segment: Segment) -> Iterator[str]:
        sender = segment.piece.sender
        if sender == INITIATOR:
            self.initiator_has_spoken = True
        elif not self.initiator_has_spoken and not self.siw:
            self.initiator_has_spoken = True  # to say it once
            yield "the responder speaks before the initiator's first FPDU (RFC 5044 section 7.1.2)"
        if self.terminated[sender]:
            yield "comes after the sender's Terminate"
        self.terminated[sender] |= segment.opcode is OPCODES[TERMINATE]

    def _header(self, segment: Segment, opcode: Opcode) -> Iterator[str]:
        fields = segment.fields
        for name, is_now, should_be in (
            ("DDP version", fields["dv"], 1),
            ("RDMAP version", fields["version"], 1),
            ("the DDP header's reserved bits", fields.get("rsvd", 0), 0),
            ("the RDMAP header's reserved bits", fields.get("rsv", 0), 0),
            ("the T bit", fields["tagged_flag"], int(opcode.queue is None)),
        ):
            if is_now != should_be:
                yield f"{name} is {is_now}, not {should_be}"
        if opcode.queue is not None and not segment.tagged:
            if fields["qn"] != opcode.queue:
                yield f"is in queue {fields['qn']}, not {opcode.queue}"
            if not opcode.invalidates and fields.get("reserved", 0):
                yield f"the field for an STag to invalidate is {fields['reserved']:#x}, not 0"
        if opcode.payload is not None and (segment.payload != opcode.payload or not segment.last):
            yield f"has {segment.payload} bytes behind the DDP header, not {opcode.payload} in one segment"

    def _message(self, segment: Segment, opcode: Opcode) -> Iterator[str]:
        sender, fields = segment.piece.sender, segment.fields
        message = self.messages[sender]
        if segment.tagged:
            here = Message(fields["opcode"], None, fields["stag"], fields["tagged_offset"])
        else:
            here = Message(fields["opcode"], fields["qn"], fields["msn"], fields["mo"])
        if message is None:
            message = here
            yield from self._first(sender, here)
        elif (here.opcode, here.queue, here.sequence, here.next_offset) != (
            message.opcode, message.queue, message.sequence, message.next_offset):  # fmt: skip
            yield f"does not go on where the unfinished message does: {describe(here)} instead of {describe(message)}"
            message = here
        message.next_offset += segment.payload
        message.payload += segment.payload
        self.messages[sender] = None if segment.last else message
        if opcode in (OPCODES[READ_REQUEST], OPCODES[ATOMIC_REQUEST]):
            self.requests[sender].append(segment)
        if opcode in (OPCODES[READ_RESPONSE], OPCODES[ATOMIC_RESPONSE]) and segment.last:
            yield from self._answer(segment, message)

    def _first(self, sender: int, here: Message) -> Iterator[str]:
        """The first segment of an untagged message has the queue's next number, and begins at 0."""
        if here.queue is None:
            return
        self.sequences[sender, here.queue] += 1
        expected = self.sequences[sender, here.queue]
        if here.sequence != expected or here.next_offset != 0:
            yield f"has MSN {here.sequence} and MO {here.next_offset}, not {expected} and 0"

    def _answer(self, segment: Segment, message: Message) -> Iterator[str]:
        """Answers come in the order of the requests, Reads and atomic operations together (RFC 7306 section 7)."""
        requests = self.requests[1 - segment.piece.sender]
        if not requests:
            yield "answers nothing that was asked"
            return
        request = requests.popleft().fields
        if segment.opcode is OPCODES[ATOMIC_RESPONSE]:
            asked = {"atomic.request_identifier": request.get("atomic.request_identifier")}
            answered = {"atomic.request_identifier": segment.fields.get("atomic.original_request_identifier")}
        else:
            asked = {name: request.get(name) for name in ("sinkstag", "sinkto", "rdmardsz")}
            begin = message.next_offset - message.payload
            answered = {"sinkstag": message.sequence, "sinkto": begin, "rdmardsz": message.payload}
        if asked != answered:
            yield f"answers {answered} to a request with {asked}"


def describe(message: Message) -> str:
    where = "tagged, STag" if message.queue is None else f"queue {message.queue}, MSN"
    return f"opcode {message.opcode:#x}, {where} {message.sequence:#x}, offset {message.next_offset:#x}"


def brief(numbers: list[int]) -> str:
    return str(numbers) if len(numbers) <= 6 else f"[{numbers[0]}, {numbers[1]}, ... {numbers[-1]}] ({len(numbers)})"

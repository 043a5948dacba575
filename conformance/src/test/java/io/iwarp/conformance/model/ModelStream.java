package io.iwarp.conformance.model;

import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.FpduChange;
import io.iwarp.conformance.wire.FpduReader;
import io.iwarp.conformance.wire.FpduWriter;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Rule;
import io.iwarp.conformance.wire.RuleViolation;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.TerminateMessage;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** An established stream of the model peer: it checks what comes, answers Reads, and hands messages up. */
final class ModelStream {
    private static final int RECEIVES = 4;
    private static final int RECEIVE_BYTES = 16;
    private static final int CHUNK = 1 << 17;
    private static final int SEGMENT = 1400;

    private final Socket socket;
    private final Set<Fault> faults;
    private final FpduReader reader;
    private final FpduWriter writer;
    private final Map<Long, Region> regions = new HashMap<>();
    private final Deque<byte[]> messages = new ArrayDeque<>();
    private final byte[] unread = new byte[CHUNK];
    private int available;
    private final byte[] receive = new byte[RECEIVE_BYTES];
    private final BitSet received = new BitSet();
    private final byte[] request = new byte[ReadRequest.LENGTH];
    private final BitSet requested = new BitSet();
    private final BitSet answered = new BitSet();
    private long nextMsn = 1;
    private long nextReadMsn = 1;
    /** Whole Read Requests that came before others, by their MSN. */
    private final Map<Long, Segment> early = new HashMap<>();

    private long sendMsn;
    private long readMsn = 1;
    private ReadRequest outstanding;
    private boolean silenced;
    private boolean validated;
    private boolean ready;

    /** Memory that the other side may know. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Region(byte[] bytes, long base, boolean readable, boolean writable) {}

    /** The stream has ended. */
    static final class Ended extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** The stream stays as it is, forever. */
    static final class Deaf extends IOException {
        private static final long serialVersionUID = 1;
    }

    ModelStream(Socket socket, Set<Fault> faults, boolean sendMarkers, boolean receiveMarkers, boolean crc) {
        this.socket = socket;
        this.faults = faults;
        reader = new FpduReader(receiveMarkers, crc);
        writer = new FpduWriter(sendMarkers, crc);
        sendMsn = faults.contains(Fault.MSN_FROM_ZERO) ? 0 : 1;
    }

    void register(long stag, Region region) {
        regions.put(stag, region);
    }

    /** The other side's first Send of zero bytes is no message. */
    void expectReadySend() {
        ready = true;
    }

    boolean has(Fault fault) {
        return faults.contains(fault);
    }

    /** Returns the next message. */
    byte[] receive() throws IOException {
        while (messages.isEmpty()) {
            pump();
        }
        return messages.removeFirst();
    }

    /** Reads memory of the other side, and waits until it is there. */
    void read(ReadRequest request) throws IOException {
        outstanding = request;
        Segment segment = Segment.readRequest(readMsn++, request);
        if (has(Fault.READ_REQUEST_TOO_LONG)) {
            segment.payload(Bytes.join(request.encode(), new byte[1]));
        }
        send(segment);
        while (outstanding != null) {
            pump();
        }
    }

    /** Sends something if the other side says nothing for a while. */
    void sendUnlessHeard() throws IOException {
        socket.setSoTimeout(ModelStartup.IMPATIENCE_MILLIS);
        try {
            fill();
        } catch (SocketTimeoutException e) {
            send(Segment.tagged(Segment.WRITE, 0, 0, Bytes.NONE));
        }
        socket.setSoTimeout(0);
    }

    void sendMessage(byte[] message) throws IOException {
        Segment segment = Segment.send(sendMsn++, message);
        if (has(Fault.SEND_ON_WRONG_QUEUE)) {
            segment.queue(1);
        }
        if (has(Fault.MO_NOT_ZERO)) {
            segment.messageOffset(1);
        }
        if (has(Fault.INVALIDATE_STAG_SET)) {
            segment.stag(1);
        }
        send(segment);
    }

    /** Sends a tagged message in segments. */
    void sendTagged(int opcode, long stag, long offset, byte[] data) throws IOException {
        int from = 0;
        do {
            int to = Math.min(data.length, from + SEGMENT);
            boolean later = from > SEGMENT && opcode == Segment.WRITE;
            if (later && has(Fault.MESSAGES_MIXED)) {
                send(Segment.send(sendMsn++, Bytes.NONE));
            }
            send(Segment.tagged(
                            opcode,
                            later && has(Fault.STAG_CHANGES) ? stag + 1 : stag,
                            later && has(Fault.TO_STANDS_STILL) ? offset : offset + from,
                            Arrays.copyOfRange(data, from, to))
                    .last(to == data.length));
            from = to;
        } while (from < data.length);
    }

    void send(Segment segment) throws IOException {
        if (has(Fault.DDP_RESERVED_SET)) {
            segment.ddpReserved(1);
        }
        if (has(Fault.RDMAP_RESERVED_SET)) {
            segment.rdmapReserved(1);
        }
        if (has(Fault.DDP_VERSION_ZERO) && segment.opcode() == Segment.SEND) {
            segment.ddpVersion(0);
        }
        if (has(Fault.RDMAP_VERSION_ZERO) && segment.opcode() == Segment.SEND) {
            segment.rdmapVersion(0);
        }
        boolean first = has(Fault.FIRST_MARKER_WRONG) && writer.position() == 0;
        FpduChange damage = has(Fault.PADDING_NOT_ZERO)
                ? FpduChange.padding(0x77)
                : has(Fault.MARKER_RESERVED_SET)
                        ? FpduChange.markers(1, 0)
                        : first || (has(Fault.MARKER_POINTER_WRONG) && writer.position() > 0)
                                ? FpduChange.markers(0, 4)
                                : has(Fault.CRC_WRONG) && segment.opcode() == Segment.SEND
                                        ? FpduChange.flipFromEnd(0)
                                        : FpduChange.NONE;
        socket.getOutputStream().write(writer.encode(segment.encode(), damage));
    }

    /** Handles one FPDU. */
    private void pump() throws IOException {
        FpduReader.Fpdu fpdu = reader.decode(unread, available);
        while (fpdu == null) {
            fill();
            fpdu = reader.decode(unread, available);
        }
        int length = fpdu.raw().length;
        System.arraycopy(unread, length, unread, 0, available - length);
        available -= length;
        checkFrame(fpdu);
        validated = true;
        byte[] ulpdu = fpdu.ulpdu();
        if (!Segment.fits(ulpdu)) {
            if (has(Fault.SHORT_ULPDU_IGNORED) && ulpdu.length == 5) {
                messages.add(new byte[RECEIVE_BYTES]);
                return;
            }
            fail(TerminateMessage.bare(0, 2, 0xFF));
        }
        Segment segment = Segment.decode(ulpdu);
        if (segment.tagged()) {
            tagged(segment);
        } else {
            untagged(segment);
        }
    }

    private void checkFrame(FpduReader.Fpdu fpdu) throws IOException {
        for (RuleViolation violation : fpdu.violations()) {
            if (violation.rule() == Rule.CRC_IS_RIGHT) {
                boolean lastByteOnly = violation.seen().regionMatches(0, violation.allowed(), 0, 8);
                if (has(Fault.CRC_BYTE_UNCHECKED) && lastByteOnly) {
                    continue;
                }
                if (!validated) {
                    close();
                }
                fail(TerminateMessage.bare(2, 0, 2));
            }
            if ((violation.rule() == Rule.PAD_IS_ZERO && has(Fault.PADDING_CHECKED))
                    || (violation.rule() == Rule.MARKER_RESERVED_IS_ZERO && has(Fault.MARKER_RESERVED_CHECKED))) {
                fail(TerminateMessage.bare(2, 0, 3));
            }
            if (violation.rule() == Rule.MARKER_POINTS_BACK || violation.rule() == Rule.FIRST_MARKER_IS_ZERO) {
                long difference = Long.parseLong(violation.seen(), 16) - Long.parseLong(violation.allowed(), 16);
                boolean low = difference > 0 && difference < 4;
                if (low ? has(Fault.MARKER_LOW_BITS_CHECKED) : !has(Fault.MARKER_POINTER_UNCHECKED)) {
                    fail(TerminateMessage.bare(2, 0, 3));
                }
            }
        }
    }

    private void tagged(Segment segment) throws IOException {
        checkVersion(segment, 1, 4);
        boolean known = segment.opcode() == Segment.WRITE || segment.opcode() == Segment.READ_RESPONSE;
        boolean unasked = segment.opcode() == Segment.READ_RESPONSE && outstanding == null;
        if (unasked && has(Fault.SECOND_RESPONSE_TAKEN) && segment.payload().length > 1) {
            return;
        }
        if (!known || unasked) {
            fail(0, 2, 6, segment, false);
        }
        checkRdmapVersion(segment);
        if (segment.payload().length == 0) {
            if (has(Fault.EMPTY_WRITE_CHECKED) && segment.stag() == 0xFFFF_FFFFL) {
                fail(1, 1, 0, segment, false);
            }
        } else {
            place(segment);
        }
        if (segment.opcode() == Segment.READ_RESPONSE && segment.last()) {
            boolean checked = !has(Fault.RESPONSE_STAG_UNCHECKED);
            if (checked && answered.length() > outstanding.size()) {
                fail(1, 1, 1, segment, false);
            }
            if (checked && answered.nextClearBit(0) < outstanding.size()) {
                fail(0, 2, 0xFF, segment, false);
            }
            answered.clear();
            outstanding = null;
        }
    }

    private void place(Segment segment) throws IOException {
        boolean response = segment.opcode() == Segment.READ_RESPONSE;
        Region region = regions.get(segment.stag());
        if (region == null && response && has(Fault.RESPONSE_STAG_UNCHECKED)) {
            region = regions.get(outstanding.sinkStag());
        }
        if (region == null && has(Fault.WRITE_TO_STAG_1_TAKEN) && segment.stag() == 1) {
            return;
        }
        if (region == null || (!response && !region.writable())) {
            fail(1, 1, 0, segment, false);
        }
        int length = segment.payload().length;
        if (segment.offset() < 0 && segment.offset() + length >= 0) {
            fail(1, 1, 3, segment, false);
        }
        int room = region.bytes().length + (has(Fault.WRITE_BOUND_OFF_BY_ONE) ? 1 : 0);
        if (!inside(segment.offset(), length, region.base(), room)) {
            fail(1, 1, 1, segment, false);
        }
        int at = (int) (segment.offset() - region.base());
        if (response) {
            answered.set(at, at + length);
        }
        System.arraycopy(segment.payload(), 0, region.bytes(), at, Math.min(length, region.bytes().length - at));
    }

    private static boolean inside(long offset, long length, long base, int room) {
        long at = offset - base;
        return Long.compareUnsigned(at, room) < 0 && length <= room - at;
    }

    private void checkVersion(Segment segment, int type, int code) throws IOException {
        boolean taken = has(Fault.VERSION_3_TAKEN) && segment.ddpVersion() == 3;
        if (segment.ddpVersion() != 1 && !taken) {
            fail(1, has(Fault.VERSION_CODE_WRONG) ? 1 : type, has(Fault.VERSION_CODE_WRONG) ? 4 : code, segment, false);
        }
        if ((has(Fault.DDP_RESERVED_CHECKED) && segment.ddpReserved() != 0)
                || (has(Fault.RDMAP_RESERVED_CHECKED) && segment.rdmapReserved() != 0)) {
            fail(1, 0, 0, segment, false);
        }
    }

    private void checkRdmapVersion(Segment segment) throws IOException {
        boolean taken = has(Fault.RDMAP_VERSION_3_TAKEN) && segment.rdmapVersion() == 3;
        if (segment.rdmapVersion() != 1 && !taken) {
            fail(0, 2, 5, segment, false);
        }
    }

    private void untagged(Segment segment) throws IOException {
        long queue = segment.queue();
        if (queue == 2 && segment.opcode() == Segment.TERMINATE) {
            terminated(segment);
            return;
        }
        checkVersion(segment, 2, 6);
        if (queue == 4 && has(Fault.QUEUE_4_TAKEN)) {
            queue = 0;
        }
        if (queue > 2) {
            fail(1, 2, 1, segment, false);
        }
        int opcode = segment.opcode();
        boolean send = queue == 0 && opcode >= Segment.SEND && opcode <= Segment.SEND_SOLICITED_INVALIDATE;
        if ((queue == 0 && opcode == 12 && has(Fault.OPCODE_12_TAKEN))
                || (queue == 0 && opcode == 0 && has(Fault.UNTAGGED_WRITE_TAKEN))
                || (queue == 1 && opcode == 9 && has(Fault.IMMEDIATE_SILENTLY_DROPPED))) {
            return;
        }
        boolean refused = opcode == Segment.SEND_SOLICITED && has(Fault.SOLICITED_REFUSED);
        boolean fits = send || (queue == 1 && opcode == Segment.READ_REQUEST);
        if (opcode == Segment.TERMINATE) {
            terminated(segment);
            return;
        }
        if (!fits || refused) {
            fail(0, 2, 6, segment, false);
        }
        checkRdmapVersion(segment);
        if (queue == 1) {
            readRequest(segment);
        } else {
            message(segment);
        }
    }

    private void terminated(Segment segment) throws IOException {
        byte[] payload = segment.payload();
        if (payload.length >= 4) {
            TerminateMessage message = TerminateMessage.decode(payload);
            if (has(Fault.TERMINATE_IGNORED) && message.reserved() != 0) {
                return;
            }
            if (has(Fault.TERMINATE_ANSWERED) && message.layer() == 15) {
                fail(TerminateMessage.bare(0, 0, 0));
            }
        }
        close();
    }

    private void message(Segment segment) throws IOException {
        boolean taken = (has(Fault.MSN_ZERO_TAKEN) && segment.msn() == 0)
                || (has(Fault.OLD_MSN_TAKEN) && segment.msn() != 0 && segment.msn() < nextMsn);
        if (segment.msn() != nextMsn && !taken) {
            fail(1, 2, segment.msn() > nextMsn && segment.msn() < nextMsn + RECEIVES ? 2 : 3, segment, false);
        }
        if (messages.size() >= RECEIVES) {
            fail(1, 2, 2, segment, false);
        }
        boolean invalidates =
                segment.opcode() == Segment.SEND_INVALIDATE || segment.opcode() == Segment.SEND_SOLICITED_INVALIDATE;
        if (has(Fault.INVALIDATE_STAG_CHECKED) && !invalidates && segment.stag() != 0) {
            fail(0, 2, 9, segment, false);
        }
        long offset = segment.messageOffset();
        if (offset == 0xFFFF_FFFFL && has(Fault.MO_UNCHECKED)) {
            offset = 0;
        }
        int length = segment.payload().length;
        if (offset > RECEIVE_BYTES) {
            fail(1, 2, 4, segment, false);
        }
        if (offset + length > RECEIVE_BYTES) {
            fail(1, 2, has(Fault.TOO_LONG_IS_NO_BUFFER) ? 2 : 5, segment, false);
        }
        if (has(Fault.EMPTY_SEGMENT_LOST) && length == 0 && !segment.last()) {
            nextMsn++;
        }
        if (invalidates && segment.last() && regions.remove(segment.stag()) == null) {
            fail(0, 2, 9, segment, false);
        }
        System.arraycopy(segment.payload(), 0, receive, (int) offset, length);
        received.set((int) offset, (int) offset + length);
        if (segment.last()) {
            int whole = (int) offset + length;
            if (received.nextClearBit(0) < whole) {
                fail(1, 2, 4, segment, false);
            }
            received.clear();
            nextMsn++;
            if (ready) {
                ready = false;
            } else {
                messages.add(Arrays.copyOf(receive, whole));
            }
        }
    }

    private void readRequest(Segment segment) throws IOException {
        int length = segment.payload().length;
        if (segment.msn() > nextReadMsn && segment.msn() < nextReadMsn + RECEIVES && segment.last()) {
            early.put(segment.msn(), segment);
            return;
        }
        if (segment.msn() != nextReadMsn) {
            fail(1, 2, 3, segment, false);
        }
        long place = segment.messageOffset();
        if (place > ReadRequest.LENGTH || (segment.last() && requested.nextClearBit(0) < place)) {
            fail(1, 2, 4, segment, false);
        }
        boolean taken = length == ReadRequest.LENGTH + 1 && has(Fault.LONG_READ_REQUEST_TAKEN);
        if (place + length > ReadRequest.LENGTH && !taken) {
            fail(1, 2, 5, segment, false);
        }
        System.arraycopy(segment.payload(), 0, request, (int) place, Math.min(length, ReadRequest.LENGTH));
        requested.set((int) place, (int) place + length);
        if (!segment.last()) {
            return;
        }
        if (requested.nextClearBit(0) < ReadRequest.LENGTH) {
            fail(0, 2, 0xFF, segment, false);
        }
        requested.clear();
        nextReadMsn++;
        answer(segment, ReadRequest.decode(request));
        Segment waiting = early.remove(nextReadMsn);
        if (waiting != null) {
            readRequest(waiting);
        }
    }

    private void answer(Segment segment, ReadRequest read) throws IOException {
        boolean lost = has(Fault.READ_SINK_NOT_ECHOED) && read.sinkStag() == 0xDEAD_BEEFL;
        if (read.size() == 0) {
            if (has(Fault.EMPTY_READ_CHECKED) && read.sourceStag() == 0xFFFF_FFFFL) {
                fail(0, 1, 0, segment, true);
            }
            byte[] answer = has(Fault.EMPTY_READ_BRINGS_BYTES) && read.sinkStag() == 1 ? receive : Bytes.NONE;
            sendTagged(Segment.READ_RESPONSE, read.sinkStag(), lost ? 0 : read.sinkOffset(), answer);
            return;
        }
        Region region = regions.get(read.sourceStag());
        if (region == null) {
            fail(has(Fault.READ_ERROR_OF_DDP) ? 1 : 0, 1, 0, segment, true);
        }
        if (!region.readable()) {
            fail(0, 1, 2, segment, true);
        }
        if (read.sourceOffset() < 0 && read.sourceOffset() + read.size() >= 0) {
            fail(0, 1, 4, segment, true);
        }
        int room = region.bytes().length + (has(Fault.READ_BOUND_OFF_BY_ONE) ? 1 : 0);
        if (!inside(read.sourceOffset(), read.size(), region.base(), room)) {
            fail(0, 1, 1, segment, true);
        }
        int at = (int) (read.sourceOffset() - region.base());
        boolean other = has(Fault.READ_BRINGS_OTHER_BYTES) && at == 3;
        byte[] data = Arrays.copyOfRange(region.bytes(), other ? 0 : at, (other ? 0 : at) + (int) read.size());
        sendTagged(Segment.READ_RESPONSE, read.sinkStag(), read.sinkOffset(), data);
    }

    private void fail(int layer, int type, int code, Segment segment, boolean read) throws IOException {
        byte[] ulpdu = segment.encode();
        int header = segment.tagged() ? Segment.TAGGED_HEADER : Segment.UNTAGGED_HEADER;
        int length = has(Fault.TERMINATE_LENGTH_OF_PAYLOAD) ? ulpdu.length - header : ulpdu.length;
        byte[] quote = Arrays.copyOf(ulpdu, header);
        if (has(Fault.TERMINATE_QUOTES_OTHER_HEADER)) {
            quote[5] ^= 1;
        }
        int bits = TerminateMessage.M | TerminateMessage.D | (read ? TerminateMessage.R : 0);
        if (has(Fault.TERMINATE_WITHOUT_M)) {
            bits &= ~TerminateMessage.M;
        }
        byte[] rest = Bytes.join(Bytes.u16(length), quote, read ? segment.payload() : Bytes.NONE);
        fail(new TerminateMessage(
                layer, type, code, bits, 0, has(Fault.TERMINATE_WITHOUT_HEADERS) ? Bytes.NONE : rest));
    }

    /** Ends the stream with a Terminate. */
    private void fail(TerminateMessage message) throws IOException {
        if (silenced) {
            close();
        }
        TerminateMessage sent = has(Fault.TERMINATE_RESERVED_SET)
                ? new TerminateMessage(
                        message.layer(), message.type(), message.code(), message.bits(), 1, message.rest())
                : message;
        send(Segment.terminate(sent.encode()));
        if (has(Fault.SENDS_AFTER_TERMINATE)) {
            send(Segment.tagged(Segment.WRITE, 0, 0, Bytes.NONE));
        }
        if (has(Fault.ACTS_AFTER_ERROR) && message.layer() == 2) {
            silenced = true;
            // The answer to whatever comes next is a message.
            pump();
            send(Segment.tagged(Segment.WRITE, 0, 0, Bytes.NONE));
        }
        close();
    }

    /** Ends the stream in order. */
    void close() throws IOException {
        if (has(Fault.ENDS_INSIDE_FPDU)) {
            socket.getOutputStream().write(new byte[3]);
        }
        socket.shutdownOutput();
        socket.setSoTimeout(1000);
        InputStream in = socket.getInputStream();
        while (in.read(unread) >= 0) {
            // What still comes is dropped, so that the end is a FIN.
            available = 0;
        }
        socket.close();
        throw new Ended();
    }

    private void fill() throws IOException {
        int count;
        try {
            count = socket.getInputStream().read(unread, available, unread.length - available);
        } catch (SocketException e) {
            throw has(Fault.RESET_IGNORED) ? new Deaf() : e;
        }
        if (count < 0) {
            if (has(Fault.FIN_IGNORED) && !validated) {
                throw new Deaf();
            }
            if (available > 0 && validated) {
                fail(TerminateMessage.bare(2, 0, 1));
            }
            close();
        }
        boolean lost =
                has(Fault.CUT_LOSES_BYTES) && available == 0 && count >= 2 && count < 40 && Bytes.u16(unread, 0) == 34;
        available += lost ? 0 : count;
    }
}

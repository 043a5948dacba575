package io.iwarp.tools.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a capture is cut into segments: one FPDU in each, whatever pieces the socket gives. */
class MpaSegmentsTest {
    private static final int MARKER_SPACING = 512;
    private static final int MARKERS = 0x80;
    /** An FPDU with markers that ends where the next marker follows: marker, length, ULPDU, CRC. */
    private static final int ULPDU_TO_THE_MARKER = MARKER_SPACING - 4 - 2 - 2 - 4;

    /** One direction of a connection, made byte by byte from RFC 5044, and where its FPDUs end. */
    private static final class Sent {
        private final ByteBuf bytes = Unpooled.buffer();
        private final boolean markers;
        private final List<Integer> ends = new ArrayList<>();
        private int begin;

        Sent(boolean markers, String key, int flags) {
            this.markers = markers;
            bytes.writeCharSequence(key, StandardCharsets.US_ASCII);
            bytes.writeByte(flags).writeByte(1).writeShort(3).writeZero(3);
            begin = bytes.writerIndex();
            ends.add(begin);
        }

        Sent fpdu(int ulpdu, int content) {
            ByteBuf plain = Unpooled.buffer().writeShort(ulpdu);
            plain.writeBytes(
                    ByteBufUtil.getBytes(Unpooled.buffer().writeZero(ulpdu).setByte(ulpdu / 2, content)));
            plain.writeZero(Math.floorMod(-plain.writerIndex(), 4)).writeInt(0x0c0c0c0c);
            while (plain.isReadable()) {
                if (markers && (bytes.writerIndex() - begin) % MARKER_SPACING == 0) {
                    bytes.writeInt(0);
                }
                bytes.writeBytes(plain, 4);
            }
            boolean markerBehind = markers && (bytes.writerIndex() - begin) % MARKER_SPACING == 0;
            ends.add(bytes.writerIndex() + (markerBehind ? 4 : 0));
            return this;
        }
    }

    /** The start-up frames of both sides, with requests for markers. */
    private static void start(CapturedConnection connection, int there, int back) throws IOException {
        connection.sent(new Sent(false, "MPA ID Req Frame", there).bytes);
        connection.received(new Sent(false, "MPA ID Rep Frame", back).bytes);
    }

    private static ByteBuf fpdus(Sent sent) {
        return sent.bytes.slice(sent.begin, sent.bytes.writerIndex() - sent.begin);
    }

    private static List<Integer> endsOf(MpaSegments segments, List<ByteBuf> found) {
        for (ByteBuf next = segments.next(); next != null; next = segments.next()) {
            found.add(next);
        }
        List<Integer> ends = new ArrayList<>();
        int end = 0;
        for (ByteBuf each : found) {
            end += each.readableBytes();
            ends.add(end);
        }
        return ends;
    }

    @ParameterizedTest
    @CsvSource({"false, 1", "false, 700", "true, 1", "true, 4", "true, 700", "true, 5000"})
    void eachSegmentIsOneFpduWhateverThePieces(boolean markers, int maxPiece) {
        for (int seed = 1; seed <= 50; seed++) {
            Random random = new Random(seed);
            Sent sent = new Sent(markers, "MPA ID Rep Frame", 0);
            for (int i = 0; i < 40; i++) {
                sent.fpdu(random.nextInt(4) == 0 ? ULPDU_TO_THE_MARKER : random.nextInt(1200), i);
            }
            sent.fpdu(1, 0).ends.set(41, sent.bytes.writerIndex());
            MpaSegments segments = new MpaSegments(() -> markers);
            List<ByteBuf> found = new ArrayList<>();
            ByteBuf bytes = sent.bytes.duplicate();
            while (bytes.isReadable()) {
                segments.add(bytes.readSlice(Math.min(bytes.readableBytes(), 1 + random.nextInt(maxPiece))));
                endsOf(segments, found);
            }
            ByteBuf rest = segments.rest();
            if (rest.isReadable()) {
                found.add(rest);
            }

            assertThat(endsOf(segments, found)).as("seed %d", seed).isEqualTo(sent.ends);
            assertThat(Unpooled.wrappedBuffer(found.toArray(ByteBuf[]::new))).isEqualTo(sent.bytes);
        }
    }

    @Test
    void aDirectionHasMarkersIfTheOtherOneRequestsThem() {
        MpaSegments other = new MpaSegments(() -> false);
        other.add(new Sent(false, "MPA ID Req Frame", MARKERS).bytes);

        assertThat(other.requestsMarkers()).isFalse();
        assertThat(other.next()).isNotNull();
        assertThat(other.requestsMarkers()).isTrue();
    }

    @Test
    void whatIsNoMpaPassesAtOnce() {
        MpaSegments segments = new MpaSegments(() -> false);
        for (String text : List.of("\u0016\u0003\u0001", "anything", "MPA ID Req Frame")) {
            ByteBuf bytes = Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
            segments.add(bytes);

            assertThat(segments.next()).isEqualTo(bytes);
        }
    }

    /** Notes what is captured: the direction, and the length. */
    private static CapturedConnection connection(Consumer<String> captured) {
        return new CapturedConnection(
                (outbound, bytes) -> captured.accept((outbound ? "out " : "in ") + bytes.readableBytes()));
    }

    @Test
    void anAnswerIsNeverCapturedBeforeItsRequest() throws IOException {
        List<String> captured = new ArrayList<>();
        CapturedConnection connection = connection(captured::add);
        Sent there = new Sent(true, "MPA ID Req Frame", MARKERS).fpdu(ULPDU_TO_THE_MARKER, 1);
        start(connection, MARKERS, MARKERS);
        connection.sent(fpdus(there));
        connection.received(fpdus(new Sent(true, "MPA ID Rep Frame", MARKERS).fpdu(10, 2)));
        assertThat(captured).containsExactly("out 23", "in 23");

        int soFar = there.bytes.writerIndex();
        there.fpdu(10, 3);
        connection.sent(there.bytes.slice(soFar, there.bytes.writerIndex() - soFar));
        assertThat(captured).containsExactly("out 23", "in 23", "out 516", "in 20", "out 16");
        connection.end();
        assertThat(captured).hasSize(5);
    }

    @Test
    void theEndWritesWhatWaits() throws IOException {
        List<String> captured = new ArrayList<>();
        CapturedConnection connection = connection(captured::add);
        start(connection, MARKERS, MARKERS);
        connection.sent(fpdus(new Sent(true, "MPA ID Req Frame", MARKERS).fpdu(ULPDU_TO_THE_MARKER, 1)));
        connection.received(fpdus(new Sent(true, "MPA ID Rep Frame", MARKERS).fpdu(10, 2)));
        connection.received(Unpooled.buffer().writeShort(100).writeZero(7));
        connection.end();

        assertThat(captured).containsExactly("out 23", "in 23", "out 512", "in 20", "in 9");
    }

    @Test
    void aStoppedDirectionDoesNotHoldBackTheOther() throws IOException {
        List<String> captured = new ArrayList<>();
        CapturedConnection connection = connection(captured::add);
        start(connection, 0, MARKERS);
        connection.sent(fpdus(new Sent(true, "MPA ID Req Frame", 0).fpdu(ULPDU_TO_THE_MARKER, 1)));
        for (int i = 0; i < 100; i++) {
            connection.received(fpdus(new Sent(false, "MPA ID Rep Frame", 0).fpdu(50_000, i)));
        }

        assertThat(captured).startsWith("out 23", "in 23", "out 512").hasSizeGreaterThan(80);
    }
}

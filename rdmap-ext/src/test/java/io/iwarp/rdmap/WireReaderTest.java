package io.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class WireReaderTest {
    private static final int MARKERS = 0x80;
    private static final int CRC = 0x40;
    private static final int REJECTED = 0x20;

    private final WireReader reader = new WireReader();
    private final WireReader other = new WireReader();
    private final List<String> lines = new ArrayList<>();

    private static byte[] frame(String key, int flags, int revision, byte[] privateData) {
        return ByteBuffer.allocate(20 + privateData.length)
                .put(key.getBytes(StandardCharsets.US_ASCII))
                .put((byte) flags)
                .put((byte) revision)
                .putShort((short) privateData.length)
                .put(privateData)
                .array();
    }

    private static byte[] fpdu(String ulpdu) {
        byte[] bytes = HexFormat.of().parseHex(ulpdu.replace(" ", ""));
        int length = 2 + bytes.length;
        return ByteBuffer.allocate(length + (-length & 3) + 4)
                .putShort((short) bytes.length)
                .put(bytes)
                .array();
    }

    private void feed(byte[]... parts) {
        for (byte[] part : parts) {
            reader.read(Unpooled.wrappedBuffer(part), other, r -> lines.add(r.describe()));
        }
    }

    private void feedRequest() {
        feed(frame("MPA ID Req Frame", CRC, 1, new byte[0]));
        lines.clear();
    }

    @Test
    void startupFramesShowTheirFields() {
        feed(frame("MPA ID Req Frame", CRC | MARKERS, 1, new byte[3]));

        assertThat(lines).containsExactly("MPA Request Frame: revision 1, CRC, markers, 3 bytes of private data");
    }

    @Test
    void anEnhancedFrameShowsItsDepths() {
        feed(frame("MPA ID Req Frame", 0x10, 2, new byte[] {(byte) 0x80, 16, (byte) 0x80, 8, 1, 2}));

        assertThat(lines)
                .containsExactly("MPA Request Frame: revision 2, no CRC, IRD 16, ORD 8, peer-to-peer [WRITE],"
                        + " 2 bytes of private data");
    }

    @Test
    void bytesAfterARejectionAreNotParsed() {
        feed(frame("MPA ID Rep Frame", REJECTED, 1, new byte[0]), new byte[100]);

        assertThat(lines).containsExactly("MPA Reply Frame: rejected, revision 1, no CRC, 0 bytes of private data");
    }

    @Test
    void everyTypeOfMessageIsDecoded() {
        feedRequest();

        feed(
                fpdu("c1 40 11223344 0000000000000010 aabbcc"),
                fpdu("81 42 11223344 0000000000000010"),
                fpdu("41 43 00000000 00000000 00000001 00000000 aa"),
                fpdu("41 44 11223344 00000000 00000002 00000000"),
                fpdu("41 41 00000000 00000001 00000003 00000000"
                        + "00000001 0000000000000002 00000040 00000005 0000000000000006"),
                fpdu("41 4a 00000000 00000001 00000004 00000000"
                        + "00000000 00000009 00000005 0000000000000008 0000000000000001 0000000000000000"
                        + "0000000000000000 ffffffffffffffff"),
                fpdu("41 4a 00000000 00000001 00000005 00000000"
                        + "00000002 0000000a 00000005 0000000000000008 0000000000000002 ffffffffffffffff"
                        + "0000000000000001 ffffffffffffffff"),
                fpdu("41 4b 00000000 00000003 00000001 00000000 00000009 0000000000000025"),
                fpdu("41 48 00000000 00000000 00000006 00000000 00000000000000ff"),
                fpdu("41 47 00000000 00000002 00000001 00000000 11000000"));

        assertThat(lines)
                .containsExactly(
                        "RDMA Write: 3 bytes to STag 0x11223344 TO 0x10, last",
                        "RDMA Read Response: 0 bytes to STag 0x11223344 TO 0x10",
                        "Send: MSN 1, 1 bytes at 0, last",
                        "Send with Invalidate: MSN 2, invalidates STag 0x11223344, 0 bytes at 0, last",
                        "RDMA Read Request: MSN 3, 64 bytes from STag 0x00000005 TO 0x6 into STag 0x00000001 TO 0x2,"
                                + " last",
                        "Atomic Request: MSN 4, id 9, FetchAdd 0x1 mask 0x0 to STag 0x00000005 TO 0x8, last",
                        "Atomic Request: MSN 5, id 10, CmpSwap 0x1 mask 0xffffffffffffffff by 0x2 mask"
                                + " 0xffffffffffffffff at STag 0x00000005 TO 0x8, last",
                        "Atomic Response: MSN 1, id 9, found 0x25, last",
                        "Immediate Data: MSN 6, 0xff, last",
                        "Terminate: MSN 1, 0x1/0x1/0x00 Tagged Buffer Error / Invalid Steering Tag, last");
    }

    @Test
    void malformedInputIsShownAsReceived() {
        feedRequest();
        feed(
                fpdu("41 43"),
                fpdu(""),
                fpdu("c2 80 11223344 0000000000000010"),
                fpdu("41 4d 00000000 00000000 00000001 00000000"),
                fpdu("41 43 00000000 00000005 00000001 00000000"),
                fpdu("41 41 00000000 00000001 00000001 00000000 00"),
                fpdu("41 47 00000000 00000002 00000001 00000000 11"));

        assertThat(lines)
                .containsExactly(
                        "FPDU: a ULPDU of 2 bytes, too short for a DDP header",
                        "FPDU: a ULPDU of 0 bytes, too short for a DDP header",
                        "RDMA Write: 0 bytes to STag 0x11223344 TO 0x10, last, DDP version 2, RDMAP version 2",
                        "opcode 0xd, which is not assigned: MSN 1, 0 bytes at 0, last",
                        "Send: MSN 1, 0 bytes at 0, last, on queue 5",
                        "RDMA Read Request: MSN 1, 1 bytes at 0, last",
                        "Terminate: MSN 1, 1 bytes at 0, last");
    }

    @Test
    void endInsideAnFpduIsReported() {
        feedRequest();
        byte[] whole = fpdu("c1 40 11223344 0000000000000010 aabbcc");
        feed(Arrays.copyOf(whole, whole.length - 1));
        reader.end(r -> lines.add(r.describe()));
        reader.end(r -> lines.add(r.describe()));

        assertThat(lines).containsExactly("cut off after 23 of 24 bytes of an FPDU");
    }

    @Test
    void aPreagreedStartIsFollowed() {
        byte[] first = fpdu("c1 40 11223344 0000000000000010 aabbcc");
        feed(first, first);

        assertThat(lines).hasSize(2).allMatch(line -> line.startsWith("RDMA Write: 3 bytes"));
    }

    @Test
    void howTheBytesAreCutMakesNoDifference() {
        byte[] request = frame("MPA ID Req Frame", CRC, 1, new byte[7]);
        byte[] write = fpdu("c1 40 11223344 0000000000000010" + "ab".repeat(2000));
        byte[] send = fpdu("41 43 00000000 00000000 00000001 00000000" + "cd".repeat(700));
        feed(request, write, send, write);
        List<String> whole = List.copyOf(lines);
        byte[] all = ByteBuffer.allocate(request.length + 2 * write.length + send.length)
                .put(request)
                .put(write)
                .put(send)
                .put(write)
                .array();

        Seeds.forEach(20, (seed, random) -> {
            int greatest = 1 + random.nextInt(2000);
            List<String> cut = new ArrayList<>();
            WireReader again = new WireReader();
            ByteBuf in = Unpooled.wrappedBuffer(all);
            while (in.isReadable()) {
                ByteBuf piece = in.readSlice(Math.min(in.readableBytes(), 1 + random.nextInt(greatest)));
                again.read(piece, other, r -> cut.add(r.describe()));
            }
            assertThat(cut).isEqualTo(whole);
        });
        assertThat(whole).hasSize(4);
    }

    @Test
    void anyBytesAreParsedWithoutException() {
        Seeds.forEach(2000, (seed, random) -> {
            WireReader any = new WireReader();
            List<String> reported = new ArrayList<>();
            if (random.nextBoolean()) {
                int flags = random.nextInt(256) & ~REJECTED;
                byte[] privateData = new byte[random.nextInt(8)];
                random.nextBytes(privateData);
                any.read(
                        Unpooled.wrappedBuffer(frame("MPA ID Rep Frame", flags, random.nextInt(4), privateData)),
                        other,
                        r -> reported.add(r.describe()));
            }
            byte[] noise = new byte[random.nextInt(400)];
            random.nextBytes(noise);
            for (int i = 0; i < noise.length; i += 4) {
                // Small lengths, and opcodes that exist, or little would be decoded.
                noise[i] = (byte) random.nextInt(2);
            }
            any.read(Unpooled.wrappedBuffer(noise), other, r -> reported.add(r.describe()));
            any.end(r -> reported.add(r.describe()));
            assertThat(reported).doesNotContainNull();
        });
    }
}

package io.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.ddp.DdpMessage;
import io.iwarp.testing.GoldenVectors;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The messages of RDMAP and its extensions against bytes that an independent encoder made. */
class GoldenMessageTest {
    private static final int TAGGED_HEADER_LENGTH = 14;
    private static final int UNTAGGED_HEADER_LENGTH = 18;

    /** The ULPDU in a golden FPDU without markers. */
    private static ByteBuf ulpdu(String title) {
        ByteBuf fpdu = Unpooled.wrappedBuffer(GoldenVectors.bytes(title));
        return fpdu.slice(2, fpdu.getUnsignedShort(0));
    }

    private static void assertUntagged(DdpMessage message, String title, int msn) {
        ByteBuf golden = ulpdu(title);
        assertThat(message.tagged()).isFalse();
        assertThat(golden.getUnsignedByte(0)).isEqualTo((short) 0x41);
        assertThat(message.control()).isEqualTo(golden.getUnsignedByte(1));
        assertThat(message.rsvdUlp()).isEqualTo(golden.getInt(2));
        assertThat(message.queueNumber()).isEqualTo(golden.getInt(6));
        assertThat(golden.getInt(10)).isEqualTo(msn);
        assertPayload(message, golden, UNTAGGED_HEADER_LENGTH);
    }

    private static void assertPayload(DdpMessage message, ByteBuf golden, int headerLength) {
        int length = (int) message.payload().length();
        ByteBuf payload = Unpooled.buffer(Math.max(1, length));
        message.payload().get(0, payload, 0, length);
        assertThat(ByteBufUtil.hexDump(payload, 0, length))
                .isEqualTo(ByteBufUtil.hexDump(golden, headerLength, golden.readableBytes() - headerLength));
    }

    private static DdpMessage header(RdmapRequest request) {
        return request.fill(new DdpMessage(), request.headerOpcode(), Unpooled.buffer(AtomicLayout.REQUEST_LENGTH));
    }

    private static DdpMessage withText(RdmapRequest request, String text) {
        request.payload().wrap(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII), 0, text.length());
        return request.message();
    }

    @Test
    @Requirement({"RDMAP-4", "RDMAP-5", "RDMAP-6", "RDMAP-38"})
    void theFourSends() {
        assertUntagged(withText(new RdmapRequest().send(false), ""), "Send zero-length MSN 1 (RTR style)", 1);
        assertUntagged(withText(new RdmapRequest().send(true), "y"), "Send with SE MSN 8 data \"y\"", 8);
        assertUntagged(
                withText(new RdmapRequest().sendWithInvalidate(0xcafebabe, false), "x"),
                "Send with Invalidate stag cafebabe",
                7);
        assertUntagged(
                withText(new RdmapRequest().sendWithInvalidate(0xcafebabe, true), ""),
                "Send with SE and Invalidate stag cafebabe",
                9);
    }

    @Test
    @Requirement({"RDMAP-6", "RDMAP-9", "RDMAP-18", "RDMAP-21"})
    void readRequests() {
        assertUntagged(
                header(new RdmapRequest().read(0xa1a2a3a4, 0x1000, 4096, 0xb1b2b3b4, 0x2000)),
                "RDMA Read Request MSN 1: sink a1a2a3a4/0x1000",
                1);
        assertUntagged(header(new RdmapRequest().read(0, 0, 0, 0, 0)), "RDMA Read Request zero-length (RTR style)", 1);
    }

    @Test
    @Requirement({"EXT-1", "EXT-2", "EXT-11", "EXT-12"})
    void atomics() {
        RdmapRequest add = new RdmapRequest().fetchAdd(0xb1b2b3b4, goldenOffset("Atomic FetchAdd"), 1, 0);
        add.setIdentifier(5);
        assertUntagged(header(add), "Atomic FetchAdd req id 5", 2);
        RdmapRequest swap = new RdmapRequest()
                .compareSwap(goldenStag("Atomic CmpSwap"), goldenOffset("Atomic CmpSwap"), 2, -1, 1, -1);
        swap.setIdentifier(6);
        assertUntagged(header(swap), "Atomic CmpSwap req id 6", 3);
        Response response = new Response();
        response.atomic(Operation.FETCH_ADD, 5, 0xff);
        assertUntagged(response, "Atomic Response id 5", 1);
    }

    private static int goldenStag(String title) {
        return ulpdu(title).getInt(UNTAGGED_HEADER_LENGTH + 8);
    }

    private static long goldenOffset(String title) {
        return ulpdu(title).getLong(UNTAGGED_HEADER_LENGTH + 12);
    }

    @Test
    @Requirement({"EXT-1", "EXT-2", "EXT-29"})
    void immediateData() {
        assertUntagged(
                header(new RdmapRequest().immediate(0x0102030405060708L, false)), "Immediate Data 01..08 MSN 3", 3);
        ByteBuf golden = ulpdu("Immediate Data with SE MSN 4");
        assertUntagged(
                header(new RdmapRequest().immediate(golden.getLong(UNTAGGED_HEADER_LENGTH), true)),
                "Immediate Data with SE MSN 4",
                4);
    }

    @Test
    @Requirement({"RDMAP-48", "RDMAP-50", "RDMAP-51"})
    void terminates() {
        assertTerminate(Terminate.of(ProtocolError.RDMAP_LOCAL_CATASTROPHIC), "Terminate, Local catastrophic");
        assertTerminate(Terminate.of(ProtocolError.MPA_CRC_MISMATCH), "Terminate, MPA CRC error");
        assertTerminateAgrees(
                ProtocolError.DDP_TAGGED_BASE_OR_BOUNDS, "Terminate, DDP tagged base/bounds", TAGGED_HEADER_LENGTH, 0);
        assertTerminateAgrees(
                ProtocolError.RDMAP_ACCESS_RIGHTS,
                "Terminate, RDMAP access rights",
                UNTAGGED_HEADER_LENGTH,
                ReadRequestLayout.LENGTH);
    }

    private static void assertTerminate(Terminate terminate, String title) {
        ByteBuf golden = ulpdu(title);
        ByteBuf encoded = Unpooled.buffer();
        terminate.encode(encoded);
        assertThat(ByteBufUtil.hexDump(encoded))
                .isEqualTo(ByteBufUtil.hexDump(golden.skipBytes(UNTAGGED_HEADER_LENGTH)));
    }

    /** Quotes the same headers as the golden message, from which they are taken. */
    private static void assertTerminateAgrees(ProtocolError error, String title, int ddpHeader, int rdmaHeader) {
        ByteBuf content = ulpdu(title).skipBytes(UNTAGGED_HEADER_LENGTH).slice();
        byte[] ddp = new byte[ddpHeader];
        byte[] rdma = new byte[rdmaHeader];
        content.getBytes(6, ddp).getBytes(6 + ddpHeader, rdma);
        assertTerminate(Terminate.of(error, content.getUnsignedShort(4), ddp, rdma), title);
        Terminate decoded = Terminate.decode(content);
        assertThat(decoded.error()).isEqualTo(error);
        assertThat(decoded.ddpHeader()).isEqualTo(ddp);
        assertThat(decoded.rdmaHeader()).isEqualTo(rdma);
    }

    @Test
    @Requirement("RDMAP-52")
    void quotedReadRequestStartsWhereTheResponseStopped() {
        String request = "a1a2a3a4" + "0000000000001000" + "00001000" + "b1b2b3b4" + "0000000000002000";
        String advanced = "a1a2a3a4" + "0000000000001800" + "00000800" + "b1b2b3b4" + "0000000000002800";
        byte[] header = HexFormat.of().parseHex(request);
        Response.advance(header, 2048);
        assertThat(HexFormat.of().formatHex(header)).isEqualTo(advanced);
    }
}

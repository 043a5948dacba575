package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The ordering tables of RFC 5040 (figure 17) and RFC 7306 (section 7), line by line, at the side that carries the two
 * operations out. A scripted peer sends both in one piece; the application changes memory when a message completes, so
 * that a response which was produced too early shows the old bytes.
 *
 * <p>What the issuing side has to keep in order is in {@link OutgoingOrderTest}.
 */
class OrderingTest {
    private static final int LENGTH = 1 << 20;
    private static final int SINK = 0xa1a2a3a4;
    private static final long PATIENCE_SECONDS = 20;
    private static final int RECEIVES = 4;

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final List<ByteBuf> sinks = new ArrayList<>();
    private final BlockingQueue<String> completed = new LinkedBlockingQueue<>();
    private Consumer<CompletionView> whenCompleted = completion -> {};
    private MemoryRegion region;
    private SocketPeer peer;

    @BeforeEach
    void establish() throws Exception {
        region = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
                .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC)
                .register();
        SocketAddress address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {
            qp.setCompletionListener((same, completion) -> onCompletion(completion));
            for (int i = 0; i < RECEIVES; i++) {
                ByteBuf sink = Unpooled.directBuffer(8, 8);
                sinks.add(sink);
                qp.receiveQueue().receive(i, sink);
            }
        });
        peer = SocketPeer.established(address);
    }

    @AfterEach
    void release() throws Exception {
        peer.close();
        await(loopback.nextAccepted().closed());
        loopback.close();
        region.close();
        domain.close();
        sinks.forEach(ByteBuf::release);
    }

    private void onCompletion(CompletionView completion) {
        if (completion.successful()) {
            whenCompleted.accept(completion);
            completed.add(completion.workRequestId() + ":" + received(completion));
        }
    }

    private static long received(CompletionView completion) {
        return completion.hasImmediate()
                ? completion.immediate()
                : completion.buffer().getLong(0);
    }

    private static byte[] bytes(long value) {
        return ByteBuffer.allocate(8).putLong(value).array();
    }

    private static Segment send(int msn, long value) {
        return Segment.send(msn, bytes(value));
    }

    private Segment write(long value) {
        return Segment.write(region.stag(), 0, bytes(value));
    }

    private Segment read(int msn) {
        return Segment.readRequest(msn, SINK, 0, 8, region.stag(), 0);
    }

    private Segment longRead(int msn) {
        return Segment.readRequest(msn, SINK, 0, LENGTH, region.stag(), 0);
    }

    private Segment add(int msn, long add) {
        return Segment.fetchAdd(msn, region.stag(), 0, add, 0);
    }

    /** The 8 bytes that the peer's operations are about. */
    private long value() {
        ByteBuf bytes = Unpooled.buffer(8);
        region.getBytes(0, bytes, 8);
        return bytes.getLong(0);
    }

    /** When a message completes, the application puts what came into the bytes that are read next. */
    private void copyToSourceWhenCompleted() {
        whenCompleted = completion -> region.setBytes(0, Unpooled.wrappedBuffer(bytes(received(completion)), 0, 8));
    }

    private void expectReadResponse(long value) throws Exception {
        assertThat(peer.expectUlpdu())
                .isEqualTo(Segment.readResponse(SINK, 0, bytes(value)).ulpdu());
    }

    private void expectAtomicResponse(int msn, int identifier, long original) throws Exception {
        assertThat(peer.expectUlpdu())
                .isEqualTo(Segment.atomicResponse(msn, identifier, original).ulpdu());
    }

    private void expectLongReadResponse() throws Exception {
        byte[] segment = peer.expectUlpdu();
        long offset = 0;
        while (true) {
            assertThat(segment[1] & 0xf).as("opcode").isEqualTo(2);
            assertThat(ByteBuffer.wrap(segment).getLong(6)).isEqualTo(offset);
            offset += segment.length - 14;
            if ((segment[0] & 0x40) != 0) {
                break;
            }
            segment = peer.expectUlpdu();
        }
        assertThat(offset).isEqualTo(LENGTH);
    }

    private void expectCompleted(String expected) throws InterruptedException {
        assertThat(completed.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(expected);
    }

    /** In the memory's own order, as the stack changes it. */
    private static long inMemoryOrder(long value) {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? Long.reverseBytes(value) : value;
    }

    @Test
    @Requirement({"RDMAP-36", "RDMAP-62"})
    void sendThenSendCompleteInOrder() throws Exception {
        peer.sends(send(1, 11), send(2, 22), send(3, 33));
        expectCompleted("0:11");
        expectCompleted("1:22");
        expectCompleted("2:33");
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    @Requirement({"RDMAP-59", "RDMAP-60"})
    void sendOrImmediateThenWriteAreBothCarriedOut(boolean immediate) throws Exception {
        peer.sends(immediate ? Segment.immediate(1, 11) : send(1, 11), write(22), read(1));
        expectReadResponse(22);
        expectCompleted("0:11");
    }

    @Test
    @Requirement({"RDMAP-64", "RDMAP-20"})
    void readResponseFollowsCompletionOfAnEarlierSend() throws Exception {
        copyToSourceWhenCompleted();
        peer.sends(send(1, 0x1122334455667788L), read(1));
        expectReadResponse(0x1122334455667788L);
        peer.sends(send(2, 0x99), read(2));
        expectReadResponse(0x99);
    }

    @Test
    @Requirement({"RDMAP-62", "RDMAP-60"})
    void writeThenSendTheWriteIsInPlaceWhenTheSendCompletes() throws Exception {
        List<Long> seen = new ArrayList<>();
        whenCompleted = completion -> seen.add(value());
        peer.sends(write(5), send(1, 1), write(6), send(2, 2));
        expectCompleted("0:1");
        expectCompleted("1:2");
        assertThat(seen).containsExactly(5L, 6L);
    }

    @Test
    void writeThenWriteAreBothPlaced() throws Exception {
        peer.sends(
                write(5),
                Segment.write(region.stag(), 8, bytes(6)),
                read(1),
                Segment.readRequest(2, SINK, 0, 8, region.stag(), 8));
        expectReadResponse(5);
        expectReadResponse(6);
    }

    @Test
    @Requirement({"RDMAP-64", "RDMAP-20"})
    void writeThenReadTheResponseShowsTheWrite() throws Exception {
        for (int i = 1; i <= 16; i++) {
            peer.sends(write(-i), write(i), read(i));
            expectReadResponse(i);
        }
    }

    @Test
    @Requirement({"RDMAP-29", "RDMAP-69"})
    void readThenReadTheResponsesComeInTheOrderOfTheRequests() throws Exception {
        peer.sends(longRead(1), read(2), Segment.readRequest(3, SINK, 0, 0, 0, 0), read(4));
        expectLongReadResponse();
        expectReadResponse(0);
        assertThat(peer.expectUlpdu())
                .isEqualTo(Segment.readResponse(SINK, 0, new byte[0]).ulpdu());
        expectReadResponse(0);
    }

    @Test
    @Requirement({"EXT-28", "EXT-30"})
    void immediatesAndSendsCompleteInOrder() throws Exception {
        peer.sends(send(1, 11), Segment.immediate(2, 22), send(3, 33), Segment.immediate(4, 44));
        expectCompleted("0:11");
        expectCompleted("1:22");
        expectCompleted("2:33");
        expectCompleted("3:44");
    }

    @Test
    @Requirement({"EXT-30", "EXT-25"})
    void responseFollowsCompletionOfAnEarlierImmediate() throws Exception {
        copyToSourceWhenCompleted();
        peer.sends(Segment.immediate(1, 7), read(1));
        expectReadResponse(7);
        peer.sends(Segment.immediate(2, 8), add(2, 0), Segment.immediate(3, 9));
        expectAtomicResponse(1, 2, inMemoryOrder(8));
    }

    @Test
    @Requirement({"EXT-30"})
    void writeThenImmediateTheWriteIsInPlaceWhenTheImmediateCompletes() throws Exception {
        List<Long> seen = new ArrayList<>();
        whenCompleted = completion -> seen.add(value());
        peer.sends(
                write(5),
                Segment.immediate(1, 1),
                write(6),
                Segment.immediate(2, 2).opcode(9));
        expectCompleted("0:1");
        expectCompleted("1:2");
        assertThat(seen).containsExactly(5L, 6L);
    }

    @Test
    @Requirement({"EXT-23", "RDMAP-69"})
    void atomicThenReadTheReadResponseComesSecond() throws Exception {
        peer.sends(longRead(1), add(2, 1), read(3));
        expectLongReadResponse();
        expectAtomicResponse(1, 2, 0);
        expectReadResponse(inMemoryOrder(1));
    }

    @Test
    @Requirement({"EXT-17", "EXT-23"})
    void atomicThenAtomicTheSecondFindsWhatTheFirstLeft() throws Exception {
        peer.sends(add(1, 5), add(2, 6), Segment.atomic(3, 2, region.stag(), 0, 100, -1, 11, -1), add(4, 1));
        expectAtomicResponse(1, 1, 0);
        expectAtomicResponse(2, 2, 5);
        expectAtomicResponse(3, 3, 11);
        expectAtomicResponse(4, 4, 100);
        assertThat(region.getVolatile(0)).isEqualTo(101);
    }

    @Test
    @Requirement({"EXT-25"})
    void atomicResponseFollowsCompletionOfAnEarlierSend() throws Exception {
        copyToSourceWhenCompleted();
        peer.sends(send(1, 40), add(1, 0), send(2, 41), add(2, 0));
        expectAtomicResponse(1, 1, inMemoryOrder(40));
        expectAtomicResponse(2, 2, inMemoryOrder(41));
    }

    @Test
    @Requirement({"EXT-25", "EXT-17"})
    void writeThenAtomicTheResponseShowsTheWrite() throws Exception {
        peer.sends(write(40), add(1, 0), write(41), add(2, 0));
        expectAtomicResponse(1, 1, inMemoryOrder(40));
        expectAtomicResponse(2, 2, inMemoryOrder(41));
    }

    @Test
    @Requirement({"EXT-23", "EXT-14", "RDMAP-69"})
    void readThenAtomicTheAtomicResponseComesSecond() throws Exception {
        peer.sends(longRead(1), add(2, 1), longRead(3), add(4, 1), read(5));
        expectLongReadResponse();
        expectAtomicResponse(1, 2, 0);
        expectLongReadResponse();
        expectAtomicResponse(2, 4, 1);
        expectReadResponse(inMemoryOrder(2));
    }
}

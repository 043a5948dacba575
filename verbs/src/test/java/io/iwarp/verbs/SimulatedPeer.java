package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One whole stack under virtual time, and a peer in the same thread that says what the test wants. What the stack does
 * about it is done when a call returns, so a test can tell at once from later, and now from never.
 */
final class SimulatedPeer implements AutoCloseable {
    static final String REQUEST_KEY = "MPA ID Req Frame";
    static final String REPLY_KEY = "MPA ID Rep Frame";
    private static final String PLAIN = "40010000";
    private static final String ENHANCED = "50020004";

    /** The end with the stack. */
    final SimulatedPair.End end;

    private byte[] heard = {};

    private SimulatedPeer(IwarpChannelInitializer initializer) {
        end = new SimulatedPair.End(initializer);
        end.runTasks();
    }

    /** The stack is the responder, the peer the initiator. The start-up was a plain one. */
    static SimulatedPeer ofResponder(ProtectionDomain domain, QueuePairSettings settings, Consumer<QueuePair> prepare) {
        return ofResponder(domain, settings, PLAIN, "", prepare);
    }

    /** The stack is the responder. The peer has asked for an enhanced set-up with these four bytes, in hexadecimal. */
    static SimulatedPeer ofResponder(
            ProtectionDomain domain, QueuePairSettings settings, String setup, Consumer<QueuePair> prepare) {
        return ofResponder(domain, settings, ENHANCED, setup, prepare);
    }

    private static SimulatedPeer ofResponder(
            ProtectionDomain domain,
            QueuePairSettings settings,
            String header,
            String setup,
            Consumer<QueuePair> prepare) {
        SimulatedPeer peer = new SimulatedPeer(IwarpChannelInitializer.responder(domain, settings, request -> {
            prepare.accept(request.queuePair());
            request.accept();
        }));
        peer.sends(frame(REQUEST_KEY, header, setup));
        peer.hearsFrame(REPLY_KEY);
        return peer;
    }

    /** The stack is the initiator, the peer the responder. The start-up was a plain one. */
    static SimulatedPeer ofInitiator(ProtectionDomain domain, QueuePairSettings settings, Consumer<QueuePair> prepare) {
        return ofInitiator(domain, settings, PLAIN, "", prepare);
    }

    /** The stack is the initiator. The peer replies to its enhanced set-up with these four bytes, in hexadecimal. */
    static SimulatedPeer ofInitiator(
            ProtectionDomain domain, QueuePairSettings settings, String setup, Consumer<QueuePair> prepare) {
        return ofInitiator(domain, settings, ENHANCED, setup, prepare);
    }

    private static SimulatedPeer ofInitiator(
            ProtectionDomain domain,
            QueuePairSettings settings,
            String header,
            String setup,
            Consumer<QueuePair> prepare) {
        SimulatedPeer peer =
                new SimulatedPeer(IwarpChannelInitializer.initiator(domain, settings, new byte[0], prepare));
        peer.hearsFrame(REQUEST_KEY);
        peer.sends(frame(REPLY_KEY, header, setup));
        return peer;
    }

    /** A start-up frame: a key, then flags, revision and length, then private data, both in hexadecimal. */
    static byte[] frame(String key, String header, String setup) {
        return Segment.concatenate(
                key.getBytes(StandardCharsets.US_ASCII), HexFormat.of().parseHex(header + setup));
    }

    private void hearsFrame(String key) {
        listen();
        assertThat(new String(heard, 0, key.length(), StandardCharsets.US_ASCII))
                .isEqualTo(key);
        heard = new byte[0];
    }

    QueuePair queuePair() {
        return end.queuePair();
    }

    SimulatedPeer sends(byte[] bytes) {
        end.writeInbound(Unpooled.directBuffer(bytes.length).writeBytes(bytes));
        end.runTasks();
        return this;
    }

    SimulatedPeer sends(Segment... segments) {
        for (Segment segment : segments) {
            sends(segment.fpdu());
        }
        return this;
    }

    /** Sends an empty Write, after which a responder may send. */
    SimulatedPeer speaksFirst() {
        return sends(Segment.write(0, 0, new byte[0]));
    }

    /** The next FPDU's ULPDU, which has been sent. */
    byte[] hears() {
        listen();
        assertThat(heard).as("bytes of an FPDU").hasSizeGreaterThan(2);
        int length = ByteBuffer.wrap(heard).getShort() & 0xffff;
        byte[] ulpdu = Arrays.copyOfRange(heard, 2, 2 + length);
        byte[] fpdu = Segment.fpdu(ulpdu);
        assertThat(Arrays.copyOf(heard, fpdu.length)).isEqualTo(fpdu);
        heard = Arrays.copyOfRange(heard, fpdu.length, heard.length);
        return ulpdu;
    }

    /** The next message is this Terminate; then comes FIN and nothing else. */
    void hearsTerminate(String content) {
        assertThat(HexFormat.of().formatHex(hears()))
                .isEqualTo(HexFormat.of().formatHex(Segment.terminate(content).ulpdu()));
        assertThat(hearsNothing()).as("nothing follows a Terminate").isTrue();
        assertThat(end.isOutputShutdown()).as("FIN").isTrue();
    }

    /** Returns whether nothing was sent that was not heard. */
    boolean hearsNothing() {
        listen();
        return heard.length == 0;
    }

    private void listen() {
        end.runTasks();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(heard);
        for (ByteBuf bytes = end.readOutbound(); bytes != null; bytes = end.readOutbound()) {
            byte[] piece = new byte[bytes.readableBytes()];
            bytes.readBytes(piece).release();
            all.writeBytes(piece);
        }
        heard = all.toByteArray();
    }

    /** Whether the peer takes nothing of what is sent from now on. */
    void deaf(boolean deaf) {
        end.unsafe().outboundBuffer().setUserDefinedWritability(1, !deaf);
        end.runTasks();
    }

    void pass(Duration time) {
        end.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
        end.runTasks();
    }

    @Override
    public void close() {
        end.finishAndReleaseAll();
    }
}

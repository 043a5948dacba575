package io.iwarp.examples;

import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

/** The active half of the demo, which also tells the story of both. */
final class DemoInitiator {
    private final Story story;
    private final Endpoint endpoint;
    private final long size;
    private final OctetPattern pattern =
            new OctetPattern(ThreadLocalRandom.current().nextLong());

    DemoInitiator(Story story, Endpoint endpoint, long size) {
        this.story = story;
        this.endpoint = endpoint;
        this.size = size;
    }

    /** Connects, writes, says so, and checks the answer; fails if anything is not as it should be. */
    void run(SocketAddress address, QueuePairSettings settings, DemoResponder responder)
            throws IOException, InterruptedException, CommandFailedException {
        long begin = System.nanoTime();
        QueuePair queuePair = endpoint.connect(address, settings, Application.DEMO.request(), fresh -> {});
        MpaParameters agreed = Objects.requireNonNull(queuePair.parameters());
        RemoteBuffer target = RemoteBuffer.decode(
                Application.DEMO.restOfReply(agreed.peerPrivateData(), RemoteBuffer.ENCODED_LENGTH));
        tellStart(queuePair, agreed, System.nanoTime() - begin, target);
        try (MemoryRegion source = endpoint.domain()
                .region()
                .allocate(ByteBufAllocator.DEFAULT, size)
                .register()) {
            pattern.fill(source.span());
            writeAndCheck(queuePair, source, target, responder);
        } finally {
            queuePair.close();
            Endpoint.await(queuePair.closed());
        }
        tellEnd(queuePair, responder);
    }

    private void writeAndCheck(QueuePair queuePair, MemoryRegion source, RemoteBuffer target, DemoResponder responder)
            throws IOException, InterruptedException, CommandFailedException {
        ByteBuf done = new DoneMessage(size, pattern.seed()).encode();
        ByteBuf answer = Unpooled.buffer(DoneMessage.ENCODED_LENGTH, DoneMessage.ENCODED_LENGTH);
        CompletableFuture<Completion> answered = queuePair.receive(answer);

        long begin = System.nanoTime();
        CompletableFuture<Completion> written = queuePair.write(source, 0, size, target);
        CompletableFuture<Completion> sent = queuePair.send(done);
        Endpoint.await(written);
        Endpoint.await(sent);
        Endpoint.await(answered);

        DemoResponder.Report report = Endpoint.await(responder.report());
        long nanos = report.deliveredAtNanos() - begin;
        story.step("write", "initiator wrote %s there with one RDMA Write", Octets.size(size));
        story.step("send", "initiator sent a message behind it, delivered %s later", Octets.time(nanos));
        story.step("", "(%s for the first transfer of a cold JVM)", Octets.rate(size, nanos));
        if (report.firstDifference() >= 0 || !answer.equals(done)) {
            throw new CommandFailedException(
                    report.firstDifference() >= 0
                            ? "octet " + report.firstDifference()
                                    + " of the responder's memory is wrong: please report it"
                            : "the responder's answer is not the message it got: please report it");
        }
        story.step(
                "verify",
                "responder compared %s in %s: all as written",
                Octets.exactly(size),
                Octets.time(report.verifyNanos()));
        story.step("answer", "responder sent the message back, initiator found it unchanged");
    }

    private void tellStart(QueuePair queuePair, MpaParameters agreed, long nanos, RemoteBuffer target) {
        story.step(
                "connect",
                "initiator %s, responder %s, ready after %s",
                ListenOptions.addressText(queuePair.channel().localAddress()),
                ListenOptions.addressText(queuePair.channel().remoteAddress()),
                Octets.time(nanos));
        story.step(
                "agree",
                "MPA revision %d, CRC32C %s, markers %s, ULPDUs of up to %s",
                agreed.revision(),
                agreed.crc() ? "on" : "off",
                agreed.sendMarkers() || agreed.receiveMarkers() ? "on" : "off",
                Octets.exactly(agreed.mulpdu()));
        story.step(
                "register", "responder lets this one initiator write %s of its memory", Octets.size(target.length()));
        story.step(
                "advertise",
                "STag 0x%08x, tagged offset %s, in the private data of the MPA reply",
                target.stag(),
                Long.toUnsignedString(target.taggedOffset()));
    }

    private void tellEnd(QueuePair queuePair, DemoResponder responder)
            throws IOException, InterruptedException, CommandFailedException {
        QueuePair other = Endpoint.await(responder.queuePair());
        Endpoint.await(other.closed());
        MemoryRegion region = Endpoint.await(responder.region());
        if (region.isValid()) {
            throw new CommandFailedException("the stream is over, but its STag is still valid: please report it");
        }
        story.step("close", "both closed in order; with the stream the STag became invalid");
        story.wire(queuePair.counters(), other.counters());
    }
}

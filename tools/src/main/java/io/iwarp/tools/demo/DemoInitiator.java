package io.iwarp.tools.demo;

import io.iwarp.ConnectionClosedException;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.Story;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.List;
import java.util.Objects;

/**
 * The active half of the demo.
 *
 * @param size of its memory in bytes
 */
record DemoInitiator(Story story, Endpoint endpoint, long size) {
    /** Connects and follows its script. Fails on any deviation. */
    void run(SocketAddress address, QueuePairSettings settings, DemoResponder responder)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        QueuePair queuePair = endpoint.connect(address, settings, DemoAdvertisement.PROTOCOL.request(), fresh -> {});
        long nanos = System.nanoTime() - begin;
        MpaParameters agreed = Objects.requireNonNull(queuePair.parameters());
        DemoAdvertisement advertisement = DemoAdvertisement.decode(
                DemoAdvertisement.PROTOCOL.restOfReply(queuePair, DemoAdvertisement.ENCODED_LENGTH));
        tellStart(queuePair, agreed, nanos, advertisement);
        DemoResponderScript other = Endpoint.await(responder.script());
        try (MemoryRegion memory = endpoint.domain()
                .region()
                .allocate(ByteBufAllocator.DEFAULT, size)
                .rights(AccessRight.LOCAL_WRITE)
                .register()) {
            follow(new DemoInitiatorScript(story, queuePair, memory, advertisement), other);
        } finally {
            Endpoint.close(List.of(queuePair));
        }
        tellEnd(queuePair, other);
    }

    /** Prefers the responder's failure if the responder detected the error first. */
    private static void follow(DemoInitiatorScript script, DemoResponderScript other)
            throws IOException, InterruptedException {
        try {
            script.run(other);
        } catch (ConnectionClosedException e) {
            if (other.end().isCompletedExceptionally()) {
                Endpoint.await(other.end());
            }
            throw e;
        }
    }

    private void tellStart(QueuePair queuePair, MpaParameters agreed, long nanos, DemoAdvertisement advertisement) {
        story.step(
                "connect",
                "initiator %s, responder %s, ready after %s",
                ListenOptions.addressText(queuePair.localAddress()),
                ListenOptions.addressText(queuePair.remoteAddress()),
                Bytes.time(nanos));
        story.step(
                "agree",
                "MPA revision %d, CRC32C %s, markers %s, ULPDUs of up to %s",
                agreed.revision(),
                agreed.crc() ? "on" : "off",
                agreed.sendMarkers() || agreed.receiveMarkers() ? "on" : "off",
                Bytes.exactly(agreed.mulpdu()));
        story.step(
                "register",
                "responder lets this initiator write and read %s of its memory,",
                Bytes.size(advertisement.memory().length()));
        story.step("", "and change a number by atomics");
        story.step(
                "advertise",
                "STags 0x%08x and 0x%08x, in the private data of the MPA reply",
                advertisement.memory().stag(),
                advertisement.number().stag());
    }

    private void tellEnd(QueuePair queuePair, DemoResponderScript other) throws IOException, InterruptedException {
        Endpoint.await(other.queuePair().closed());
        if (other.reachable()) {
            throw new CommandFailedException("the stream is over, but an STag is still valid: please report it");
        }
        story.step("close", "both ends are closed; the other STags became invalid with the stream");
        story.wire(queuePair.counters(), other.queuePair().counters());
    }
}

package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Operation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What continues beside long Reads. One event loop does all the work. */
@Timeout(120)
class FairnessTest {
    private static final int LENGTH = 128 << 20;
    private static final int READS = 16;
    private static final int RECEIVES = 64;

    private final Loopback loopback = new Loopback(1);
    private final ProtectionDomain domain = ProtectionDomain.create();
    /** What happened, in this order; belongs to the event loop. */
    private final List<String> events = new ArrayList<>();

    private final ByteBuf inbox = Unpooled.directBuffer(8, 8);
    private MemoryRegion source;
    private MemoryRegion sink;
    private SocketAddress address;
    private QueuePair reader;
    private QueuePair responder;

    @BeforeEach
    void connect() throws Exception {
        source = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
                .rights(AccessRight.REMOTE_READ, AccessRight.REMOTE_ATOMIC)
                .register();
        sink = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
                .rights(AccessRight.LOCAL_WRITE)
                .register();
        address = loopback.accept(domain, QueuePairSettings.DEFAULT, qp -> {});
        reader = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {
            qp.setCompletionListener((same, completion) -> onReaderCompletion(completion));
            for (int i = 0; i < RECEIVES; i++) {
                qp.receiveQueue().receive(i, inbox);
            }
        });
        responder = loopback.nextAccepted();
    }

    private void onReaderCompletion(CompletionView completion) {
        if (completion.successful()) {
            events.add(completion.operation().toString());
            if (completion.operation() == Operation.RECEIVE) {
                reader.receiveQueue().receive(0, inbox.clear());
            }
        }
    }

    @AfterEach
    void release() {
        loopback.close();
        source.close();
        sink.close();
        domain.close();
        inbox.release();
    }

    /** Sends one message after another until it is stopped. */
    private static final class Sender {
        private final QueuePair queuePair;
        private boolean stopped;

        Sender(QueuePair queuePair) {
            this.queuePair = queuePair;
            queuePair.setCompletionListener((qp, completion) -> post());
        }

        private void post() {
            if (!stopped) {
                queuePair.sendQueue().send(0, Unpooled.EMPTY_BUFFER);
            }
        }
    }

    /** Messages are not mixed with each other (RFC 5041 section 5.3), so a Send goes in between two responses. */
    @Test
    void theResponderSendsItsOwnMessagesBetweenItsResponses() throws Exception {
        int part = LENGTH / READS;
        CompletableFuture<?>[] reads = new CompletableFuture<?>[READS];
        reader.channel()
                .eventLoop()
                .submit(() -> {
                    for (int i = 0; i < READS; i++) {
                        reads[i] = reader.read(
                                        sink.slice((long) i * part, part), source.remoteBuffer((long) i * part, part))
                                .thenAccept(read -> events.add("READ"));
                    }
                })
                .sync();
        Sender sender = new Sender(responder);
        await(reader.ready());
        CompletableFuture<Void> first = new CompletableFuture<>();
        responder.channel().eventLoop().submit(() -> {
            sender.post();
            first.complete(null);
        });
        await(first);
        await(CompletableFuture.allOf(reads));
        List<String> seen = reader.channel()
                .eventLoop()
                .submit(() -> {
                    sender.stopped = true;
                    return List.copyOf(events);
                })
                .sync()
                .getNow();
        int lastRead = seen.lastIndexOf("READ");
        int firstRead = seen.indexOf("READ");
        assertThat(seen.subList(firstRead, lastRead).stream().filter("RECEIVE"::equals))
                .as("messages between the first and the last response")
                .hasSizeGreaterThanOrEqualTo(READS / 2);
    }

    @Test
    void otherConnectionsOfTheEventLoopGetOnWhileALongResponseIsSent() throws Exception {
        QueuePair other = loopback.connect(address, domain, QueuePairSettings.DEFAULT, qp -> {});
        RemoteBuffer number = source.remoteBuffer(0, 8);
        CompletableFuture<Completion> read =
                reader.read(sink.slice(0, source.remoteBuffer().length()), source.remoteBuffer());
        int[] roundTrips = new int[1];
        other.setCompletionListener((qp, completion) -> {
            if (completion.successful() && !read.isDone()) {
                roundTrips[0]++;
                qp.sendQueue().fetchAdd(0, number.slice(0, Long.BYTES), FetchAdd.add(1), PostOptions.NONE);
            }
        });
        other.sendQueue().fetchAdd(0, number.slice(0, Long.BYTES), FetchAdd.add(1), PostOptions.NONE);
        assertThat(await(read).bytes()).isEqualTo(LENGTH);
        other.channel().eventLoop().submit(() -> {}).sync();
        assertThat(roundTrips[0])
                .as("round trips of the other connection during the Read")
                .isGreaterThanOrEqualTo(10);
    }
}

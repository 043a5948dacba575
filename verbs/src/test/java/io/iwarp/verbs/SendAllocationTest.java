package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A flow of small messages leaves next to nothing to the garbage collector, at either end. */
class SendAllocationTest {
    private static final int MESSAGE_BYTES = 64;
    private static final int SENDS_AT_A_TIME = 128;
    private static final int WARM_UP_SENDS = 200_000;
    private static final int MEASURED_SENDS = 200_000;

    /** For both ends together, one Send and one receive. */
    private static final double TOLERATED_BYTES = 16;

    private final ResourceLeakDetector.Level leakDetection = ResourceLeakDetector.getLevel();
    private final CompletableFuture<Long> measured = new CompletableFuture<>();
    private ByteBuf message = Unpooled.EMPTY_BUFFER;
    private ByteBuf sink = Unpooled.EMPTY_BUFFER;
    private int received;
    private long allocatedBefore;

    @BeforeEach
    void needsAMeter() {
        assumeTrue(
                ManagementFactory.getThreadMXBean() instanceof ThreadMXBean meter
                        && meter.isThreadAllocatedMemorySupported(),
                "this JVM does not meter allocation");
        assumeTrue(PlatformDependent.hasUnsafe(), "Netty itself allocates views when it has no Unsafe");
        // Leak tracking allocates at each access to a buffer that was made under it.
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        message = Unpooled.directBuffer(MESSAGE_BYTES).writeZero(MESSAGE_BYTES);
        sink = Unpooled.directBuffer(MESSAGE_BYTES);
    }

    @AfterEach
    void release() {
        ResourceLeakDetector.setLevel(leakDetection);
        message.release();
        sink.release();
    }

    @Test
    void aSteadyFlowOfSmallSendsAllocatesNextToNothing() throws Exception {
        // Both ends on one thread, whose allocation is that of all the stack.
        try (ProtectionDomain domain = ProtectionDomain.create();
                Loopback loopback = new Loopback(1)) {
            QueuePairSettings settings = QueuePairSettings.builder()
                    .sendQueueDepth(SENDS_AT_A_TIME)
                    .receiveQueueDepth(2 * SENDS_AT_A_TIME)
                    .build();
            var address = loopback.accept(domain, settings, this::prepareReceiver);
            QueuePair sender = loopback.connect(address, domain, settings, this::prepareSender);
            sender.channel().eventLoop().execute(() -> begin(sender));

            double bytes = (double) Loopback.await(measured) / MEASURED_SENDS;

            assertThat(bytes).isLessThanOrEqualTo(TOLERATED_BYTES);
        }
    }

    private void prepareSender(QueuePair sender) {
        sender.setCompletionListener((queuePair, completion) -> {
            if (!measured.isDone()) {
                requireSuccess(completion);
                queuePair.sendQueue().send(completion.workRequestId(), message);
            }
        });
    }

    private void begin(QueuePair sender) {
        for (int i = 0; i < SENDS_AT_A_TIME; i++) {
            sender.sendQueue().send(i, message);
        }
    }

    private void requireSuccess(CompletionView completion) {
        CloseReason failure = completion.failure();
        if (failure != null) {
            measured.completeExceptionally(new ConnectionClosedException(failure));
        }
    }

    /** What arrives is not looked at, so that all receives can share one buffer. */
    private void prepareReceiver(QueuePair receiver) {
        receiver.setCompletionListener((queuePair, completion) -> {
            if (!measured.isDone()) {
                requireSuccess(completion);
                count();
                queuePair.receiveQueue().receive(0, sink.clear());
            }
        });
        for (int i = 0; i < 2 * SENDS_AT_A_TIME; i++) {
            receiver.receiveQueue().receive(0, sink.clear());
        }
    }

    private void count() {
        received++;
        if (received == WARM_UP_SENDS) {
            allocatedBefore = allocated();
        } else if (received == WARM_UP_SENDS + MEASURED_SENDS) {
            measured.complete(allocated() - allocatedBefore);
        }
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}

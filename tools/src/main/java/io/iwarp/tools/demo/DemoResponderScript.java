package io.iwarp.tools.demo;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.BytePattern;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.Story;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** The steps of the demo's responder, on its own thread, and their output. */
final class DemoResponderScript implements Runnable, AutoCloseable {
    /** The maximum length of a window in bytes. */
    static final int WINDOW_BYTES = 64;

    private static final int MESSAGES = 16;

    private final Story story;
    private final QueuePair queuePair;
    private final MemoryRegion region;
    private final MemoryRegion number;
    private final Mailbox mailbox;
    private final CompletableFuture<Report> report = new CompletableFuture<>();
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    /**
     * The content of the responder's memory.
     *
     * @param deliveredAtNanos when the initiator's message arrived
     * @param verifyNanos how long it took to compare
     * @param firstDifference the index of the first byte that differs from the announced pattern, or -1
     */
    record Report(long deliveredAtNanos, long verifyNanos, long firstDifference) {}

    /** The queue pair must not be accepted yet. */
    DemoResponderScript(Story story, QueuePair queuePair, MemoryRegion region, MemoryRegion number) {
        this.story = story;
        this.queuePair = queuePair;
        this.region = region;
        this.number = number;
        this.mailbox = new Mailbox(queuePair, MESSAGES, DoneMessage.ENCODED_LENGTH);
    }

    @Override
    public void run() {
        try {
            answerTheWrite();
            takeImmediateData();
            lendWindows();
            end.complete(null);
        } catch (IOException | RuntimeException e) {
            fail(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fail(e);
        }
    }

    private void fail(Exception cause) {
        report.completeExceptionally(cause);
        end.completeExceptionally(cause);
        queuePair.abort();
    }

    private void answerTheWrite() throws IOException, InterruptedException {
        ByteBuf message = mailbox.nextMessage();
        long deliveredAt = System.nanoTime();
        DoneMessage done = DoneMessage.decode(message.duplicate());
        long length = Math.min(done.length(), region.length());
        long difference = new BytePattern(done.seed()).firstDifference(region, length);
        report.complete(new Report(deliveredAt, System.nanoTime() - deliveredAt, difference));
        // Echo the message if all bytes are correct, otherwise without its last byte.
        queuePair.send(difference < 0 ? message : message.slice(0, message.readableBytes() - 1));
    }

    private void takeImmediateData() throws IOException, InterruptedException {
        Completion plain = mailbox.next();
        Completion solicited = mailbox.next();
        require(plain.hasImmediate() && !plain.solicited(), "the Immediate Data");
        require(solicited.hasImmediate() && solicited.solicited(), "the Immediate Data with Solicited Event");
        story.step("immediate", "responder got 0x%016x as Immediate Data,", plain.immediate());
        story.step("", "and 0x%016x with Solicited Event; neither needs a buffer", solicited.immediate());
    }

    private void lendWindows() throws IOException, InterruptedException {
        require(mailbox.next().solicited(), "the Send with Solicited Event");
        MemoryWindow forReading = lend(AccessRight.REMOTE_READ, "for reading");
        Completion back = mailbox.next();
        require(back.invalidatedStag() == forReading.stag() && !forReading.isValid(), "the Send with Invalidate");

        MemoryWindow forWriting = lend(AccessRight.REMOTE_WRITE, "for writing");
        Completion written = mailbox.next();
        require(written.hasImmediate(), "the RDMA Write with Immediate Data");
        BytePattern pattern = new BytePattern(written.immediate());
        require(pattern.firstDifference(region, forWriting.length()) < 0, "what was written before the Immediate Data");
        Completion backAgain = mailbox.next();
        require(
                backAgain.solicited() && backAgain.invalidatedStag() == forWriting.stag() && !forWriting.isValid(),
                "the Send with Solicited Event and Invalidate");
        queuePair.send(Unpooled.EMPTY_BUFFER);
    }

    private MemoryWindow lend(AccessRight right, String purpose) {
        long length = Math.min(WINDOW_BYTES, region.length());
        MemoryWindow window = queuePair.window(region, 0, length).rights(right).bind();
        story.step(
                "window",
                "responder bound STag 0x%08x to the first %s, %s only",
                window.stag(),
                Bytes.exactly(length),
                purpose);
        ByteBuf advertisement = Unpooled.buffer(RemoteBuffer.ENCODED_LENGTH);
        window.remoteBuffer().encode(advertisement);
        queuePair.send(advertisement);
        return window;
    }

    private static void require(boolean condition, String what) {
        Demo.require(condition, what + " did not arrive as it was sent");
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Returns whether the initiator can reach any of the memory. */
    boolean reachable() {
        return region.isValid() || number.isValid();
    }

    /** Returns what was found in the memory, once the initiator's message came. */
    CompletableFuture<Report> report() {
        return report;
    }

    /** Returns a future that completes after the last step, or with the failure. */
    CompletableFuture<Void> end() {
        return end;
    }

    /** Invalidates the initiator's STags. */
    @Override
    public void close() {
        region.close();
        number.close();
    }
}

package io.iwarp.tools.demo;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.BytePattern;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.Story;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.ImmediateData;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

/** The steps of the demo's initiator, with each operation once. Also prints most of the output. */
final class DemoInitiatorScript {
    private static final int MESSAGES = 8;
    private static final long ADDED = 5;
    private static final long SWAPPED = 1000;
    private static final long IMMEDIATE = 0x0123_4567_89ab_cdefL;

    private final Story story;
    private final QueuePair queuePair;
    private final MemoryRegion memory;
    private final DemoAdvertisement advertisement;
    private final Mailbox mailbox;
    private final BytePattern pattern =
            new BytePattern(ThreadLocalRandom.current().nextLong());

    /** What the initiator's memory is filled with before it reads the first pattern back. */
    private final BytePattern otherPattern = new BytePattern(~pattern.seed());

    /** @param memory of the size of what was advertised; Reads may place bytes there */
    DemoInitiatorScript(Story story, QueuePair queuePair, MemoryRegion memory, DemoAdvertisement advertisement) {
        this.story = story;
        this.queuePair = queuePair;
        this.memory = memory;
        this.advertisement = advertisement;
        this.mailbox = new Mailbox(queuePair, MESSAGES, RemoteBuffer.ENCODED_LENGTH);
    }

    /** Runs all steps, including the error that ends the stream. */
    void run(DemoResponderScript other) throws IOException, InterruptedException {
        write(other);
        read();
        changeAtomically();
        queuePair.sendImmediate(new ImmediateData(IMMEDIATE), PostOptions.NONE);
        queuePair.sendImmediate(new ImmediateData(~IMMEDIATE), PostOptions.SOLICITED);
        queuePair.send(Unpooled.EMPTY_BUFFER, PostOptions.SOLICITED);
        readThroughWindow();
        RemoteBuffer gone = writeThroughWindow();
        Endpoint.await(other.end());
        breakTheRules(gone);
    }

    private void write(DemoResponderScript other) throws IOException, InterruptedException {
        long size = memory.length();
        pattern.fill(memory);
        ByteBuf done = new DoneMessage(size, pattern.seed()).encode();
        long begin = System.nanoTime();
        CompletableFuture<Completion> written = queuePair.write(memory.slice(0, size), advertisement.memory());
        CompletableFuture<Completion> sent = queuePair.send(done);
        Endpoint.await(written);
        Endpoint.await(sent);
        ByteBuf answer = mailbox.nextMessage();

        DemoResponderScript.Report report = Endpoint.await(other.report());
        long nanos = report.deliveredAtNanos() - begin;
        story.step("write", "initiator wrote %s with one RDMA Write", Bytes.size(size));
        story.step("send", "initiator sent a message, delivered %s after the Write began", Bytes.time(nanos));
        story.step("", "(%s, the first transfer of a cold JVM)", Bytes.rate(size, nanos));
        if (report.firstDifference() >= 0) {
            throw new CommandFailedException(
                    "byte " + report.firstDifference() + " of the responder's memory is wrong: please report it");
        }
        Demo.require(answer.equals(done), "the responder's answer is not the message it got");
        story.step(
                "verify",
                "responder compared %s in %s: all as written",
                Bytes.exactly(size),
                Bytes.time(report.verifyNanos()));
        story.step("answer", "responder returned the message, and initiator found it unchanged");
    }

    private void read() throws IOException, InterruptedException {
        long size = memory.length();
        otherPattern.fill(memory);
        long begin = System.nanoTime();
        Endpoint.await(queuePair.read(memory.slice(0, size), advertisement.memory()));
        long nanos = System.nanoTime() - begin;
        long difference = pattern.firstDifference(memory, size);
        Demo.require(difference < 0, "byte " + difference + " that was read is wrong");
        story.step("read", "initiator read %s back with one RDMA Read in %s,", Bytes.size(size), Bytes.time(nanos));
        story.step("", "and compared %s: all as written", Bytes.exactly(size));
    }

    private void changeAtomically() throws IOException, InterruptedException {
        RemoteBuffer number = advertisement.number();
        long before = Endpoint.await(queuePair.fetchAdd(number, ADDED));
        long added = Endpoint.await(queuePair.compareSwap(number, before + ADDED, SWAPPED));
        long swapped = Endpoint.await(queuePair.compareSwap(number, before + ADDED, 0));
        Demo.require(
                before == DemoResponder.NUMBER && added == before + ADDED && swapped == SWAPPED,
                "atomics found " + before + ", " + added + " and " + swapped);
        story.step("fetch-add", "initiator added %d to a number of the responder, which was %d", ADDED, before);
        story.step(
                "compare-swap", "initiator replaced %d by %d; its second attempt found %d,", added, SWAPPED, swapped);
        story.step("", "and changed nothing");
    }

    private void readThroughWindow() throws IOException, InterruptedException {
        RemoteBuffer window = RemoteBuffer.decode(mailbox.nextMessage());
        ByteBuf bytes = directBuffer(window);
        try {
            Endpoint.await(queuePair.read(bytes, window));
            Demo.require(
                    pattern.firstDifference(bytes, 0, bytes.readableBytes()) < 0, "what the window shows is wrong");
        } finally {
            bytes.release();
        }
        story.step("invalidate", "initiator read them, and invalidated the STag by a Send with Invalidate");
        queuePair.sendWithInvalidate(Unpooled.EMPTY_BUFFER, window);
    }

    /** Returns the window, which was invalidated. */
    private RemoteBuffer writeThroughWindow() throws IOException, InterruptedException {
        RemoteBuffer window = RemoteBuffer.decode(mailbox.nextMessage());
        ByteBuf bytes = directBuffer(window);
        try {
            otherPattern.append(bytes, bytes.capacity());
            Endpoint.await(queuePair.writeWithImmediate(
                    bytes, window, new ImmediateData(otherPattern.seed()), PostOptions.NONE));
        } finally {
            bytes.release();
        }
        story.step("write", "initiator wrote them, with Immediate Data that announces it");
        story.step("invalidate", "initiator invalidated it by a Send with Solicited Event and Invalidate");
        queuePair.sendWithInvalidate(Unpooled.EMPTY_BUFFER, window, PostOptions.SOLICITED);
        mailbox.next();
        return window;
    }

    private static ByteBuf directBuffer(RemoteBuffer window) {
        int length = (int) window.length();
        return ByteBufAllocator.DEFAULT.directBuffer(length, length);
    }

    /** Provokes an error. The last step, because it ends the stream. */
    private void breakTheRules(RemoteBuffer gone) throws IOException, InterruptedException {
        story.step("error", "initiator reads with the invalidated STag, which is not allowed:");
        story.step("", "the responder ends the stream with a Terminate, which says:");
        ByteBuf sink = directBuffer(gone);
        try {
            Endpoint.await(queuePair.read(sink, gone));
            throw new CommandFailedException("a Read with an invalid STag succeeded: please report it");
        } catch (ConnectionClosedException e) {
            CloseReason reason = e.reason();
            ProtocolError error = reason.error();
            if (reason.endedBy() != EndedBy.PEER_TERMINATE || error != ProtocolError.RDMAP_INVALID_STAG) {
                throw e;
            }
            story.paragraph("terminate", error + ": " + error.explanation());
        } finally {
            sink.release();
        }
    }
}

package io.iwarp.examples;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.StreamEndedException;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.PostOptions;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;

/** The initiator of {@link Operations}, which also checks what it has done to the responder. Its methods block. */
final class OperationsRun {
    private static final long SEED = 7306;
    private static final long IMMEDIATE = 0x0123_4567_89ab_cdefL;
    /** Longer than a small FPDU, so that it is cut, and of a length that needs padding. */
    private static final int MESSAGE_OCTETS = 5001;

    private final Endpoint endpoint;
    private final OperationsTarget target;
    private final int size;
    private final PrintWriter out;
    private final OctetPattern pattern = new OctetPattern(SEED);

    OperationsRun(Endpoint endpoint, OperationsTarget target, int size, PrintWriter out) {
        this.endpoint = endpoint;
        this.target = target;
        this.size = size;
        this.out = out;
    }

    /** Carries out everything; fails at the first that is not as it should be. */
    void run(SocketAddress address, QueuePairSettings settings)
            throws IOException, InterruptedException, CommandFailedException {
        QueuePair queuePair = endpoint.connect(address, settings, new byte[0], fresh -> {});
        try {
            writeAndRead(queuePair);
            changeAtomically(queuePair);
            send(queuePair);
            sendImmediateData(queuePair);
            readWithoutRight(queuePair);
        } finally {
            queuePair.abort();
            Endpoint.await(queuePair.closed());
        }
        out.println("all operations did what they should");
    }

    private void writeAndRead(QueuePair queuePair) throws IOException, InterruptedException, CommandFailedException {
        MemoryRegion memory = target.memory();
        ByteBuf octets = Unpooled.buffer(size, size);
        pattern.append(octets, size);
        queuePair.write(octets, memory.remoteBuffer());
        queuePair.write(Unpooled.EMPTY_BUFFER, memory.remoteBuffer());
        ByteBuf back = Unpooled.directBuffer(size, size);
        try {
            Endpoint.await(queuePair.read(back, memory.remoteBuffer()));
            require(pattern.firstDifference(back, 0, size) < 0, "what was read is not what was written");
        } finally {
            back.release();
        }
        Endpoint.await(queuePair.read(Unpooled.directBuffer(0, 0), memory.remoteBuffer(0, 0)));
        out.println("Write, Read: " + Octets.size(size) + " there and back, and none");
    }

    private void changeAtomically(QueuePair queuePair)
            throws IOException, InterruptedException, CommandFailedException {
        RemoteBuffer number = target.memory().remoteBuffer(0, Long.BYTES);
        ByteBuf zero = Unpooled.buffer(Long.BYTES).writeZero(Long.BYTES);
        queuePair.write(zero, number);
        expect(0, queuePair.fetchAdd(number, 5));
        expect(5, queuePair.fetchAdd(number, -1, Long.MIN_VALUE, PostOptions.NONE));
        expect(4, queuePair.compareSwap(number, 4, IMMEDIATE));
        expect(IMMEDIATE, queuePair.compareSwap(number, 4, 0));
        expect(IMMEDIATE, queuePair.fetchAdd(number, 0));
        out.println("FetchAdd, CmpSwap: the originals were right");
    }

    private static void expect(long original, CompletableFuture<Completion> change)
            throws IOException, InterruptedException, CommandFailedException {
        long found = Endpoint.await(change).original();
        require(found == original, "an atomic operation found " + found + " instead of " + original);
    }

    private void send(QueuePair queuePair) throws IOException, InterruptedException, CommandFailedException {
        ByteBuf message = Unpooled.buffer(MESSAGE_OCTETS);
        pattern.append(message, MESSAGE_OCTETS);
        queuePair.send(message);
        queuePair.send(message, PostOptions.SOLICITED);
        queuePair.send(Unpooled.EMPTY_BUFFER);
        requireMessage(message, false);
        requireMessage(message, true);
        requireMessage(Unpooled.EMPTY_BUFFER, false);
        for (PostOptions options : new PostOptions[] {PostOptions.NONE, PostOptions.SOLICITED}) {
            try (MemoryRegion lent = target.register(Long.BYTES)) {
                queuePair.sendWithInvalidate(message, lent.stag(), options);
                Completion completion = requireMessage(message, options.solicited());
                require(completion.invalidatedStag() == lent.stag(), "the completion does not name the STag");
                require(!lent.isValid(), "the STag is still valid");
            }
        }
        out.println("Send, and with Solicited Event and Invalidate: each arrived, and STags were taken back");
    }

    private Completion requireMessage(ByteBuf message, boolean solicited)
            throws InterruptedException, CommandFailedException {
        Completion completion = target.receive();
        require(message.equals(completion.buffer()), "a message arrived changed");
        require(completion.solicited() == solicited, "a message has lost or found a Solicited Event");
        return completion;
    }

    private void sendImmediateData(QueuePair queuePair)
            throws IOException, InterruptedException, CommandFailedException {
        queuePair.sendImmediate(IMMEDIATE, PostOptions.NONE);
        queuePair.sendImmediate(IMMEDIATE, PostOptions.SOLICITED);
        ByteBuf octets = Unpooled.copyLong(-1);
        Endpoint.await(
                queuePair.writeWithImmediate(octets, target.memory().remoteBuffer(), IMMEDIATE, PostOptions.NONE));
        for (boolean solicited : new boolean[] {false, true, false}) {
            Completion completion = target.receive();
            require(completion.hasImmediate() && completion.immediate() == IMMEDIATE, "Immediate Data arrived changed");
            require(completion.solicited() == solicited, "Immediate Data has lost or found a Solicited Event");
        }
        ByteBuf written = Unpooled.buffer(Long.BYTES).writerIndex(Long.BYTES);
        target.memory().span().get(0, written, 0, Long.BYTES);
        require(written.equals(octets), "Immediate Data came before what was written");
        out.println("Immediate Data, and with Solicited Event, and behind a Write: each arrived");
    }

    /** With an STag that was never given out: the responder must end the connection, and say why. */
    private void readWithoutRight(QueuePair queuePair)
            throws IOException, InterruptedException, CommandFailedException {
        RemoteBuffer memory = target.memory().remoteBuffer();
        RemoteBuffer forged = new RemoteBuffer(~memory.stag(), memory.taggedOffset(), Long.BYTES);
        ByteBuf sink = Unpooled.directBuffer(Long.BYTES, Long.BYTES);
        try {
            Endpoint.await(queuePair.read(sink, forged));
            throw new CommandFailedException("a Read with a forged STag succeeded");
        } catch (StreamEndedException e) {
            CloseReason reason = Endpoint.await(queuePair.closed());
            require(reason.endedBy() == EndedBy.PEER_TERMINATE, "a forged STag ended it otherwise: " + reason);
            out.println("Read with a forged STag: " + ErrorLines.oneLine(reason.toString()));
        } finally {
            sink.release();
        }
    }

    private static void require(boolean condition, String complaint) throws CommandFailedException {
        if (!condition) {
            throw new CommandFailedException(complaint + ": this is a fault of the stack");
        }
    }
}

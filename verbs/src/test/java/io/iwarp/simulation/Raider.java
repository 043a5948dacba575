package io.iwarp.simulation;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.Counter;
import io.iwarp.EndedBy;
import io.iwarp.ProtocolError;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Segment;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A peer without a stack, which speaks MPA, DDP and RDMAP as the RFCs say, and asks for what it likes. It takes
 * nothing, some bytes at a time, or all; asks within the IRD or beyond it; begins FPDUs and messages that it does not
 * finish; and closes its half of the connection, or all of it, after any byte.
 */
final class Raider implements Context {
    /** How it takes what it gets. */
    private enum Appetite {
        NOTHING,
        BITES,
        ALL
    }

    static final int MEMORY = 64 * 1024;
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1000 * MILLI;
    private static final int FRAME = 20;
    private static final int SINK = 7;
    private static final int LAST = 0x40;
    private static final int TAGGED = 0x80;
    private static final int READ_RESPONSE = 2;
    private static final int ATOMIC_RESPONSE = 11;
    private static final int TERMINATE = 7;
    private static final long MAX_SERVICE = 2 * SECOND;

    private final Siege siege;
    private final World world;
    private final Dice dice;
    private final String name;
    private final Pipe out;
    private final Pipe in;
    private final boolean initiates;
    /** Keeps all rules, and takes all: so it is served. */
    private final boolean honest;

    private final boolean withinIrd;
    private final Appetite appetite;
    private final int bite;
    private final long biteEvery;
    private final int acts;
    /** It sends FIN after this many bytes, or before the FPDU that they end in. */
    private final long finAfter;

    private final boolean finBetweenFpdus;

    private final long leavesAt;
    final SimulatedChannel channel;
    final List<CompletableFuture<?>> posted = new ArrayList<>();

    private @Nullable QueuePair queuePair;
    private final ByteBuf backlog = Unpooled.buffer();
    private long queued;
    private int acted;
    private long actAt;
    private long biteAt;
    private boolean started;
    private boolean finished;
    private boolean left;
    /** It left while the connection was open. */
    private boolean abandoned;

    private int asked;
    private int nextRequest = 1;
    private int nextSend = 1;
    private int messageOffset;
    private int longestMessage;
    private boolean incomplete;

    // What the kernel of the other side has taken.
    private final ByteBuf stream = Unpooled.buffer();
    private long parsed;
    private boolean frameParsed;
    private long frameEnd;
    private final List<Long> responseEnds = new ArrayList<>();
    private boolean terminated;

    private long movedBefore;
    private long quietSince;

    Raider(Siege siege, String name, boolean initiates, boolean honest) {
        this.siege = siege;
        this.world = siege.world;
        this.dice = siege.dice;
        this.name = name;
        this.initiates = initiates;
        this.honest = honest;
        boolean cuts = dice.permille(500);
        int capacity = dice.oneOf(1 << 11, 1 << 14, 1 << 16);
        long slowest = dice.oneOf(0L, 50_000L, 3 * MILLI);
        out = new Pipe(world, name + "-out", capacity, slowest, cuts);
        in = new Pipe(world, name + "-in", capacity, slowest, cuts);
        in.tap(this::taken);
        withinIrd = honest || dice.permille(500);
        appetite = honest ? Appetite.ALL : dice.oneOf(Appetite.values());
        bite = dice.oneOf(1, 100, 3000);
        biteEvery = dice.oneOf(10 * MILLI, SECOND);
        acts = 1 + dice.below(dice.oneOf(3, 30, 100));
        finAfter = dice.permille(400) ? dice.below(dice.oneOf(60, 1000, 30_000)) : Long.MAX_VALUE;
        finBetweenFpdus = dice.permille(500);
        leavesAt = world.now() + dice.between(0, dice.oneOf(SECOND, 20 * SECOND, 200 * SECOND));
        channel = new SimulatedChannel(world, name, out, in);
        actAt = world.now();
        if (initiates) {
            send(frame("MPA ID Req Frame"));
        }
        world.add(this);
    }

    private static byte[] frame(String key) {
        return ByteBuffer.allocate(FRAME)
                .put(key.getBytes(StandardCharsets.US_ASCII))
                .put((byte) 0x40)
                .put((byte) 1)
                .array();
    }

    void prepared(QueuePair its) {
        queuePair = its;
    }

    @Nullable
    QueuePair queuePair() {
        return queuePair;
    }

    boolean honest() {
        return honest;
    }

    // What it does.

    @Override
    public long runnableAt() {
        if (left) {
            return NEVER;
        }
        if (backlog.isReadable() && out.room() > 0) {
            return 0;
        }
        long next = leavesAt;
        if (in.readable() > 0) {
            next = Math.min(
                    next, !started || appetite == Appetite.ALL ? 0 : appetite == Appetite.BITES ? biteAt : next);
        }
        boolean acts = started && !finished && acted < this.acts && !backlog.isReadable();
        return acts ? Math.min(next, actAt) : next;
    }

    @Override
    public void step() {
        if (backlog.isReadable() && out.room() > 0) {
            out.write(backlog);
            backlog.discardReadBytes();
            if (finished && !backlog.isReadable()) {
                out.end();
            }
        } else if (in.readable() > 0 && !started) {
            takeFrame();
        } else if (in.readable() > 0
                && (appetite == Appetite.ALL || (appetite == Appetite.BITES && biteAt <= world.now()))) {
            take(appetite == Appetite.ALL ? Integer.MAX_VALUE : bite);
            biteAt = world.now() + biteEvery;
        } else if (leavesAt <= world.now()) {
            leave();
        } else {
            acted++;
            act();
            actAt = world.now() + dice.between(0, dice.oneOf(0L, MILLI, SECOND));
        }
    }

    private int take(int most) {
        ByteBuf sink = Unpooled.buffer(Math.min(most, Math.max(1, in.readable())));
        sink = sink.capacity(Math.min(most, Math.max(1, in.readable())));
        return in.read(sink);
    }

    /** Both sides of a set-up read the frame of the other one. */
    private void takeFrame() {
        take(1);
        if (frameParsed && in.taken() >= frameEnd) {
            started = true;
            if (!initiates) {
                send(frame("MPA ID Rep Frame"));
            }
        }
    }

    private void leave() {
        left = true;
        quietSince = world.now();
        if (!channel.isOpen()) {
            return;
        }
        abandoned = true;
        if (dice.permille(500)) {
            world.trace().add(world, "leaves", this);
            channel.fail("Connection reset by peer");
        } else if (!finished) {
            world.trace().add(world, "closes", this);
            finished = true;
            out.end();
            // Its kernel takes what still arrives.
            in.unwanted(() -> {});
        } else {
            in.unwanted(() -> {});
        }
    }

    private int received() {
        int count = 0;
        while (count < responseEnds.size() && responseEnds.get(count) <= in.taken()) {
            count++;
        }
        return count;
    }

    private int mayAsk() {
        return withinIrd ? siege.ird - (asked - received()) : 1 + dice.below(3 * siege.ird);
    }

    private void act() {
        RemoteBuffer memory = siege.memory();
        int most = honest ? 5 : 7;
        int what = dice.below(most);
        world.trace().add(world, "raids", this, what);
        switch (what) {
            case 0, 1 -> {
                int count = what == 0 ? Math.min(1, mayAsk()) : mayAsk();
                for (int i = 0; i < count && !finished; i++) {
                    int length = honest ? dice.below(dice.oneOf(8, 8000, MEMORY)) : dice.oneOf(0, 8, 3000, MEMORY);
                    ask(Segment.readRequest(nextRequest, SINK, 0, length, memory.stag(), memory.taggedOffset()));
                }
            }
            case 2 -> {
                int count = Math.min(mayAsk(), 1 + dice.below(4));
                for (int i = 0; i < count && !finished; i++) {
                    ask(Segment.fetchAdd(nextRequest, memory.stag(), memory.taggedOffset(), 1, 0));
                }
            }
            case 3 ->
                send(Segment.write(
                                memory.stag(),
                                memory.taggedOffset() + 8,
                                new byte[dice.below(dice.oneOf(10, 3000, 60_000))])
                        .fpdu());
            case 4 -> {
                if (!incomplete) {
                    send(Segment.send(nextSend++, new byte[dice.below(Siege.LONGEST_MESSAGE)])
                            .fpdu());
                }
            }
            case 5 -> beginOrContinueMessage();
            default -> {
                byte[] fpdu = Segment.write(memory.stag(), memory.taggedOffset() + 8, new byte[dice.below(60_000)])
                        .fpdu();
                byte[] part = new byte[1 + dice.below(fpdu.length - 1)];
                System.arraycopy(fpdu, 0, part, 0, part.length);
                incomplete |= send(part);
                acted = acts;
            }
        }
    }

    private void ask(Segment request) {
        if (send(request.fpdu())) {
            asked++;
        }
        nextRequest++;
    }

    private void beginOrContinueMessage() {
        int length =
                1 + dice.below(Math.max(1, Math.min(dice.oneOf(1, 500, 4000), Siege.LONGEST_MESSAGE - messageOffset)));
        if (messageOffset + length > Siege.LONGEST_MESSAGE) {
            return;
        }
        boolean last = dice.permille(200);
        Segment segment =
                Segment.send(nextSend, new byte[length]).offset(messageOffset).last(last);
        if (!send(segment.fpdu())) {
            return;
        }
        longestMessage = Math.max(longestMessage, messageOffset + length);
        messageOffset = last ? 0 : messageOffset + length;
        nextSend += last ? 1 : 0;
        incomplete = !last;
    }

    /** Returns whether all of it is sent, before the FIN. */
    private boolean send(byte[] bytes) {
        if (finished) {
            return false;
        }
        quietSince = world.now();
        int count = (int) Math.min(bytes.length, finAfter - queued);
        boolean cut = count < bytes.length;
        boolean fin = cut || queued + count == finAfter;
        count = cut && finBetweenFpdus ? 0 : count;
        backlog.writeBytes(bytes, 0, count);
        queued += count;
        if (fin) {
            world.trace().add(world, "half-closes", this, queued);
            finished = true;
            incomplete |= cut && count > 0;
            if (!backlog.isReadable()) {
                out.end();
            }
        }
        return count == bytes.length;
    }

    // What the other side has sent.

    /** The kernel of the other side has taken bytes. */
    private void taken(ByteBuf bytes) {
        stream.writeBytes(bytes);
        while (parse()) {
            stream.discardReadBytes();
        }
    }

    private boolean parse() {
        int at = stream.readerIndex();
        int available = stream.readableBytes();
        int length;
        if (!frameParsed) {
            if (available < FRAME || available < FRAME + stream.getUnsignedShort(at + FRAME - 2)) {
                return false;
            }
            length = FRAME + stream.getUnsignedShort(at + FRAME - 2);
            frameParsed = true;
            frameEnd = length;
        } else {
            if (available < 2) {
                return false;
            }
            length = ((2 + stream.getUnsignedShort(at) + 3) & ~3) + 4;
            if (available < length) {
                return false;
            }
            int opcode = stream.getByte(at + 3) & 0xf;
            boolean tagged = (stream.getByte(at + 2) & TAGGED) != 0;
            boolean last = (stream.getByte(at + 2) & LAST) != 0;
            terminated |= !tagged && opcode == TERMINATE;
            if (last && ((tagged && opcode == READ_RESPONSE) || (!tagged && opcode == ATOMIC_RESPONSE))) {
                responseEnds.add(parsed + length);
            }
        }
        stream.skipBytes(length);
        parsed += length;
        return true;
    }

    // What has to hold.

    /** Returns whether the transport has bytes to send. */
    boolean hasOutput() {
        return channel.pendingOutput() > 0;
    }

    /** Returns the most bytes that it has sent of a message in several segments. */
    int longestMessage() {
        return longestMessage;
    }

    /** Returns how many bytes of it the other side has read. */
    long sentBytes() {
        return out.taken();
    }

    /** Returns whether the other side may have a part of a message. */
    boolean mayHoldMessage() {
        return channel.isOpen()
                && (messageOffset > 0
                        || finished
                        || backlog.isReadable()
                        || out.taken() < out.written()
                        || !channel.config().isAutoRead()
                        || (queuePair != null && queuePair.state() != ConnectionState.READY));
    }

    void onRest(long nanos) {
        QueuePair its = queuePair;
        long moved = in.written() + in.taken() + out.written() + out.taken();
        if (moved != movedBefore || !channel.isOpen()) {
            movedBefore = moved;
            quietSince = world.now();
        }
        if (its == null || !channel.isOpen()) {
            return;
        }
        long accepted = its.counters().get(Counter.PEER_READS_ACCEPTED);
        if (!left && accepted - responseEnds.size() > siege.ird) {
            world.violated(
                    "a response occupies the IRD until it is taken",
                    this + " has " + accepted + " accepted and " + responseEnds.size() + " taken, IRD " + siege.ird);
        }
        if (accepted - its.counters().get(Counter.PEER_READS_COMPLETED) > 2L * siege.ird) {
            world.violated("what is held has a limit", this + " has more than twice the IRD of responses");
        }
        if (channel.isOutputShutdown()) {
            requireAllResponses(its);
        }
        int spare = Inside.sizeOf(channel, "responder", "spareResponses");
        if (spare > siege.ird) {
            world.violated("what is held has a limit", this + " keeps " + spare + " spare responses, IRD " + siege.ird);
        }
        if (channel.pendingOutput() > siege.transmitWindow + 64 * 1024) {
            world.violated("what is held has a limit", this + " has queued " + channel.pendingOutput() + " bytes");
        }
        long quiet = world.now() - quietSince;
        boolean waits = hasOutput() || (finished && siege.closesWithPeer) || (incomplete && !backlog.isReadable());
        if (waits && nanos == NEVER) {
            world.violated("what waits has a timer", this + ": " + its.snapshot());
        }
        if (waits && quiet > siege.longestWait) {
            world.violated(
                    "a wait ends", this + " is open after " + quiet / MILLI + " ms without a byte: " + its.snapshot());
        }
        boolean owed = responseEnds.size() < asked && !backlog.isReadable() && out.taken() == out.written();
        if (honest && owed && quiet > MAX_SERVICE && !left) {
            world.violated("an honest peer is served", this + " has waited " + quiet / MILLI + " ms for a response");
        }
    }

    void judge() {
        QueuePair its = queuePair;
        if (channel.isOpen()) {
            world.violated("the connection is closed", this + " is open at the end");
        }
        if (its == null) {
            return;
        }
        if (!its.closed().isDone()) {
            world.violated("both ends learn of the end", this + " " + its.snapshot());
            return;
        }
        for (CompletableFuture<?> future : posted) {
            if (!future.isDone()) {
                world.violated("each post completes once", this + " " + future);
            }
        }
        CloseReason reason = its.closed().join();
        if (withinIrd && reason.error() == ProtocolError.DDP_UNTAGGED_NO_BUFFER) {
            world.violated("a peer within the IRD is not refused", this + " " + reason);
        }
        boolean blamed = reason.endedBy() == EndedBy.LOCAL_FAULT || reason.endedBy() == EndedBy.TIMEOUT;
        if (honest && blamed && !incomplete) {
            world.violated("an honest peer is served", this + " " + reason);
        }
        boolean inOrder = reason.endedBy() == EndedBy.PEER_CLOSED || reason.endedBy() == EndedBy.LOCAL_APPLICATION;
        // What this side asked and the peer did not respond to is the cause, even if a deadline ends the close that
        // follows.
        if (inOrder && posted.isEmpty()) {
            requireAllResponses(its);
        }
        boolean polite = honest && !incomplete && !channel.failed() && started && !abandoned;
        if (polite && responseEnds.size() < asked) {
            world.violated(
                    "what was asked before the FIN gets its response",
                    this + " asked " + asked + " times, " + responseEnds.size() + " responses were sent; " + reason);
        }
    }

    /** The other side has closed its half of the connection, or all of it, and not for a fault. */
    private void requireAllResponses(QueuePair its) {
        long accepted = its.counters().get(Counter.PEER_READS_ACCEPTED);
        if (!abandoned && !channel.failed() && !terminated && accepted > responseEnds.size()) {
            world.violated(
                    "a FIN comes after the responses that are owed",
                    this + " has " + accepted + " accepted and " + responseEnds.size() + " taken");
        }
    }

    /** The end of the run: it leaves now. */
    void goAway() {
        if (!left) {
            world.trace().add(world, "is gone", this);
            left = true;
            if (channel.isOpen()) {
                abandoned = true;
                channel.fail("Connection reset by peer");
            }
        }
    }

    @Override
    public String toString() {
        return name;
    }

    String describe() {
        return name + (initiates ? " initiates" : " responds")
                + (honest ? ", honest" : withinIrd ? ", within the IRD" : ", asks for all")
                + ", takes " + appetite
                + (appetite == Appetite.BITES ? " of " + bite + " each " + biteEvery / MILLI + " ms" : "")
                + ", " + acts + " acts" + (finAfter == Long.MAX_VALUE ? "" : ", FIN after " + finAfter + " bytes")
                + ", leaves at " + leavesAt / MILLI + " ms";
    }
}

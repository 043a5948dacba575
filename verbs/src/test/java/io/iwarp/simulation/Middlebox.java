package io.iwarp.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Sits between the two halves of one direction and knows MPA and DDP without markers. It cuts messages into pieces,
 * changes their order, repeats some, loses some, or all responses, or ends the wire within an FPDU. Written from the
 * RFCs, without the code under test.
 */
final class Middlebox implements Context {
    private static final int FRAME = 20;
    private static final int TAGGED = 0x80;
    private static final int LAST = 0x40;
    private static final int WRITE = 0;
    private static final int READ_RESPONSE = 2;
    private static final int FIRST_SEND = 3;
    private static final int LAST_SEND = 6;
    private static final int ATOMIC_RESPONSE = 11;
    /** Pieces that change their order with each other. */
    private static final int BATCH = 12;

    private static final int HALF_OF_ALL_AT_MAX = 60;
    private static final int RESPONSES_AT_MAX = 10;

    private final World world;
    private final Trouble trouble;
    /** Whether the reader takes the pieces of Sends in ascending order only. */
    private final boolean ascendingSends;

    private final Runnable onLoss;
    private final String name;
    private final Pipe from;
    private final Pipe to;
    private final ByteBuf in = Unpooled.buffer();
    private final ByteBuf out = Unpooled.buffer();
    private final List<byte[]> batch = new ArrayList<>();
    private boolean started;
    private boolean ended;
    private boolean deaf;
    private boolean lostOne;
    private int fpdusUntilSilence;
    private int responsesLeft;
    private boolean lostResponse;
    /** The last FPDU was of a Send, which may wait for a receive. */
    private boolean behindMessage;

    /** @param onLoss told that from now on something does not arrive */
    Middlebox(World world, Plan plan, String name, Pipe from, Pipe to, Runnable onLoss) {
        this.world = world;
        this.trouble = plan.trouble;
        this.ascendingSends = plan.receives == Plan.Receives.MANAGED;
        this.name = name;
        this.from = from;
        this.to = to;
        this.onLoss = onLoss;
        this.fpdusUntilSilence = trouble.has(Trouble.Kind.HALF_FPDU) && trouble.dice.permille(500)
                ? 1 + trouble.dice.below(HALF_OF_ALL_AT_MAX)
                : Integer.MAX_VALUE;
        this.responsesLeft = trouble.has(Trouble.Kind.NO_RESPONSES) && trouble.dice.permille(500)
                ? trouble.dice.oneOf(0, trouble.dice.below(RESPONSES_AT_MAX))
                : Integer.MAX_VALUE;
        world.add(this);
    }

    /** Returns whether the reader got the beginning of an FPDU, and nothing behind it arrives. */
    boolean endsWithinFpdu() {
        return deaf && !out.isReadable();
    }

    /** Returns whether a response has not arrived, and none does. */
    boolean lostResponse() {
        return lostResponse;
    }

    @Override
    public long runnableAt() {
        boolean takes = from.readable() > 0 && out.readableBytes() < BATCH;
        boolean gives = out.isReadable() && to.room() > 0;
        boolean ends = from.atEnd() && !ended && !deaf && !out.isReadable();
        return takes || gives || ends ? 0 : NEVER;
    }

    @Override
    public void step() {
        while (from.readable() > 0 && out.readableBytes() < BATCH) {
            in.ensureWritable(from.readable());
            from.read(in);
            while (takeOne()) {
                // The next one.
            }
            in.discardReadBytes();
        }
        if (from.atEnd()) {
            release();
            out.writeBytes(in);
        }
        if (out.isReadable()) {
            to.write(out);
            out.discardReadBytes();
        }
        if (from.atEnd() && !out.isReadable() && !ended && !deaf) {
            ended = true;
            to.end();
        }
    }

    private boolean takeOne() {
        if (deaf) {
            in.skipBytes(in.readableBytes());
            return false;
        }
        int available = in.readableBytes();
        int at = in.readerIndex();
        if (!started) {
            if (available < FRAME || available < FRAME + in.getUnsignedShort(at + 18)) {
                return false;
            }
            out.writeBytes(in, FRAME + in.getUnsignedShort(at + 18));
            started = true;
            return true;
        }
        if (available < Short.BYTES) {
            return false;
        }
        int ulpdu = in.getUnsignedShort(at);
        int length = fpduLength(ulpdu);
        if (available < length) {
            return false;
        }
        if (--fpdusUntilSilence <= 0 && behindMessage) {
            world.trace().add(world, "silence within an FPDU", this);
            onLoss.run();
            release();
            out.writeBytes(in, 1 + trouble.dice.below(length - 1));
            deaf = true;
            return true;
        }
        byte[] bytes = new byte[ulpdu];
        in.skipBytes(Short.BYTES);
        in.readBytes(bytes);
        behindMessage = opcode(bytes) >= FIRST_SEND && opcode(bytes) <= LAST_SEND;
        in.skipBytes(length - Short.BYTES - ulpdu);
        onUlpdu(bytes);
        return true;
    }

    private static int fpduLength(int ulpdu) {
        return ((Short.BYTES + ulpdu + 3) & ~3) + Integer.BYTES;
    }

    private void onUlpdu(byte[] bytes) {
        boolean response = opcode(bytes) == READ_RESPONSE || opcode(bytes) == ATOMIC_RESPONSE;
        if (response && responsesLeft-- <= 0) {
            if (!lostResponse) {
                world.trace().add(world, "loses responses", this);
                onLoss.run();
                release();
            }
            responsesLeft = 0;
            lostResponse = true;
            return;
        }
        if (!batch.isEmpty() && (!sameMessage(batch.get(0), bytes) || batch.size() >= BATCH)) {
            release();
        }
        if (!mayCut(bytes) || trouble.dice.permille(500)) {
            if (sameAsBatch(bytes) && (bytes[0] & LAST) == 0) {
                batch.add(bytes);
                return;
            }
            release();
            emit(bytes);
            return;
        }
        cut(bytes);
    }

    private boolean sameAsBatch(byte[] bytes) {
        return !batch.isEmpty() && sameMessage(batch.get(0), bytes);
    }

    private static int opcode(byte[] bytes) {
        return bytes[1] & 0xf;
    }

    private static int header(byte[] bytes) {
        return (bytes[0] & TAGGED) != 0 ? 14 : 18;
    }

    private static boolean mayCut(byte[] bytes) {
        int opcode = opcode(bytes);
        boolean known = opcode == WRITE || opcode == READ_RESPONSE || (opcode >= FIRST_SEND && opcode <= LAST_SEND);
        return known && bytes.length > header(bytes) + 1;
    }

    /** The same STag, or the same queue and MSN, and the same opcode. */
    private static boolean sameMessage(byte[] one, byte[] other) {
        if (opcode(one) != opcode(other) || header(one) != header(other)) {
            return false;
        }
        int until = (one[0] & TAGGED) != 0 ? 6 : 14;
        for (int i = 2; i < until; i++) {
            if (one[i] != other[i]) {
                return false;
            }
        }
        return true;
    }

    private void cut(byte[] bytes) {
        int header = header(bytes);
        int payload = bytes.length - header;
        boolean even = trouble.has(Trouble.Kind.HOLES);
        int pieces = Math.min(payload, even ? 4 : 2 + trouble.dice.below(3));
        int begin = 0;
        for (int i = 0; i < pieces; i++) {
            int end = i == pieces - 1
                    ? payload
                    : begin + (even ? payload / pieces : 1 + trouble.dice.below(payload - begin - (pieces - 1 - i)));
            byte[] piece = piece(bytes, begin, end);
            if (i == pieces - 1 && (bytes[0] & LAST) != 0) {
                release();
                emit(piece);
            } else {
                batch.add(piece);
            }
            begin = end;
        }
    }

    private static byte[] piece(byte[] bytes, int begin, int end) {
        int header = header(bytes);
        byte[] piece = new byte[header + end - begin];
        System.arraycopy(bytes, 0, piece, 0, header);
        System.arraycopy(bytes, header + begin, piece, header, end - begin);
        if (end < bytes.length - header) {
            piece[0] &= (byte) ~LAST;
        }
        boolean tagged = (bytes[0] & TAGGED) != 0;
        int width = tagged ? Long.BYTES : Integer.BYTES;
        long offset = 0;
        for (int i = header - width; i < header; i++) {
            offset = (offset << 8) | (bytes[i] & 0xff);
        }
        offset += begin;
        for (int i = header - 1; i >= header - width; i--) {
            piece[i] = (byte) offset;
            offset >>>= 8;
        }
        return piece;
    }

    /** Sends the pieces that came before the last one of their message. */
    private void release() {
        if (trouble.has(Trouble.Kind.HOLES) && !lostOne && mayLose() && trouble.dice.permille(100)) {
            lostOne = true;
            world.trace().add(world, "loses a piece", this);
            onLoss.run();
            int lost = trouble.dice.below(batch.size());
            byte[] other = batch.get(trouble.dice.below(batch.size()));
            if (other.length == batch.get(lost).length && trouble.dice.permille(500)) {
                // The lengths still make up the message.
                batch.set(lost, other);
            } else {
                batch.remove(lost);
            }
        }
        if (trouble.has(Trouble.Kind.PIECES)) {
            boolean send = !batch.isEmpty() && (batch.get(0)[0] & TAGGED) == 0;
            for (int i = send && ascendingSends ? 0 : batch.size() - 1; i > 0; i--) {
                Collections.swap(batch, i, trouble.dice.below(i + 1));
            }
            if (!batch.isEmpty() && trouble.dice.permille(300)) {
                batch.add(batch.get(trouble.dice.below(batch.size())));
            }
        }
        batch.forEach(this::emit);
        batch.clear();
    }

    /** A Write with a gap is not seen by either side. */
    private boolean mayLose() {
        return !batch.isEmpty() && opcode(batch.get(0)) != WRITE;
    }

    private void emit(byte[] ulpdu) {
        int start = out.writerIndex();
        out.writeShort(ulpdu.length).writeBytes(ulpdu);
        out.writeZero(-(out.writerIndex() - start) & 3);
        CRC32C crc = new CRC32C();
        crc.update(out.nioBuffer(start, out.writerIndex() - start));
        out.writeIntLE((int) crc.getValue());
    }

    @Override
    public String toString() {
        return name;
    }
}

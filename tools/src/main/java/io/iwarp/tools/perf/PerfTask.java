package io.iwarp.tools.perf;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.Application;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The task of one connection of a measurement. The client sends it to the server in the private data of the connection
 * request. The server needs no other information.
 *
 * <p>Both sides derive the flow control from it. The server posts {@link #window} receives and posts each again
 * directly after its use. {@link BandwidthLoad} has what they say to each other.
 *
 * @param operation the operation
 * @param mode the mode of measurement
 * @param direction which side posts operations
 * @param size bytes of each, 0 to {@value #MAX_SIZE}
 * @param depth the client's operations in flight, 1 to {@value #MAX_DEPTH}
 * @param memory the client's memory, which the server writes to in latency mode, or if it posts Writes
 */
record PerfTask(PerfOperation operation, PerfMode mode, Direction direction, int size, int depth, RemoteBuffer memory) {
    /** The request continues with the task, the reply with the server's memory. */
    static final Application PROTOCOL =
            new Application("iwarp perf 2", "a perf server of version 2, to be used by 'iwarp perf client'");

    /** Length in bytes. */
    static final int ENCODED_LENGTH = 3 * Byte.BYTES + Integer.BYTES + Integer.BYTES + RemoteBuffer.ENCODED_LENGTH;

    /** The largest message, in bytes. */
    static final int MAX_SIZE = 1 << 30;

    /** The most operations that a client may have posted. */
    static final int MAX_DEPTH = 1024;

    /** Of operations and modes. */
    private static final int FIRST_NUMBER = 1;

    private static final int WINDOWS_PER_DEPTH = 4;
    /** For messages about the others. */
    private static final int SPARE_REQUESTS = 4;

    private static final int BATCH_BYTES = 1 << 20;
    private static final int RING_BYTES = 4 << 20;

    /** Which side posts operations, in the order of their numbers on the wire. */
    enum Direction {
        TO_SERVER(""),
        FROM_SERVER(" of the server"),
        BOTH(" of both sides");

        private final String text;

        Direction(String text) {
            this.text = text;
        }

        /** Returns whose operations they are, for results. */
        @Override
        public String toString() {
            return text;
        }

        boolean fromClient() {
            return this != FROM_SERVER;
        }

        boolean fromServer() {
            return this != TO_SERVER;
        }
    }

    /** Returns the queue length that a server needs for clients of this depth. */
    static int serverQueueDepth(int depth) {
        return WINDOWS_PER_DEPTH * depth + SPARE_REQUESTS;
    }

    /** Returns the maximum number of messages in flight to the server's receives. */
    int window() {
        // With both directions a receive queue has the messages of one and the reports about the other.
        return (direction == Direction.BOTH ? WINDOWS_PER_DEPTH / 2 : WINDOWS_PER_DEPTH) * depth;
    }

    /** Returns the number of receives that a side keeps posted in bandwidth mode. */
    int receives(boolean client) {
        boolean messages = operation.usesReceives() && (client ? direction.fromServer() : direction.fromClient());
        boolean reports = client || direction.fromServer();
        return (messages ? window() : 0) + (reports ? acknowledgements() : 1);
    }

    /** Returns the number of requests that the client has posted at most. */
    int sends() {
        return depth + (direction.fromServer() ? acknowledgements() : 2);
    }

    /** Returns the number of messages after which the server reports its total. */
    int batch() {
        return Math.max(1, Math.min(depth, BATCH_BYTES / Math.max(1, size)));
    }

    /** Returns the maximum number of such reports in flight, including the last one. */
    int acknowledgements() {
        return window() / batch() + 2;
    }

    /**
     * Returns the number of message buffers that a receiver cycles through, which bounds its memory to fit the caches.
     */
    int places() {
        return operation == PerfOperation.SEND ? Math.max(1, Math.min(window(), RING_BYTES / Math.max(1, size))) : 1;
    }

    /** Returns how many bytes of memory either side registers or receives into. */
    int memoryBytes() {
        return Math.max(Long.BYTES, size * places());
    }

    /** Returns a copy with the memory of the client. */
    PerfTask with(RemoteBuffer clientMemory) {
        return new PerfTask(operation, mode, direction, size, depth, clientMemory);
    }

    /** Returns the private data of a connection request. */
    @SuppressWarnings("EnumOrdinal") // The order of the constants is that of the numbers on the wire.
    byte[] encode() {
        ByteBuf out = Unpooled.buffer(ENCODED_LENGTH, ENCODED_LENGTH)
                .writeByte(FIRST_NUMBER + operation.ordinal())
                .writeByte(FIRST_NUMBER + mode.ordinal())
                .writeByte(direction.ordinal())
                .writeInt(size)
                .writeInt(depth);
        memory.encode(out);
        return PROTOCOL.followedBy(out);
    }

    /**
     * Reads what {@link #encode} wrote, after the greeting.
     *
     * @throws IllegalArgumentException if the server does not support the task; the message names the reason
     */
    static PerfTask decode(ByteBuf in) {
        PerfOperation operation = decode("operation", PerfOperation.values(), in, FIRST_NUMBER);
        PerfMode mode = decode("mode", PerfMode.values(), in, FIRST_NUMBER);
        Direction direction = decode("direction", Direction.values(), in, 0);
        if (direction.fromServer() && !operation.reversible(mode)) {
            throw new IllegalArgumentException("a server posts Sends and Writes only, in bandwidth mode");
        }
        int size = in.readInt();
        int depth = in.readInt();
        if (size < 0 || size > MAX_SIZE) {
            throw new IllegalArgumentException("a size of " + size + " bytes is outside 0 to " + MAX_SIZE);
        }
        if (depth < 1 || depth > MAX_DEPTH) {
            throw new IllegalArgumentException("a depth of " + depth + " is outside 1 to " + MAX_DEPTH);
        }
        return new PerfTask(operation, mode, direction, size, depth, RemoteBuffer.decode(in));
    }

    private static <E> E decode(String what, E[] values, ByteBuf in, int first) {
        int number = in.readUnsignedByte();
        if (number < first || number - first >= values.length) {
            throw new IllegalArgumentException(
                    "this perf server knows no " + what + " " + number + ": use the same version on both sides");
        }
        return values[number - first];
    }
}

package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the peer in the middle of a ping: a server's sink of its Read, a client's text, or a client's sink. When a
 * case completes the ping, what is in the memory is looked at: it is read back where the peer grants that, and a client
 * with {@code -V} looks itself.
 */
public final class PeerMemory {
    private final PeerStream stream;
    private final Advertisement memory;
    /** The Read of a server that is to be answered. */
    private final @Nullable ReadRequest pending;
    /** What is to be written back to a client, if it was read. */
    private final byte @Nullable [] answer;
    /** What has to be in the memory when the case completes the ping, if it is known. */
    private byte @Nullable [] right;

    private boolean written;

    private PeerMemory(
            PeerStream stream, Advertisement memory, @Nullable ReadRequest pending, byte @Nullable [] answer) {
        this.stream = stream;
        this.memory = memory;
        this.pending = pending;
        this.answer = answer;
    }

    /** Returns the stream on which it may be used. */
    public PeerStream stream() {
        return stream;
    }

    /** Returns where it is. */
    public Advertisement memory() {
        return memory;
    }

    /** Returns memory that may be read, if any may. */
    public static PeerMemory readable(Session session) throws IOException, CaseFailed {
        return unwritable(session.establish().awaitIdle());
    }

    /** Returns memory that may be written, if any may. */
    public static PeerMemory writable(Session session) throws IOException, CaseFailed {
        return writable(session.establish().awaitIdle());
    }

    /** Returns memory that must not be read, if any must not. */
    public static PeerMemory unreadable(Session session) throws IOException, CaseFailed {
        return writable(session);
    }

    /** Returns memory that must not be written, if any must not. */
    public static PeerMemory unwritable(Session session) throws IOException, CaseFailed {
        return readable(session);
    }

    /** Returns memory on an idle stream that may be read, if any may, and that must not be written, if any must not. */
    public static PeerMemory unwritable(PeerStream stream) throws IOException, CaseFailed {
        return stream.peerIsServer()
                ? sinkOfServer(stream)
                : new PeerMemory(stream, stream.pings().source(), null, null);
    }

    /** Returns memory on an idle stream that may be written, if any may. */
    public static PeerMemory writable(PeerStream stream) throws IOException, CaseFailed {
        return stream.peerIsServer() ? sinkOfServer(stream) : sinkOfClient(stream);
    }

    static PeerMemory unreadable(PeerStream stream) throws IOException, CaseFailed {
        return writable(stream);
    }

    private static PeerMemory sinkOfServer(PeerStream stream) throws IOException, CaseFailed {
        ReadRequest read = stream.pings().advertise(Case.DEFAULT_SIZE);
        return new PeerMemory(stream, new Advertisement(read.sinkOffset(), read.sinkStag(), read.size()), read, null);
    }

    private static PeerMemory sinkOfClient(PeerStream stream) throws IOException, CaseFailed {
        byte[] text = stream.pings().read(stream.pings().source());
        stream.pings().goAhead();
        return new PeerMemory(stream, stream.pings().awaitAdvertisement(), null, text);
    }

    /** Returns what has to be in the memory when the ping is complete: the text of a client, or one for a server. */
    public byte[] text() {
        byte[] read = answer;
        return read == null ? Pings.text(Case.DEFAULT_SIZE) : read.clone();
    }

    /** What is in the memory now has to be there when the ping is completed, if it can be read. */
    public void mustStay() throws IOException, CaseFailed {
        right = stream.memoryCanBeRead() ? stream.pings().read(memory) : null;
    }

    /**
     * Writes parts of the text, each from one byte to before another, as one message. All of the text is written
     * before, but wrong where the parts will be: so each part has to arrive, and must change nothing beside it.
     */
    public void write(int[]... parts) throws IOException {
        byte[] text = text();
        byte[] before = text.clone();
        for (int[] part : parts) {
            for (int i = part[0]; i < part[1]; i++) {
                before[i] = (byte) ~text[i];
            }
        }
        write(0, before);
        for (int i = 0; i < parts.length; i++) {
            stream.send(segment(parts[i][0], Arrays.copyOfRange(text, parts[i][0], parts[i][1]))
                    .last(i == parts.length - 1));
        }
        right = text;
        written = true;
    }

    /** Makes all of the memory wrong, and returns the Write of the text, which has to make it right. */
    public Segment writeOfText() throws IOException {
        byte[] text = text();
        byte[] before = text.clone();
        for (int i = 0; i < before.length; i++) {
            before[i] = (byte) ~text[i];
        }
        write(0, before);
        right = text;
        written = true;
        return segment(0, text);
    }

    private Segment segment(long shift, byte[] data) {
        return Segment.tagged(Segment.WRITE, memory.stag(), memory.offset() + shift, data);
    }

    /** Sends a Write to the memory, or to what lies beside it. */
    public void write(long shift, byte[] data) throws IOException {
        stream.send(segment(shift, data));
    }

    /** Sends a Read of the memory, or of what lies beside it. */
    public void read(long shift, long size) throws IOException {
        readAt(memory.offset() + shift, size);
    }

    /** Sends a Read from any offset with the memory's STag. */
    public void readAt(long offset, long size) throws IOException {
        stream.send(Segment.readRequest(
                stream.takeReadMsn(), new ReadRequest(PeerStream.SINK_STAG, 0, size, memory.stag(), offset)));
    }

    /** Looks at the memory, and completes the ping. */
    public void completePing() throws IOException, CaseFailed {
        Pings pings = stream.pings();
        byte[] expected = right;
        int wrong = expected == null || !stream.memoryCanBeRead() ? -1 : Arrays.mismatch(pings.read(memory), expected);
        if (wrong >= 0) {
            throw new CaseFailed("byte " + wrong + " is another", "what was written, and the rest as before");
        }
        ReadRequest read = pending;
        byte[] text = answer;
        if (read != null) {
            pings.respond(read, text());
            pings.expectGoAhead();
            pings.takeBack(text());
        } else if (written) {
            pings.goAhead();
            pings.expectNextPing();
        } else if (text != null) {
            pings.answer(memory, text);
        } else {
            pings.serve();
        }
    }
}

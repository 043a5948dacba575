package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the peer in the middle of a ping: a server's sink of its Read, a client's text, or a client's sink.
 *
 * @param stream on which it may be used
 * @param memory where it is
 * @param pending the Read of a server that is to be answered, or null
 * @param answer what is to be written back to a client, or null if it was not read yet
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record PeerMemory(
        PeerStream stream, Advertisement memory, @Nullable ReadRequest pending, byte @Nullable [] answer) {
    /** {@return memory that may be read, if any may} */
    public static PeerMemory readable(Session session) throws IOException, CaseFailed {
        return unwritable(session.establish().awaitIdle());
    }

    /** {@return memory that may be written, if any may} */
    public static PeerMemory writable(Session session) throws IOException, CaseFailed {
        return writable(session.establish().awaitIdle());
    }

    /** {@return memory that must not be read, if any must not} */
    public static PeerMemory unreadable(Session session) throws IOException, CaseFailed {
        return writable(session);
    }

    /** {@return memory that must not be written, if any must not} */
    public static PeerMemory unwritable(Session session) throws IOException, CaseFailed {
        return readable(session);
    }

    /** {@return memory on an idle stream that may be read, if any may, and that must not be written, if any must not} */
    public static PeerMemory unwritable(PeerStream stream) throws IOException, CaseFailed {
        return stream.peerIsServer()
                ? sinkOfServer(stream)
                : new PeerMemory(stream, stream.pings().source(), null, null);
    }

    /** {@return memory on an idle stream that may be written, if any may} */
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

    /** {@return what has to be in the memory when the ping is complete: the text of a client, or one for a server} */
    public byte[] text() {
        byte[] read = answer;
        return read == null ? Pings.text(Case.DEFAULT_SIZE) : read.clone();
    }

    /** {@return what is in the memory} */
    public byte[] readAll() throws IOException, CaseFailed {
        return stream.pings().read(memory);
    }

    /** {@return the same memory without its first bytes} */
    public PeerMemory from(int first) {
        return new PeerMemory(
                stream,
                new Advertisement(memory.offset() + first, memory.stag(), memory.size() - first),
                pending,
                answer);
    }

    /** Checks what is in the memory. */
    public void requireAll(byte[] right) throws IOException, CaseFailed {
        int wrong = Arrays.mismatch(readAll(), right);
        if (wrong >= 0) {
            throw new CaseFailed(
                    "another byte " + wrong, "what was written, and the bytes beside it as before", -1, -1);
        }
    }

    /** Sends a Write to the memory, or to what lies beside it. */
    public void write(long shift, byte[] data) throws IOException {
        stream.send(Segment.tagged(Segment.WRITE, memory.stag(), memory.offset() + shift, data));
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

    /** Completes the ping. */
    public void completePing() throws IOException, CaseFailed {
        Pings pings = stream.pings();
        ReadRequest read = pending;
        byte[] text = answer;
        if (read != null) {
            pings.respond(read, text());
            pings.expectGoAhead();
            pings.takeBack(text());
        } else if (text != null) {
            pings.answer(memory, text);
        } else {
            pings.serve();
        }
    }
}

package io.iwarp.conformance.cases;

import io.iwarp.conformance.judge.Advertisement;
import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.CaseFailed;
import io.iwarp.conformance.judge.PeerStream;
import io.iwarp.conformance.judge.Pings;
import io.iwarp.conformance.judge.Session;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the peer in the middle of a ping: a server's sink of its Read, a client's text, or a client's sink.
 *
 * @param stream on which it may be used
 * @param memory where it is
 * @param read the Read of a server that is to be answered, or null
 * @param text of a client, which is to be written back, or null if it was not read yet
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PeerMemory(
        PeerStream stream, Advertisement memory, @Nullable ReadRequest read, byte @Nullable [] text) {
    /** {@return memory that may be read, if any may} */
    static PeerMemory readable(Session session) throws IOException, CaseFailed {
        PeerStream stream = session.establish().awaitIdle();
        return session.peerIsServer()
                ? sinkOfServer(stream)
                : new PeerMemory(stream, stream.pings().source(), null, null);
    }

    /** {@return memory that may be written, if any may} */
    static PeerMemory writable(Session session) throws IOException, CaseFailed {
        PeerStream stream = session.establish().awaitIdle();
        return session.peerIsServer() ? sinkOfServer(stream) : sinkOfClient(stream);
    }

    /** {@return memory that must not be read, if any must not} */
    static PeerMemory unreadable(Session session) throws IOException, CaseFailed {
        return writable(session);
    }

    /** {@return memory that must not be written, if any must not} */
    static PeerMemory unwritable(Session session) throws IOException, CaseFailed {
        return readable(session);
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

    /** Sends a Write to the memory, or to what lies beside it. */
    void write(long shift, byte[] data) throws IOException {
        stream.send(Segment.tagged(Segment.WRITE, memory.stag(), memory.offset() + shift, data));
    }

    /** Sends a Read of the memory, or of what lies beside it. */
    void read(long shift, long size) throws IOException {
        readAt(memory.offset() + shift, size);
    }

    /** Sends a Read from any offset with the memory's STag. */
    void readAt(long offset, long size) throws IOException {
        stream.send(Segment.readRequest(
                stream.takeReadMsn(), new ReadRequest(PeerStream.SINK_STAG, 0, size, memory.stag(), offset)));
    }

    /** Completes the ping. */
    void completePing() throws IOException, CaseFailed {
        Pings pings = stream.pings();
        if (read != null) {
            byte[] answer = Pings.text(Case.DEFAULT_SIZE);
            pings.respond(read, answer);
            pings.expectGoAhead();
            pings.takeBack(answer);
        } else if (text != null) {
            pings.answer(memory, text);
        } else {
            pings.serve();
        }
    }
}

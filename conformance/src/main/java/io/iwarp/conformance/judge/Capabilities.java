package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.AtomicRequest;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.StartupFrame;
import io.iwarp.conformance.wire.TerminateMessage;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** What the peer offers, found by asking it before the cases run. */
public final class Capabilities {
    private static final int ATOMIC_HEADER = 52;
    private static final int UNKNOWN_OPCODE = 6;

    private final Map<Need, String> missing = new EnumMap<>(Need.class);

    private Capabilities() {}

    /** {@return why a case cannot run, or nothing} */
    public Optional<String> lacks(Case test) {
        return test.needs().stream()
                .filter(missing::containsKey)
                .map(missing::get)
                .findFirst();
    }

    /** {@return what is missing, with the reason} */
    public Map<Need, String> missing() {
        return Map.copyOf(missing);
    }

    /** Asks the peer. It must answer a ping. */
    public static Capabilities probe(SuiteOptions options, Link link) throws IOException, CaseFailed {
        Capabilities found = new Capabilities();
        found.setUp(options, link);
        found.memory(options, link);
        found.extensions(options, link);
        if (!options.slow()) {
            found.lack(Need.SLOW, "it takes many seconds: --slow runs it");
        }
        return found;
    }

    private void lack(Need need, String reason) {
        missing.put(need, reason);
    }

    private void either(boolean condition, Need met, Need unmet, String reason, String opposite) {
        lack(condition ? unmet : met, condition ? opposite : reason);
    }

    private void setUp(SuiteOptions options, Link link) throws IOException, CaseFailed {
        try (Session session = new Session(options, link, Case.DEFAULT_SIZE)) {
            PeerStream stream = session.establish();
            StartupFrame peers = session.peerIsServer() ? stream.reply() : stream.request();
            boolean crc =
                    stream.request().has(StartupFrame.CRC) || stream.reply().has(StartupFrame.CRC);
            either(crc, Need.CRC, Need.NO_CRC, "no side asks for CRCs", "a side asks for CRCs");
            if (!peers.has(StartupFrame.MARKERS)) {
                lack(Need.MARKERS_TO_PEER, "the peer does not ask for markers");
            }
            if (!options.markers()) {
                lack(Need.MARKERS_FROM_PEER, "the suite does not ask for markers: --markers");
            }
            either(
                    stream.reply().enhanced(),
                    Need.ENHANCED,
                    Need.PLAIN,
                    "the connection is set up without RFC 6581",
                    "the connection is set up with RFC 6581");
            if (!stream.reply().enhanced() || (stream.reply().irdWord() & Setup.UPPER) == 0) {
                lack(Need.PEER_TO_PEER, "the connection is not set up as peer to peer");
            }
            stream.awaitIdle().completePing();
        }
    }

    /** A server has one memory for everything; a client has one to be read and one to be written. */
    private void memory(SuiteOptions options, Link link) throws IOException, CaseFailed {
        boolean client = options.role() == Role.CLIENT;
        boolean read = answersRead(options, link);
        boolean written = takesWrite(options, link);
        if (read) {
            lack(Need.UNREADABLE, "all memory that the peer names may be read");
        } else if (!client) {
            lack(Need.READABLE, "the memory that the peer names must not be read");
        }
        if (written) {
            lack(Need.UNWRITABLE, "all memory that the peer names may be written");
        } else if (!client) {
            lack(Need.WRITABLE, "the memory that the peer names must not be written");
        }
    }

    /** {@return whether a server's sink, or a client's sink, answers a Read} */
    private static boolean answersRead(SuiteOptions options, Link link) throws IOException, CaseFailed {
        try (Session session = new Session(options, link, Case.DEFAULT_SIZE)) {
            PeerStream stream = session.establish().awaitIdle();
            Advertisement memory;
            if (session.peerIsServer()) {
                memory = sinkOfServer(stream);
            } else {
                stream.pings().goAhead();
                memory = stream.pings().awaitAdvertisement();
            }
            stream.send(Segment.readRequest(
                    stream.takeReadMsn(),
                    new ReadRequest(PeerStream.SINK_STAG, PeerStream.BASE, 1, memory.stag(), memory.offset())));
            return stream.next().is(Segment.READ_RESPONSE);
        }
    }

    /** {@return whether a server's sink, or a client's text, takes a Write} */
    private static boolean takesWrite(SuiteOptions options, Link link) throws IOException, CaseFailed {
        try (Session session = new Session(options, link, Case.DEFAULT_SIZE)) {
            PeerStream stream = session.establish().awaitIdle();
            Advertisement memory = session.peerIsServer()
                    ? sinkOfServer(stream)
                    : stream.pings().source();
            stream.send(Segment.tagged(Segment.WRITE, memory.stag(), memory.offset(), new byte[] {'#'}));
            // What answers this Read stands behind the Write.
            stream.send(Segment.readRequest(
                    stream.takeReadMsn(), new ReadRequest(PeerStream.SINK_STAG, PeerStream.BASE, 0, 0, 0)));
            return stream.next().is(Segment.READ_RESPONSE);
        }
    }

    private static Advertisement sinkOfServer(PeerStream stream) throws IOException, CaseFailed {
        ReadRequest read = stream.pings().advertise(Case.DEFAULT_SIZE);
        return new Advertisement(read.sinkOffset(), read.sinkStag(), read.size());
    }

    private void extensions(SuiteOptions options, Link link) throws IOException, CaseFailed {
        if (!executesAtomics(options, link)) {
            lack(Need.ATOMIC_MEMORY, "on the memory that the peer names no atomics may be executed");
        }
        either(
                knows(options, link, Segment.untagged(Segment.ATOMIC_REQUEST, 1, 1, new byte[ATOMIC_HEADER])),
                Need.ATOMICS,
                Need.NO_ATOMICS,
                "the peer does not know atomics (RFC 7306)",
                "the peer knows atomics (RFC 7306)");
        either(
                knows(options, link, Segment.untagged(Segment.IMMEDIATE, 0, 1, new byte[Long.BYTES])),
                Need.IMMEDIATE,
                Need.NO_IMMEDIATE,
                "the peer does not know Immediate Data (RFC 7306)",
                "the peer knows Immediate Data (RFC 7306)");
    }

    /** {@return whether a server's sink, or a client's text, takes a FetchAdd} */
    private static boolean executesAtomics(SuiteOptions options, Link link) throws IOException, CaseFailed {
        try (Session session = new Session(options, link, Case.DEFAULT_SIZE)) {
            PeerStream stream = session.establish().awaitIdle();
            Advertisement memory = session.peerIsServer()
                    ? sinkOfServer(stream)
                    : stream.pings().source();
            AtomicRequest nothing =
                    new AtomicRequest(AtomicRequest.FETCH_ADD, 1, memory.stag(), memory.offset(), 0, 0, 0, -1);
            stream.send(Segment.untagged(Segment.ATOMIC_REQUEST, 1, stream.takeReadMsn(), nothing.encode()));
            return stream.next().is(Segment.ATOMIC_RESPONSE);
        }
    }

    /** {@return whether the peer does not call the opcode unknown} */
    private static boolean knows(SuiteOptions options, Link link, Segment segment) throws IOException, CaseFailed {
        try (Session session = new Session(options, link, Case.DEFAULT_SIZE)) {
            PeerStream stream = session.establish().awaitIdle();
            long msn = segment.queue() == 0 ? stream.nextMsn() : stream.nextReadMsn();
            stream.send(segment.msn(msn));
            Arrival arrival = stream.next();
            Segment answer = arrival.segment();
            if (answer == null || answer.opcode() != Segment.TERMINATE || answer.payload().length < Integer.BYTES) {
                return segment.queue() == 0 || (!arrival.ended() && arrival.kind() != Arrival.Kind.SILENCE);
            }
            TerminateMessage message = TerminateMessage.decode(answer.payload());
            // Some peers swap the halves of the first byte.
            boolean operation = message.layer() + message.type() == 2 && message.layer() != 1;
            return !operation || message.code() != UNKNOWN_OPCODE;
        }
    }
}

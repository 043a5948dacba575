package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.AtomicRequest;
import io.iwarp.conformance.wire.Dialogue;
import io.iwarp.conformance.wire.ReadRequest;
import io.iwarp.conformance.wire.Segment;
import io.iwarp.conformance.wire.StartupFrame;
import io.iwarp.conformance.wire.TerminateMessage;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.SocketException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the peer offers, found by asking it before the cases run. */
final class Capabilities {
    /** Why cases about the bounds of memory are skipped. */
    static final String NO_BOUNDS = "bounds not seen: the peer takes what lies outside of the memory that it names";

    private static final int UNKNOWN_OPCODE = 6;

    private final Map<Need, String> missing = new EnumMap<>(Need.class);
    private boolean takesEmptyWrites;
    private boolean memoryCanBeRead;

    private Capabilities() {}

    /** Opens what the questions are asked on. */
    interface Sessions {
        Session open(int size);
    }

    /** Returns those of a peer that was not asked: nothing is taken for granted. */
    static Capabilities unknown() {
        return new Capabilities();
    }

    /** Returns why a case cannot run, or nothing. */
    Optional<String> lacks(Case test) {
        return test.needs().stream()
                .filter(missing::containsKey)
                .map(missing::get)
                .findFirst();
    }

    /** Returns why the peer does not support something, or null. */
    @Nullable
    String lack(Support support) {
        return support.needs().stream()
                .filter(missing::containsKey)
                .map(missing::get)
                .findFirst()
                .orElse(null);
    }

    /** Returns whether a Write of zero bytes can stand at the beginning of each case. */
    boolean takesEmptyWrites() {
        return takesEmptyWrites;
    }

    /** Returns whether all memory that the peer names may be read. */
    boolean memoryCanBeRead() {
        return memoryCanBeRead;
    }

    /** Asks the peer. It must answer a ping. */
    static Capabilities probe(SuiteOptions options, Sessions sessions) throws IOException, Unanswered {
        Capabilities found = new Capabilities();
        found.ask(sessions, stream -> {
            stream.completePing();
            return true;
        });
        found.takesEmptyWrites = found.ask(sessions, stream -> {
            stream.sendNothing();
            try {
                stream.completePing();
                return true;
            } catch (CaseFailed e) {
                return false;
            }
        });
        found.ask(sessions, stream -> {
            found.setUp(options, stream);
            stream.completePing();
            return true;
        });
        found.memory(options.role() == Role.CLIENT, sessions);
        found.extensions(sessions);
        found.memoryCanBeRead = found.missing.containsKey(Need.UNREADABLE);
        if (!options.slow()) {
            found.missing.put(Need.SLOW, "it takes many seconds: --slow runs it");
        }
        return found;
    }

    private interface Question {
        boolean ask(PeerStream stream) throws IOException, CaseFailed;
    }

    /** Returns the answer to a question. If the peer fails, the question is asked once more. */
    private boolean ask(Sessions sessions, Question question) throws IOException, Unanswered {
        Session first = sessions.open(Case.DEFAULT_SIZE);
        CaseFailed failure;
        try (first) {
            return question.ask(first.establish().awaitIdle());
        } catch (CaseFailed e) {
            failure = e;
        } catch (ConnectException | BindException e) {
            throw e;
        } catch (SocketException e) {
            failure = new CaseFailed("the connection broke: " + e.getMessage(), "a ping");
        } catch (RuntimeException e) {
            failure = CaseFailed.undecodable(e);
        }
        try (Session second = sessions.open(Case.DEFAULT_SIZE)) {
            return question.ask(second.establish().awaitIdle());
        } catch (CaseFailed | IOException | RuntimeException again) {
            throw new Unanswered(failure, first.dialogue());
        }
    }

    /** The peer failed at a question twice. */
    static final class Unanswered extends Exception {
        private static final long serialVersionUID = 1;

        private final CaseFailed failure;
        private final transient Dialogue dialogue;

        Unanswered(CaseFailed failure, Dialogue dialogue) {
            super(failure);
            this.failure = failure;
            this.dialogue = dialogue;
        }

        CaseFailed failure() {
            return failure;
        }

        /** Returns the dialogue of the first time. */
        Dialogue dialogue() {
            return dialogue;
        }
    }

    private void lack(boolean condition, Need need, String reason) {
        if (condition) {
            missing.put(need, reason);
        }
    }

    private void either(boolean condition, Need met, Need unmet, String reason, String opposite) {
        missing.put(condition ? unmet : met, condition ? opposite : reason);
    }

    private void setUp(SuiteOptions options, PeerStream stream) {
        StartupFrame request = stream.request();
        StartupFrame reply = stream.reply();
        StartupFrame peers = options.role() == Role.SERVER ? reply : request;
        boolean crc = request.has(StartupFrame.CRC) || reply.has(StartupFrame.CRC);
        either(crc, Need.CRC, Need.NO_CRC, "no side asks for CRCs", "a side asks for CRCs");
        lack(!peers.has(StartupFrame.MARKERS), Need.MARKERS_TO_PEER, "the peer does not ask for markers");
        lack(!options.markers(), Need.MARKERS_FROM_PEER, "the suite does not ask for markers: --markers");
        either(
                reply.enhanced(),
                Need.ENHANCED,
                Need.PLAIN,
                "the connection is set up without RFC 6581",
                "the connection is set up with RFC 6581");
        lack(
                !reply.enhanced() || (reply.irdWord() & Setup.UPPER) == 0,
                Need.PEER_TO_PEER,
                "the connection is not set up as peer to peer");
    }

    /** A server has one memory for everything; a client has one to be read and one to be written. */
    private void memory(boolean client, Sessions sessions) throws IOException, Unanswered {
        boolean read = ask(sessions, stream -> {
            PeerMemory memory = PeerMemory.unreadable(stream);
            memory.read(0, 1);
            return stream.next().is(Segment.READ_RESPONSE);
        });
        boolean written = ask(sessions, stream -> takes(PeerMemory.unwritable(stream), 0, new byte[] {'#'}));
        lack(read, Need.UNREADABLE, "all memory that the peer names may be read");
        lack(!read, Need.OPEN, "the memory that the peer names may not be both read and written");
        lack(!read && !client, Need.READABLE, "the memory that the peer names must not be read");
        lack(written, Need.UNWRITABLE, "all memory that the peer names may be written");
        lack(!written, Need.OPEN, "the memory that the peer names may not be both read and written");
        lack(!written && !client, Need.WRITABLE, "the memory that the peer names must not be written");
        lack(reachesFurther(client, sessions), Need.BOUNDED, NO_BOUNDS);
        lack(
                !client || !ask(sessions, Capabilities::verifies),
                Need.VERIFYING,
                client ? "the client does not compare what comes back: -V in COMMAND" : "the peer is no client");
    }

    /** Returns whether the peer takes what is well outside of the memory that it names, but near it. */
    private boolean reachesFurther(boolean client, Sessions sessions) throws IOException, Unanswered {
        boolean further = !client
                && ask(sessions, stream -> {
                    ReadRequest read = stream.pings().advertise(Case.DEFAULT_SIZE);
                    byte[] text = Pings.text(Case.DEFAULT_SIZE);
                    stream.send(Segment.tagged(
                            Segment.READ_RESPONSE, read.sinkStag(), read.sinkOffset() - Long.BYTES, text));
                    return stream.next().isSend();
                });
        for (long shift : client ? new long[] {-Long.BYTES, Case.DEFAULT_SIZE} : new long[] {-Long.BYTES}) {
            further |= ask(sessions, stream -> {
                PeerMemory.unwritable(stream).read(shift, Long.BYTES);
                return stream.next().is(Segment.READ_RESPONSE);
            });
            further |= ask(sessions, stream -> takes(PeerMemory.writable(stream), shift, new byte[Long.BYTES]));
        }
        return further;
    }

    /** Returns whether the peer takes a Write. */
    private static boolean takes(PeerMemory memory, long shift, byte[] data) throws IOException {
        memory.write(shift, data);
        // What answers this Read comes after the Write.
        memory.stream()
                .send(Segment.readRequest(
                        memory.stream().takeReadMsn(),
                        new ReadRequest(PeerStream.SINK_STAG, PeerStream.BASE, 0, 0, 0)));
        return memory.stream().next().is(Segment.READ_RESPONSE);
    }

    /** Returns whether a client ends if what is written is not what was read. */
    private static boolean verifies(PeerStream stream) throws IOException, CaseFailed {
        PeerMemory sink = PeerMemory.writable(stream);
        byte[] wrong = sink.text();
        wrong[wrong.length / 2] ^= 1;
        stream.send(Segment.tagged(
                Segment.WRITE, sink.memory().stag(), sink.memory().offset(), wrong));
        stream.pings().goAhead();
        return !stream.next().isSend();
    }

    private void extensions(Sessions sessions) throws IOException, Unanswered {
        boolean onMemory = ask(sessions, stream -> {
            Advertisement memory = PeerMemory.unwritable(stream).memory();
            AtomicRequest nothing =
                    new AtomicRequest(AtomicRequest.FETCH_ADD, 1, memory.stag(), memory.offset(), 0, 0, 0, -1);
            stream.send(Segment.untagged(Segment.ATOMIC_REQUEST, 1, stream.takeReadMsn(), nothing.encode()));
            return stream.next().is(Segment.ATOMIC_RESPONSE);
        });
        lack(!onMemory, Need.ATOMIC_MEMORY, "on the memory that the peer names no atomics may be executed");
        boolean atomics =
                ask(sessions, stream -> knows(stream, Segment.ATOMIC_REQUEST, 1, AtomicRequest.LENGTH, false));
        either(
                atomics,
                Need.ATOMICS,
                Need.NO_ATOMICS,
                "the peer does not know atomics (RFC 7306)",
                "the peer knows atomics (RFC 7306)");
        either(
                ask(sessions, stream -> knows(stream, Segment.IMMEDIATE, 0, Long.BYTES, atomics)),
                Need.IMMEDIATE,
                Need.NO_IMMEDIATE,
                "the peer does not know Immediate Data (RFC 7306)",
                "the peer knows Immediate Data (RFC 7306)");
    }

    /**
     * Returns whether the peer does not call the opcode unknown.
     *
     * @param ifEnded the answer if the connection ends: a program may not expect the message, or the peer may report
     *     nothing
     */
    private static boolean knows(PeerStream stream, int opcode, int queue, int length, boolean ifEnded)
            throws IOException {
        long msn = queue == 0 ? stream.nextMsn() : stream.nextReadMsn();
        stream.send(Segment.untagged(opcode, queue, msn, new byte[length]));
        Arrival arrival = stream.next();
        Segment answer = arrival.segment();
        if (answer == null || answer.opcode() != Segment.TERMINATE || answer.payload().length < Integer.BYTES) {
            return arrival.ended() ? ifEnded : queue == 0 || arrival.kind() != Arrival.Kind.SILENCE;
        }
        TerminateMessage message = TerminateMessage.decode(answer.payload());
        // Some peers swap the halves of the first byte.
        boolean operation = message.layer() + message.type() == 2 && message.layer() != 1;
        return !operation || message.code() != UNKNOWN_OPCODE;
    }
}

package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.Dialogue;
import io.iwarp.conformance.wire.StartupFrame;
import io.iwarp.conformance.wire.Wire;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One case at work: it opens connections to the peer, and all of them are closed when it ends. */
public final class Session implements AutoCloseable {
    /**
     * How many times the peer's memory, and how many more bytes, may come on a connection: no case asks for so much.
     */
    private static final long MAX_MEMORIES = 32;

    private static final long MAX_REST = 1 << 20;
    /** For tens of thousands of pings. */
    private static final long MAX_REST_IF_SLOW = 1 << 24;

    private static final Duration MAX_LIFE = Duration.ofMinutes(2);
    private static final Duration MAX_LIFE_IF_SLOW = Duration.ofMinutes(10);
    private static final int SMALL_BUFFER = 1 << 14;

    private final SuiteOptions options;
    private final Link link;
    private final int size;
    private final String name;
    private final RuleBook rules;
    private final Capabilities capabilities;
    private final Dialogue dialogue = new Dialogue();
    private int receiveBuffer;
    private final List<Wire> wires = new ArrayList<>();

    /**
     * @param link to the peer
     * @param size of the buffer of the peer's client
     * @param name what is done, in words
     * @param rules that get to know what broke a rule
     * @param capabilities what the peer offers
     */
    Session(SuiteOptions options, Link link, int size, String name, RuleBook rules, Capabilities capabilities) {
        this.options = options;
        this.link = link;
        this.size = size;
        this.name = name;
        this.rules = rules;
        this.capabilities = capabilities;
    }

    /** Returns how the suite talks to the peer. */
    public SuiteOptions options() {
        return options;
    }

    /** Returns all that happened. */
    public Dialogue dialogue() {
        return dialogue;
    }

    /** Returns the size of the buffer of the peer's client. */
    public int size() {
        return size;
    }

    /** Skips the case if a client would have to have a larger buffer than it can. */
    public void requireSize() throws CaseSkipped {
        if (!peerIsServer()) {
            requireSize(size);
        }
    }

    /** Skips the case if the peer cannot have a buffer of so many bytes. */
    public void requireSize(int wanted) throws CaseSkipped {
        if (wanted > options().maxSize()) {
            throw new CaseSkipped(
                    "the greatest buffer of the peer has " + options().maxSize() + " bytes: --size tells of more");
        }
    }

    /** Returns how many bytes the memory has; a server advertises a part of its buffer. */
    public long wholeSize(Advertisement memory) {
        return peerIsServer() ? options().maxSize() : memory.size();
    }

    /** Returns whether the peer is the server. */
    public boolean peerIsServer() {
        return options.role() == Role.SERVER;
    }

    /** Makes TCP keep few bytes unread on the connections that are opened from here on. */
    public void keepFewUnread() {
        receiveBuffer = SMALL_BUFFER;
    }

    /** Returns a TCP connection on which nothing was sent. */
    public Wire open() throws IOException {
        dialogue.remark(peerIsServer() ? "connect" : "start the client and accept its connection");
        Wire wire = new Wire(
                link.connect(size, receiveBuffer, options.patience()),
                dialogue,
                options.patience(),
                MAX_MEMORIES * options.maxSize() + (options.slow() ? MAX_REST_IF_SLOW : MAX_REST),
                options.slow() ? MAX_LIFE_IF_SLOW : MAX_LIFE);
        wires.add(wire);
        return wire;
    }

    /** Returns the next start-up frame, which has to be a Request. */
    public StartupFrame awaitRequest(Wire wire) throws IOException, CaseFailed {
        return Setup.requireRequest(wire.nextFrame(options.patience()));
    }

    /** Returns the next start-up frame, which has to be a Reply that accepts. */
    public StartupFrame awaitReply(Wire wire) throws IOException, CaseFailed {
        return Setup.requireReply(wire.nextFrame(options.patience()));
    }

    /** Returns an established stream, set up as the options say. */
    public PeerStream establish() throws IOException, CaseFailed {
        return peerIsServer() ? initiate(Setup.request(options)) : respond(null);
    }

    /** Returns an established stream whose first frame is this request. */
    public PeerStream initiate(StartupFrame request) throws IOException, CaseFailed {
        Wire wire = open();
        wire.send(request);
        return initiated(wire, request);
    }

    /** Returns an established stream, whose request was sent. */
    public PeerStream initiated(Wire wire, StartupFrame request) throws IOException, CaseFailed {
        StartupFrame reply = awaitReply(wire);
        Wire.pause(options.firstFpduDelay());
        return begun(wire, request, reply);
    }

    /** Returns an established stream, whose frames are known. */
    public PeerStream begun(Wire wire, StartupFrame request, StartupFrame reply) throws IOException, CaseFailed {
        PeerStream stream = unready(wire, request, reply);
        stream.readyToReceive();
        return stream;
    }

    /** Returns an established stream, whose frames are known; a message that the set-up agreed on has yet to come. */
    public PeerStream unready(Wire wire, StartupFrame request, StartupFrame reply) {
        Setup.begin(wire, request, reply, peerIsServer());
        return new PeerStream(this, wire, request, reply);
    }

    /** What a reply becomes before it is sent. */
    @FunctionalInterface
    public interface ReplyChange {
        /** Returns the reply to send instead. */
        StartupFrame apply(StartupFrame reply);
    }

    /** Returns an established stream, whose request was answered with a changed reply. */
    public PeerStream respond(@Nullable ReplyChange change) throws IOException, CaseFailed {
        Wire wire = open();
        StartupFrame request = awaitRequest(wire);
        StartupFrame plain = Setup.reply(options, request);
        StartupFrame reply = change == null ? plain : change.apply(plain);
        wire.send(reply);
        return responded(wire, request, reply);
    }

    /** Returns an established stream, whose reply was sent. */
    public PeerStream responded(Wire wire, StartupFrame request, StartupFrame reply) throws IOException, CaseFailed {
        return begun(wire, request, reply);
    }

    /** Checks that nothing comes for some time. */
    public void expectSilence(Wire wire) throws IOException, CaseFailed {
        Arrival arrival = wire.next(options.quiet());
        if (arrival.kind() != Arrival.Kind.SILENCE || arrival.entry() >= 0) {
            throw new CaseFailed(arrival.describe(), "nothing", arrival.entry(), 0);
        }
    }

    /** Checks that the connection ends and nothing comes before. */
    public void expectEnd(Wire wire) throws IOException, CaseFailed {
        expectEnd(wire, options.patience());
    }

    /** Checks that the connection ends in some time and nothing comes before. */
    public void expectEnd(Wire wire, Duration patience) throws IOException, CaseFailed {
        byte[] rest = wire.rest(patience);
        if (rest.length > 0) {
            int entry = dialogue.add('<', "bytes", rest);
            throw new CaseFailed(rest.length + " bytes", "the end of the connection, and nothing before", entry, 0);
        }
        if (!wire.ended()) {
            throw new CaseFailed("nothing within " + patience.toMillis() + " ms", "the end of the connection", -1, 0);
        }
    }

    /** Checks that a client's program ends, because its connection broke. A server serves on, as the runner checks. */
    public void expectProgramEnds() throws CaseFailed {
        if (!link.ends(options.patience())) {
            throw new CaseFailed("the client runs on", "its end: the connection is gone");
        }
    }

    Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public void close() {
        wires.forEach(Wire::judgeRest);
        rules.add(
                name,
                dialogue,
                wires.stream().flatMap(wire -> wire.judged().stream()).collect(Collectors.toSet()),
                wires.stream().flatMap(wire -> wire.violations().stream()).toList());
        wires.forEach(Wire::close);
        link.release();
    }
}

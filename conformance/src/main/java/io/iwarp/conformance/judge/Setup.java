package io.iwarp.conformance.judge;

import io.iwarp.conformance.wire.Arrival;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.StartupFrame;
import io.iwarp.conformance.wire.Wire;

/** The start-up of MPA as the options of a run want it. */
public final class Setup {
    /** The IRD and ORD that the suite asks for. */
    public static final int DEPTH = 8;
    /** The flags A of the word with the IRD and C of the word with the ORD; B and D are the bits below. */
    public static final int UPPER = 0x8000;
    /** The flags B and D. */
    public static final int LOWER = 0x4000;
    /** The bits of a depth. */
    public static final int DEPTH_MASK = 0x3FFF;

    /** A depth that says that none is agreed on. */
    public static final int NOT_NEGOTIATED = 0x3FFF;

    private Setup() {}

    /** Returns the request of the suite. */
    public static StartupFrame request(SuiteOptions options) {
        return options.enhanced() ? enhancedRequest(options, DEPTH, DEPTH) : plainRequest(options, Bytes.NONE);
    }

    /** Returns a request of revision 1. */
    public static StartupFrame plainRequest(SuiteOptions options, byte[] privateData) {
        return StartupFrame.request(flags(options), 1, privateData);
    }

    /** Returns a request of revision 2 with these words, to which A, C and D are added if the options say so. */
    public static StartupFrame enhancedRequest(SuiteOptions options, int ird, int ord) {
        byte[] words = options.peerToPeer()
                ? StartupFrame.depths(ird | UPPER, ord | UPPER | LOWER)
                : StartupFrame.depths(ird, ord);
        return StartupFrame.request(flags(options) | StartupFrame.ENHANCED, 2, words);
    }

    /** Returns the reply of the suite to a request. */
    public static StartupFrame reply(SuiteOptions options, StartupFrame request) {
        if (!request.enhanced() || !options.enhanced()) {
            return StartupFrame.reply(flags(options), Math.min(request.revision(), options.revision()), Bytes.NONE);
        }
        int ird = request.ordWord() & DEPTH_MASK;
        int ord = request.irdWord() & DEPTH_MASK;
        int peerToPeer = request.irdWord() & UPPER;
        int kinds = request.ordWord() & (UPPER | LOWER);
        if (peerToPeer == 0) {
            return StartupFrame.reply(flags(options) | StartupFrame.ENHANCED, 2, StartupFrame.depths(ird, ord));
        }
        int kind = (kinds & UPPER) != 0 ? UPPER : kinds & LOWER;
        int send = kind == 0 ? request.irdWord() & LOWER : 0;
        return StartupFrame.reply(
                flags(options) | StartupFrame.ENHANCED,
                2,
                StartupFrame.depths(
                        Math.max(ird, 1) | peerToPeer | send, ord | (kind == 0 && send == 0 ? UPPER : kind)));
    }

    private static int flags(SuiteOptions options) {
        return (options.markers() ? StartupFrame.MARKERS : 0) | (options.crc() ? StartupFrame.CRC : 0);
    }

    /** Returns how many Reads of the peer may be unanswered: what the frames of both sides allow. */
    private static int mostReads(StartupFrame own, StartupFrame peers, boolean initiator) {
        if (!own.enhanced() || !peers.enhanced()) {
            return Integer.MAX_VALUE;
        }
        int depth = own.irdWord() & DEPTH_MASK;
        int most = depth == NOT_NEGOTIATED ? Integer.MAX_VALUE : depth;
        int asked = peers.ordWord() & DEPTH_MASK;
        return initiator && asked != NOT_NEGOTIATED ? Math.min(most, asked) : most;
    }

    static void begin(Wire wire, StartupFrame request, StartupFrame reply, boolean initiator) {
        StartupFrame own = initiator ? request : reply;
        StartupFrame peers = initiator ? reply : request;
        wire.enterFullOperation(
                peers.has(StartupFrame.MARKERS),
                own.has(StartupFrame.MARKERS),
                own.has(StartupFrame.CRC) || peers.has(StartupFrame.CRC),
                initiator,
                mostReads(own, peers, initiator));
    }

    /** Returns the reply that came. */
    public static StartupFrame requireReply(Arrival arrival) throws CaseFailed {
        StartupFrame frame = arrival.frame();
        if (frame == null || !frame.isReply()) {
            throw new CaseFailed(arrival.describe(), "an MPA Reply", arrival.entry(), 0);
        }
        if (frame.has(StartupFrame.REJECTED)) {
            throw new CaseFailed("a rejection", "an MPA Reply with R=0", arrival.entry(), StartupFrame.KEY);
        }
        return frame;
    }

    /** Returns the request that came. */
    public static StartupFrame requireRequest(Arrival arrival) throws CaseFailed {
        StartupFrame frame = arrival.frame();
        if (frame == null || !frame.isRequest()) {
            throw new CaseFailed(arrival.describe(), "an MPA Request", arrival.entry(), 0);
        }
        return frame;
    }
}

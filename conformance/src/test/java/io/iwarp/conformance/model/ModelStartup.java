package io.iwarp.conformance.model;

import io.iwarp.conformance.judge.Setup;
import io.iwarp.conformance.wire.Bytes;
import io.iwarp.conformance.wire.StartupFrame;
import java.io.EOFException;
import java.io.IOException;
import java.io.PushbackInputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Set;

/** The start-up of the model peer, right but for the faults that are planted. */
final class ModelStartup {
    private static final int NOT_NEGOTIATED = 0x3FFF;
    private static final int MAX_DEPTH = 16;
    /** How long an impatient peer waits. */
    static final int IMPATIENCE_MILLIS = 20;

    private final Socket socket;
    private final PushbackInputStream in;
    private final Set<Fault> faults;
    private final boolean markers;

    ModelStartup(Socket socket, Set<Fault> faults, boolean markers) throws IOException {
        this.socket = socket;
        in = new PushbackInputStream(socket.getInputStream());
        this.faults = faults;
        this.markers = markers;
    }

    /** The connection is refused. */
    static final class Refused extends IOException {
        private static final long serialVersionUID = 1;

        Refused(String reason) {
            super(reason);
        }
    }

    /** Both frames. */
    record Agreement(StartupFrame request, StartupFrame reply) {}

    Agreement respond() throws IOException {
        if (faults.contains(Fault.SPEAKS_FIRST)) {
            speakFirst();
        }
        StartupFrame request = read();
        if (!keyIsRight(request, StartupFrame.request(0, 1, Bytes.NONE), Fault.KEY_BYTE_UNCHECKED, 7)) {
            throw new Refused("key");
        }
        boolean revisionIsRight = request.revision() == 1
                || request.revision() == 2
                || (request.revision() == 3 && faults.contains(Fault.REVISION_UNCHECKED));
        boolean reserved = request.revision() == 1 && (request.flags() & 4) != 0;
        if (!revisionIsRight
                || (reserved && faults.contains(Fault.RESERVED_FLAG_REFUSED))
                || (request.has(StartupFrame.REJECTED) && faults.contains(Fault.REJECTED_BIT_REFUSED))) {
            throw new Refused("flags or revision");
        }
        boolean enhanced = request.revision() >= 2 && request.has(StartupFrame.ENHANCED);
        if (enhanced && !request.enhanced() && !faults.contains(Fault.ENHANCED_SHORT_TAKEN)) {
            throw new Refused("four bytes");
        }
        if (in.available() > 0) {
            throw new Refused("trailing bytes");
        }
        StartupFrame reply = reply(request);
        socket.getOutputStream().write(reply.encode());
        return new Agreement(request, reply);
    }

    private void speakFirst() throws IOException {
        socket.setSoTimeout(IMPATIENCE_MILLIS);
        try {
            int first = in.read();
            if (first >= 0) {
                in.unread(first);
            }
        } catch (SocketTimeoutException e) {
            socket.getOutputStream().write(0);
        }
        socket.setSoTimeout(0);
    }

    private StartupFrame reply(StartupFrame request) {
        int flags = (faults.contains(Fault.CRC_LEFT_OUT) ? 0 : StartupFrame.CRC) | (markers ? StartupFrame.MARKERS : 0);
        if (faults.contains(Fault.RESERVED_FLAGS_ECHOED)) {
            flags |= request.flags() & 0x0F;
        }
        boolean unasked = faults.contains(Fault.ENHANCED_UNASKED) && request.revision() == 2 && !request.enhanced();
        if (unasked) {
            return StartupFrame.reply(flags | StartupFrame.ENHANCED, 2, StartupFrame.depths(1, 1));
        }
        if (!request.enhanced()) {
            return StartupFrame.reply(flags, Math.min(2, request.revision()), Bytes.NONE);
        }
        return StartupFrame.reply(flags | StartupFrame.ENHANCED, 2, words(request));
    }

    private byte[] words(StartupFrame request) {
        int askedIrd = request.irdWord() & Setup.DEPTH_MASK;
        int askedOrd = request.ordWord() & Setup.DEPTH_MASK;
        boolean irdOpen = askedOrd == NOT_NEGOTIATED && !faults.contains(Fault.IRD_AGREED_UNASKED);
        boolean ordOpen = askedIrd == NOT_NEGOTIATED && !faults.contains(Fault.ORD_AGREED_UNASKED);
        int ird = irdOpen ? NOT_NEGOTIATED : MAX_DEPTH;
        int least = faults.contains(Fault.ORD_TOO_HIGH) ? 1 : 0;
        int ord = ordOpen ? NOT_NEGOTIATED : Math.max(least, Math.min(MAX_DEPTH, askedIrd));
        boolean asked = (request.irdWord() & Setup.UPPER) != 0;
        boolean unasked =
                faults.contains(Fault.PEER_TO_PEER_UNASKED) && (request.ordWord() & Setup.UPPER) != 0 && !asked;
        if (!asked && !unasked) {
            return StartupFrame.depths(ird, ord);
        }
        boolean onlySend =
                (request.irdWord() & Setup.LOWER) != 0 && (request.ordWord() & (Setup.UPPER | Setup.LOWER)) == 0;
        if (onlySend && faults.contains(Fault.NO_KIND_OFFERED)) {
            return StartupFrame.depths(ird | Setup.UPPER, ord);
        }
        int kinds = request.ordWord() & (Setup.UPPER | Setup.LOWER);
        return StartupFrame.depths(ird | Setup.UPPER, ord | (kinds == 0 ? Setup.UPPER : kinds));
    }

    Agreement initiate(boolean enhanced) throws IOException {
        int flags = StartupFrame.CRC | (markers ? StartupFrame.MARKERS : 0) | (enhanced ? StartupFrame.ENHANCED : 0);
        if (faults.contains(Fault.REQUEST_WITH_REJECTED_BIT)) {
            flags |= StartupFrame.REJECTED;
        }
        if (faults.contains(Fault.REQUEST_WITH_RESERVED_FLAGS)) {
            flags |= 2;
        }
        int kinds = faults.contains(Fault.KINDS_WITHOUT_PEER_TO_PEER) ? Setup.UPPER : 0;
        StartupFrame request = StartupFrame.request(
                flags, enhanced ? 2 : 1, enhanced ? StartupFrame.depths(4, 4 | kinds) : Bytes.NONE);
        socket.getOutputStream().write(request.encode());
        if (faults.contains(Fault.DOES_NOT_WAIT_FOR_REPLY)) {
            speakFirst();
        }
        StartupFrame reply = read();
        boolean revisionIsRight = reply.revision() == request.revision()
                || (reply.revision() == 3 && faults.contains(Fault.REPLY_REVISION_UNCHECKED));
        boolean enhancedIsRight = !enhanced || reply.enhanced();
        boolean rejected = reply.has(StartupFrame.REJECTED) && !faults.contains(Fault.GOES_ON_AFTER_REJECTION);
        if (!keyIsRight(reply, StartupFrame.reply(0, 1, Bytes.NONE), Fault.REPLY_KEY_BYTE_UNCHECKED, 9)
                || !revisionIsRight
                || !enhancedIsRight
                || rejected) {
            throw new Refused("reply");
        }
        return new Agreement(request, reply);
    }

    private boolean keyIsRight(StartupFrame frame, StartupFrame right, Fault fault, int unchecked) {
        for (int i = 0; i < StartupFrame.KEY; i++) {
            if (frame.key()[i] != right.key()[i] && !(i == unchecked && faults.contains(fault))) {
                return false;
            }
        }
        return true;
    }

    private StartupFrame read() throws IOException {
        byte[] header = readFully(StartupFrame.HEADER);
        int length = Bytes.u16(header, 18);
        boolean unlimited =
                faults.contains(Fault.PRIVATE_DATA_UNLIMITED) || faults.contains(Fault.REPLY_PRIVATE_DATA_UNLIMITED);
        int limit = faults.contains(Fault.PRIVATE_DATA_LIMITED) ? 256 : unlimited ? 513 : 512;
        boolean known = StartupFrame.decode(header).isRequest()
                || StartupFrame.decode(header).isReply()
                || faults.contains(Fault.KEY_BYTE_UNCHECKED)
                || faults.contains(Fault.REPLY_KEY_BYTE_UNCHECKED);
        if (length > limit || !known) {
            throw new Refused("length or key");
        }
        return StartupFrame.decode(Bytes.join(header, readFully(length)));
    }

    private byte[] readFully(int count) throws IOException {
        byte[] all = in.readNBytes(count);
        if (all.length < count) {
            throw new EOFException();
        }
        return all;
    }
}

package io.iwarp.conformance.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the peer. Whatever waits here has a time limit: reading by the caller's, writing by one that ends the
 * connection. One thread uses it.
 */
public final class Wire implements AutoCloseable {
    private static final int CHUNK = 1 << 16;
    private static final int MAX_UNREAD = 1 << 22;
    private final Socket socket;
    private final Dialogue dialogue;
    private final WriteLimit limit;
    private final InputStream in;
    private final OutputStream out;
    private final List<RuleViolation> violations = new ArrayList<>();
    /** Null before Full Operation. */
    private @Nullable RuleChecker checker;

    private byte[] unread = new byte[CHUNK];
    private int available;
    private FpduWriter writer = new FpduWriter(false, true);
    private FpduReader reader = new FpduReader(false, true);
    private final long end;
    private final long maxArrived;
    private long arrived;
    private boolean ended;

    /**
     * @param socket connected
     * @param dialogue to which everything is added
     * @param writing how long one write may take; the connection is reset then
     * @param maxArrived how many bytes may come; the rest is a flood
     * @param life after which nothing more is read, even if the peer sends bytes now and then
     */
    public Wire(Socket socket, Dialogue dialogue, Duration writing, long maxArrived, Duration life) throws IOException {
        end = System.nanoTime() + life.toNanos();
        this.maxArrived = maxArrived;
        this.socket = socket;
        this.dialogue = dialogue;
        socket.setTcpNoDelay(true);
        in = socket.getInputStream();
        out = socket.getOutputStream();
        limit = new WriteLimit(socket, writing);
    }

    /**
     * Begins Full Operation as the start-up frames agreed. From here on each message of the peer is held against the
     * rules.
     *
     * @param peerWaits whether the peer, as responder of MPA, has to wait for an FPDU
     * @param mostReads how many Reads and atomics of the peer may be unanswered
     */
    public void enterFullOperation(
            boolean sendMarkers, boolean receiveMarkers, boolean crc, boolean peerWaits, int mostReads) {
        writer = new FpduWriter(sendMarkers, crc);
        reader = new FpduReader(receiveMarkers, crc);
        checker = new RuleChecker(peerWaits, mostReads);
    }

    /**
     * Says which segment is at fault, so that a Terminate has to quote it, if it quotes any.
     *
     * @param whole whether it is a whole message: if not, RDMAP may find the error in a later segment
     */
    public void blame(Segment segment, boolean whole) {
        if (checker != null) {
            checker.blame(segment, whole);
        }
    }

    /** Returns what was wrong with anything that came so far. */
    public List<RuleViolation> violations() {
        return List.copyOf(violations);
    }

    /** Returns the rules for which something came that they judge. */
    public Set<Rule> judged() {
        return checker == null ? Set.of() : checker.judged();
    }

    /** Returns how many bytes of Full Operation were sent. */
    public long position() {
        return writer.position();
    }

    /** Sends any bytes in one write. */
    public void send(byte[] bytes, String text) throws IOException {
        dialogue.add('>', text, bytes);
        write(bytes, 0, bytes.length);
    }

    /** Sends bytes that are no FPDUs, so that nobody knows what the peer takes them for. */
    public void sendGarbage(byte[] bytes, String text) throws IOException {
        if (checker != null) {
            checker.sentGarbage();
        }
        send(bytes, text);
    }

    /** Sends bytes in two writes with a pause in between, so that TCP sends two segments. */
    public void sendCut(byte[] bytes, int cut, Duration pause, String text) throws IOException {
        dialogue.add('>', text + ", cut after byte " + cut, bytes);
        write(bytes, 0, cut);
        pause(pause);
        write(bytes, cut, bytes.length - cut);
    }

    /** Sends bytes one at a time. */
    public void sendSingly(byte[] bytes, Duration pause, String text) throws IOException {
        dialogue.add('>', text + ", byte by byte", bytes);
        for (int i = 0; i < bytes.length; i++) {
            write(bytes, i, 1);
            pause(pause);
        }
    }

    private void write(byte[] bytes, int from, int length) throws IOException {
        ScheduledFuture<?> expiry = limit.begin();
        try {
            out.write(bytes, from, length);
            out.flush();
        } finally {
            expiry.cancel(false);
        }
    }

    /** Sends a start-up frame. */
    public void send(StartupFrame frame) throws IOException {
        send(frame.encode(), frame.describe());
    }

    /** Sends a segment as an FPDU. */
    public void send(Segment segment) throws IOException {
        send(segment, FpduChange.NONE, "");
    }

    /** Sends a segment as an FPDU in which something is wrong. */
    public void send(Segment segment, FpduChange change, String remark) throws IOException {
        send(encode(segment, change), segment.describe() + remark);
    }

    /** Returns a segment as the next FPDU, which has to be sent. */
    public byte[] encode(Segment segment, FpduChange change) {
        return encode(segment.encode(), change);
    }

    /** Returns any ULPDU as the next FPDU, which has to be sent. */
    public byte[] encode(byte[] ulpdu, FpduChange change) {
        if (checker != null) {
            checker.sent(ulpdu, change.valid());
        }
        return writer.encode(ulpdu, change);
    }

    /** Lets some time pass. */
    public static void pause(Duration duration) throws InterruptedIOException {
        long end = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedIOException("interrupted");
            }
        }
    }

    /** Returns the next start-up frame, or what came instead. */
    public Arrival nextFrame(Duration patience) throws IOException {
        long deadline = deadline(patience);
        while (true) {
            int whole = StartupFrame.HEADER
                    + (available < StartupFrame.HEADER ? 0 : Bytes.u16(unread, StartupFrame.KEY + 2));
            if (available >= whole) {
                byte[] bytes = take(whole);
                StartupFrame frame = StartupFrame.decode(bytes);
                int entry = dialogue.add('<', frame.describe(), bytes);
                return new Arrival(Arrival.Kind.FRAME, frame, null, new int[0], entry);
            }
            Arrival instead = fill(deadline);
            if (instead != null) {
                return instead;
            }
        }
    }

    private long deadline(Duration patience) {
        long wanted = System.nanoTime() + patience.toNanos();
        return wanted - end > 0 ? end : wanted;
    }

    /** Returns the next segment, or what came instead. */
    public Arrival next(Duration patience) throws IOException {
        long deadline = deadline(patience);
        if (arrived >= maxArrived) {
            return Arrival.of(Arrival.Kind.FLOOD, -1);
        }
        while (true) {
            FpduReader.Fpdu fpdu = reader.decode(unread, available);
            if (fpdu != null) {
                return arrived(fpdu);
            }
            Arrival instead = fill(deadline);
            if (instead != null) {
                return instead;
            }
        }
    }

    private Arrival arrived(FpduReader.Fpdu fpdu) {
        arrived += fpdu.raw().length;
        take(fpdu.raw().length);
        boolean fits = Segment.fits(fpdu.ulpdu());
        Segment segment = fits ? Segment.decode(fpdu.ulpdu()) : null;
        int entry =
                dialogue.add('<', segment == null ? Arrival.Kind.NO_SEGMENT.text() : segment.describe(), fpdu.raw());
        judge(fpdu, segment, entry);
        return segment == null
                ? Arrival.of(Arrival.Kind.NO_SEGMENT, entry)
                : new Arrival(Arrival.Kind.SEGMENT, null, segment, fpdu.offsets(), entry);
    }

    private void judge(FpduReader.Fpdu fpdu, @Nullable Segment segment, int entry) {
        if (checker == null) {
            return;
        }
        checker.judge(fpdu.judged());
        fpdu.violations().forEach(violation -> violations.add(violation.in(entry)));
        if (segment == null) {
            checker.judge(Set.of(Rule.HEADER_IS_WHOLE));
            violations.add(RuleViolation.at(Rule.HEADER_IS_WHOLE, 0, fpdu.ulpdu().length, Segment.TAGGED_HEADER)
                    .in(entry));
            return;
        }
        for (RuleViolation violation : checker.check(segment)) {
            int offset = violation.offset() < fpdu.offsets().length
                    ? fpdu.offsets()[violation.offset()]
                    : violation.offset();
            violations.add(new RuleViolation(violation.rule(), entry, offset, violation.seen(), violation.allowed()));
        }
    }

    /** Judges what has come and was not looked at. */
    public void judgeRest() {
        if (checker == null || socket.isClosed()) {
            return;
        }
        try {
            while (in.available() > 0 || reader.decode(unread, available) != null) {
                if (next(Duration.ofMillis(1)).segment() == null) {
                    return;
                }
            }
        } catch (IOException e) {
            dialogue.remark("nothing more can be read: " + e.getMessage());
        }
    }

    /** Returns any bytes that come until the connection ends or the time is over. */
    public byte[] rest(Duration patience) throws IOException {
        long deadline = deadline(patience);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (all.size() < MAX_UNREAD) {
            all.writeBytes(take(available));
            if (fill(deadline) != null) {
                break;
            }
        }
        return all.toByteArray();
    }

    /** Returns whether the peer has ended the connection. */
    public boolean ended() {
        return ended;
    }

    /** Returns what came instead of bytes, or null if bytes came. */
    private @Nullable Arrival fill(long deadline) throws IOException {
        if (available == unread.length) {
            if (available >= MAX_UNREAD) {
                return Arrival.of(Arrival.Kind.SILENCE, remainder("bytes without an end"));
            }
            unread = Arrays.copyOf(unread, 2 * unread.length);
        }
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        try {
            socket.setSoTimeout((int) Math.max(1, left));
            int count = in.read(unread, available, unread.length - available);
            if (count < 0) {
                return end(Arrival.Kind.FIN);
            }
            available += count;
            return null;
        } catch (SocketTimeoutException e) {
            return silence();
        } catch (SocketException e) {
            return end(Arrival.Kind.RESET);
        }
    }

    private Arrival silence() {
        return Arrival.of(
                Arrival.Kind.SILENCE, available == 0 ? -1 : remainder("the beginning of something that is not whole"));
    }

    private Arrival end(Arrival.Kind kind) {
        ended = true;
        if (kind == Arrival.Kind.FIN && checker != null) {
            checker.judge(Set.of(Rule.FIN_IS_BETWEEN_FPDUS));
        }
        if (available > 0) {
            int entry = remainder("the beginning of something that is not whole");
            if (kind == Arrival.Kind.FIN && checker != null) {
                violations.add(RuleViolation.at(Rule.FIN_IS_BETWEEN_FPDUS, 0, "an end inside", "an end between FPDUs")
                        .in(entry));
            }
            available = 0;
        }
        return Arrival.of(kind, dialogue.add('<', kind.text(), Bytes.NONE));
    }

    private int remainder(String text) {
        return dialogue.add('<', text, Arrays.copyOf(unread, available));
    }

    private byte[] take(int count) {
        byte[] taken = Arrays.copyOf(unread, count);
        System.arraycopy(unread, count, unread, 0, available - count);
        available -= count;
        return taken;
    }

    /** Ends the outgoing half in order. */
    public void fin() throws IOException {
        dialogue.add('>', "the end of the connection (FIN)", Bytes.NONE);
        socket.shutdownOutput();
    }

    /** Resets the connection. */
    public void reset() throws IOException {
        dialogue.add('>', "a reset (RST)", Bytes.NONE);
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            dialogue.remark("closing: " + e.getMessage());
        }
    }
}

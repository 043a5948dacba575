package io.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.Role;
import io.iwarp.internal.mpa.Agreed;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.ReadyToReceive;
import io.iwarp.testing.Segment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;

/**
 * A peer of one {@link SimulatedStream}, which sends and receives ULPDUs on the request of the test. The stream has
 * handled an input when the call returns, so a test can distinguish immediate effects from later ones.
 */
final class ScriptedPeer implements AutoCloseable {
    final SimulatedStream end;
    private final Deque<byte[]> heldBack = new ArrayDeque<>();

    private ScriptedPeer(SimulatedStream end) {
        this.end = end;
    }

    /** The stream is the responder, and at most this number of Reads and atomics is outstanding in each direction. */
    static ScriptedPeer of(ProtectionDomain domain, RdmapSettings timeouts, int depth) {
        SimulatedStream end = new SimulatedStream(domain, timeouts);
        end.established(Agreed.plain(Role.RESPONDER, 1024, depth));
        return new ScriptedPeer(end);
    }

    static ScriptedPeer of(ProtectionDomain domain) {
        return of(domain, SimulatedStream.TIMEOUTS, 16);
    }

    /** The stream is the initiator of a peer-to-peer set-up, and begins with a ready-to-receive message. */
    static ScriptedPeer ofInitiator(ProtectionDomain domain, RdmapSettings timeouts, ReadyToReceive first) {
        SimulatedStream end = new SimulatedStream(domain, timeouts);
        end.established(Agreed.enhanced(Role.INITIATOR, 1024, 16, first));
        return new ScriptedPeer(end);
    }

    ScriptedPeer sends(Segment... segments) {
        for (Segment segment : segments) {
            sends(segment.ulpdu());
        }
        return this;
    }

    ScriptedPeer sends(byte[] ulpdu) {
        heldBack.add(ulpdu);
        readsOn();
        return this;
    }

    /** What was held back comes again. */
    void readsOn() {
        while (!heldBack.isEmpty() && end.take(heldBack.peek())) {
            heldBack.remove();
        }
    }

    /** Sends the response to a Read or atomic. */
    void responds(byte[] request, int atomicMsn) {
        ByteBuffer header = ByteBuffer.wrap(request);
        if ((request[1] & 0xf) == 1) {
            sends(Segment.readResponse(header.getInt(18), header.getLong(22), new byte[header.getInt(30)]));
        } else {
            sends(Segment.atomicResponse(atomicMsn, header.getInt(22), 0));
        }
    }

    /** Closes its half. */
    void finishes() {
        end.takeFinish();
    }

    /** Closes the connection. */
    void disconnects() {
        end.disconnect();
    }

    /** The next ULPDU, which the stream has sent already. */
    byte[] hears() {
        end.transmit();
        assertThat(end.wire).as("what the stream has sent").isNotEmpty();
        return end.wire.remove();
    }

    int hearsOpcode() {
        return hears()[1] & 0xf;
    }

    /** Returns whether nothing was sent that was not heard. */
    boolean hearsNothing() {
        end.transmit();
        return end.wire.isEmpty();
    }

    /** Returns whether FIN was sent, and nothing before it that was not heard. */
    boolean hearsFinish() {
        return hearsNothing() && end.finished();
    }

    /** The next message is this Terminate; then comes FIN and nothing else. */
    void receivesTerminate(String content) {
        assertThat(HexFormat.of().formatHex(hears()))
                .isEqualTo(HexFormat.of().formatHex(Segment.terminate(content).ulpdu()));
        assertThat(hearsFinish()).as("FIN, and nothing between").isTrue();
    }

    void pass(Duration time) {
        end.pass(time);
    }

    /** Returns why the stream ended, which it has reported once. */
    CloseReason reason() {
        assertThat(end.ended).as("ends").hasSize(1);
        return end.ended.get(0);
    }

    @Override
    public void close() {
        end.disconnect();
        end.association.close();
    }
}

package io.iwarp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.internal.ProtocolFault;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CloseReasonTest {
    @Test
    void reasonTextHasCauseAndRemedy() {
        CloseReason reason =
                new CloseReason(EndedBy.PEER_TERMINATE, ProtocolError.DDP_UNTAGGED_NO_BUFFER, "queue 0, MSN 17", null);

        assertThat(reason)
                .hasToString("the peer terminated the stream: queue 0, MSN 17; a Send found no receive, or a Read"
                        + " exceeded the IRD; post more receives before the peer sends, or lower the reader's ord"
                        + " (Untagged Buffer Error / Invalid Message Sequence Number - no buffer available,"
                        + " 0x1/0x2/0x02)");
    }

    @Test
    void aReasonWithoutErrorNumberNamesItsCause() {
        CloseReason reason = new CloseReason(EndedBy.TRANSPORT, null, "", new IOException("Connection reset"));

        assertThat(reason).hasToString("the connection failed, caused by java.io.IOException: Connection reset");
    }

    /** The detail that the layers above add would hide it. */
    @Test
    void tlsFailureComesFirstInTheText() {
        SSLException refused = new SSLException("certificate expired");
        assertThat(new CloseReason(EndedBy.TRANSPORT, ProtocolError.MPA_CONNECTION_LOST, "during start-up", refused))
                .hasToString("TLS failed: certificate expired; during start-up");
        assertThat(new CloseReason(EndedBy.TRANSPORT, null, "lost: certificate expired", refused))
                .hasToString("TLS failed: certificate expired");
    }

    @Test
    void aCauseThatTheDetailNamesIsNotNamedTwice() {
        IOException reset = new IOException("Connection reset");
        assertThat(new CloseReason(EndedBy.TRANSPORT, null, "while reading: " + reset, reset))
                .hasToString("the connection failed: while reading: java.io.IOException: Connection reset");
        assertThat(new CloseReason(EndedBy.TRANSPORT, null, "could not connect: Connection reset", reset))
                .hasToString("the connection failed: could not connect: Connection reset");
    }

    @ParameterizedTest
    @EnumSource
    void everyEndHasASentence(EndedBy endedBy) {
        assertThat(new CloseReason(endedBy, null, "", null).toString()).contains(" ");
    }

    @Test
    void localFaultBecomesALocalReason() {
        ProtocolFault fault = new ProtocolFault(ProtocolError.MPA_CRC_MISMATCH, "got 1, computed 2");

        assertThat(fault.closeReason())
                .isEqualTo(new CloseReason(
                        EndedBy.LOCAL_FAULT, ProtocolError.MPA_CRC_MISMATCH, "got 1, computed 2", null));
    }

    @Test
    void lostConnectionNamesTheTransportsError() {
        IOException cause = new IOException("Connection reset");
        ProtocolFault fault = new ProtocolFault(ProtocolError.MPA_CONNECTION_LOST, "while receiving", cause);

        assertThat(fault.closeReason())
                .isEqualTo(new CloseReason(
                        EndedBy.TRANSPORT, ProtocolError.MPA_CONNECTION_LOST, "while receiving", cause));
    }

    /** The table of {@link CloseReason#mayRetry}. */
    @ParameterizedTest
    @CsvSource({
        "TRANSPORT, , true",
        "TRANSPORT, MPA_CONNECTION_LOST, true",
        "TIMEOUT, , true",
        "PEER_CLOSED, , true",
        "PEER_CLOSED, MPA_CONNECTION_LOST, true",
        "PEER_TERMINATE, RDMAP_LOCAL_CATASTROPHIC, true",
        "PEER_TERMINATE, RDMAP_GLOBAL_CATASTROPHIC, true",
        "PEER_TERMINATE, DDP_LOCAL_CATASTROPHIC, true",
        "PEER_TERMINATE, MPA_LOCAL_CATASTROPHIC, true",
        "LOCAL_FAULT, DDP_LOCAL_CATASTROPHIC, false",
        "LOCAL_FAULT, RDMAP_LOCAL_CATASTROPHIC, false",
        "PEER_TERMINATE, , false",
        "PEER_TERMINATE, RDMAP_INVALID_STAG, false",
        "PEER_TERMINATE, RDMAP_STREAM_CATASTROPHIC, false",
        "LOCAL_FAULT, MPA_CRC_MISMATCH, false",
        "PEER_REJECTED, , false",
        "LOCAL_APPLICATION, , false"
    })
    void mayRetryTransientReasons(EndedBy endedBy, @Nullable ProtocolError error, boolean mayRetry) {
        assertThat(new CloseReason(endedBy, error, "", null).mayRetry()).isEqualTo(mayRetry);
        assertThat(new CloseReason(endedBy, error, "", new SSLException("lost")).mayRetry())
                .isEqualTo(mayRetry);
        SSLException refused = new SSLException("refused", new SSLHandshakeException("untrusted"));
        assertThat(new CloseReason(endedBy, error, "", new IOException(refused)).mayRetry())
                .isFalse();
    }

    @Test
    void exceptionsCarryTheReasonAndItsSentence() {
        IOException cause = new IOException("Broken pipe");
        CloseReason reason = new CloseReason(EndedBy.TRANSPORT, null, "while sending", cause);

        ConnectionClosedException ended = new ConnectionClosedException(reason);
        assertThat(ended).hasMessage(reason.toString()).hasCause(cause);
        assertThat(ended.reason()).isSameAs(reason);
    }

    @Test
    void theExceptionForARefusalKeepsItsOwnCopyOfThePrivateData() {
        byte[] privateData = {1, 2, 3};
        ConnectionRejectedException rejected = new ConnectionRejectedException(privateData);
        privateData[0] = 9;
        rejected.privateData()[1] = 9;

        assertThat(rejected.privateData()).containsExactly(1, 2, 3);
        assertThat(rejected).isInstanceOf(IwarpException.class).hasMessageContaining("3 bytes of private data");
    }

    @Test
    void rejectionShowsPrivateDataOnlyIfText() {
        assertThat(rejection("no memory is left for Zoë"))
                .hasMessage("the peer rejected the connection: no memory is left for Zoë");
        assertThat(new ConnectionRejectedException(new byte[0]))
                .hasMessage("the peer rejected the connection: no reason given");
        assertThat(rejection("two\nlines")).hasMessageEndingWith(": 9 bytes of private data, which are not text");
        assertThat(new ConnectionRejectedException(new byte[] {(byte) 0xC3, 'a'}))
                .hasMessageEndingWith(": 2 bytes of private data, which are not text");
    }

    private static ConnectionRejectedException rejection(String text) {
        return new ConnectionRejectedException(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    @SuppressWarnings("NullAway") // the nulls are what the test is about
    void partsThatMustBeThereAreDemanded() {
        assertThatThrownBy(() -> new CloseReason(null, null, "", null)).hasMessage("endedBy");
        assertThatThrownBy(() -> new CloseReason(EndedBy.TIMEOUT, null, null, null))
                .hasMessage("detail");
        assertThatThrownBy(() -> new ProtocolFault(null, "")).hasMessage("error");
        assertThatThrownBy(() -> new ProtocolFault(ProtocolError.MPA_CRC_MISMATCH, null))
                .hasMessage("detail");
    }
}

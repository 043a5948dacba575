package io.iwarp.internal.mpa;

import io.netty.buffer.ByteBuf;

/** The layer above MPA, which takes the ULPDUs of the peer. Called on the event loop of the stream. */
@FunctionalInterface
public interface UlpduReceiver {

    /**
     * Takes one ULPDU: complete, CRC and markers checked, markers removed (RFC 5044 section 4.3).
     *
     * @param buffer contains the ULPDU in one piece. MPA owns it, and its content is valid only during the call. The
     *     receiver does not release, retain or change it, and uses only the bytes of the range.
     * @param index the index of the first byte of the ULPDU
     * @param length the length in bytes, the ULPDU_Length of the peer, 0 to 65535
     * @return whether the ULPDU was taken. If not, the input stalls: MPA keeps the ULPDU and everything after it, and
     *     stops reading from the transport. It passes the same ULPDU again when a {@code read} comes down the pipeline.
     */
    boolean receive(ByteBuf buffer, int index, int length);
}

package io.iwarp.internal.mpa;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An MPA Request or Reply Frame, the two frames of the start-up (RFC 5044 section 7.1.1). {@link MpaFrameLayout} shows
 * it. Immutable; the private data is copied in and out.
 */
sealed interface MpaFrame {

    /** Returns M: whether the sender of this frame requires markers in the FPDUs it receives. */
    boolean markers();

    /** Returns C: whether the sender of this frame requests CRCs, in both directions. */
    boolean crc();

    /** Returns S: whether the private data begins with {@link EnhancedSetup}. Never true below revision 2. */
    boolean enhanced();

    /** Returns the MPA revision, 0 to 255. */
    int revision();

    /** Returns a copy of the private data, 0 to 512 bytes, {@link EnhancedSetup} included if {@link #enhanced()}. */
    byte[] privateData();

    /** Returns the set-up data at the beginning of the private data, or null if not {@link #enhanced()}. */
    default @Nullable EnhancedSetup setup() {
        return enhanced() ? EnhancedSetup.decode(Unpooled.wrappedBuffer(privateData())) : null;
    }

    /** Returns a copy of the ULP's private data, 0 to 512 bytes, without the {@link #setup()}. */
    default byte[] ulpPrivateData() {
        byte[] all = privateData();
        return enhanced() ? Arrays.copyOfRange(all, EnhancedSetup.LENGTH, all.length) : all;
    }

    /** Returns the bytes this frame takes on the wire, 20 to 532. */
    int length();

    /**
     * Appends this frame to {@code out}, reserved bits zero. The caller keeps {@code out}.
     *
     * @throws IndexOutOfBoundsException if {@code out} cannot grow by {@link #length()} bytes
     */
    void encode(ByteBuf out);

    /**
     * Reads one whole frame from {@code in} and moves its reader index after it. Reserved bits, R in a Request Frame,
     * and S below revision 2 are ignored. Any revision is accepted. The caller keeps {@code in}.
     *
     * @throws IllegalArgumentException if the bytes are not one whole frame: a key that is neither, PD_Length above 512
     *     or, with S, below 4, or fewer bytes than the frame needs. The reader index has not moved then.
     */
    static MpaFrame decode(ByteBuf in) {
        int index = in.readerIndex();
        int available = in.readableBytes();
        if (available < MpaFrameLayout.HEADER_LENGTH) {
            throw new IllegalArgumentException(
                    "an MPA start-up frame has at least " + MpaFrameLayout.HEADER_LENGTH + " bytes, got " + available);
        }
        boolean reply = MpaFrameLayout.hasReplyKey(in, index);
        if (!reply && !MpaFrameLayout.hasRequestKey(in, index)) {
            throw new IllegalArgumentException("the key is neither that of an MPA Request Frame nor of a Reply Frame");
        }
        int length = MpaFrameLayout.privateDataLength(in, index);
        byte[] privateData = new byte[checkedPrivateDataLength(length, available - MpaFrameLayout.HEADER_LENGTH)];
        int flags = MpaFrameLayout.flags(in, index);
        int revision = MpaFrameLayout.revision(in, index);
        checkHeader(MpaFrameLayout.enhanced(flags, revision), revision, length);
        in.skipBytes(MpaFrameLayout.HEADER_LENGTH).readBytes(privateData);
        boolean markers = (flags & MpaFrameLayout.FLAG_MARKERS) != 0;
        boolean crc = (flags & MpaFrameLayout.FLAG_CRC) != 0;
        boolean enhanced = MpaFrameLayout.enhanced(flags, revision);
        if (!reply) {
            return new Request(markers, crc, enhanced, revision, privateData);
        }
        boolean rejected = (flags & MpaFrameLayout.FLAG_REJECTED) != 0;
        return new Reply(markers, crc, rejected, enhanced, revision, privateData);
    }

    private static int checkedPrivateDataLength(int length, int available) {
        if (length > MpaFrameLayout.MAX_PRIVATE_DATA) {
            throw new IllegalArgumentException(
                    "PD_Length is " + length + " bytes (expected: 0 to " + MpaFrameLayout.MAX_PRIVATE_DATA + ")");
        }
        if (length > available) {
            throw new IllegalArgumentException(
                    "PD_Length is " + length + " bytes, but only " + available + " follow the header");
        }
        return length;
    }

    private static void checkHeader(boolean enhanced, int revision, int privateDataLength) {
        if (revision < 0 || revision > MpaFrameLayout.MAX_REVISION) {
            throw new IllegalArgumentException(
                    "revision is " + revision + " (expected: 0 to " + MpaFrameLayout.MAX_REVISION + ")");
        }
        if (enhanced && revision < MpaFrameLayout.FIRST_ENHANCED_REVISION) {
            throw new IllegalArgumentException("the S bit needs revision " + MpaFrameLayout.FIRST_ENHANCED_REVISION
                    + " or later, got revision " + revision);
        }
        if (enhanced && privateDataLength < EnhancedSetup.LENGTH) {
            throw new IllegalArgumentException("with the S bit the private data has at least " + EnhancedSetup.LENGTH
                    + " bytes, got " + privateDataLength);
        }
    }

    private static void encodeFields(ByteBuf out, int flags, int revision, byte[] privateData) {
        out.writeByte(flags);
        out.writeByte(revision);
        out.writeShort(privateData.length);
        out.writeBytes(privateData);
    }

    private static int flags(boolean markers, boolean crc, boolean enhanced) {
        return (markers ? MpaFrameLayout.FLAG_MARKERS : 0)
                | (crc ? MpaFrameLayout.FLAG_CRC : 0)
                | (enhanced ? MpaFrameLayout.FLAG_ENHANCED : 0);
    }

    /**
     * An MPA Request Frame, the initiator's.
     *
     * @param markers M: whether the initiator requires markers in the FPDUs it receives
     * @param crc C: whether the initiator requests CRCs, in both directions
     * @param enhanced S: whether the private data begins with {@link EnhancedSetup}
     * @param revision the MPA revision, 0 to 255
     * @param privateData the private data, 0 to 512 bytes
     */
    @SuppressWarnings("ArrayRecordComponent") // copied in and out, compared by content
    record Request(boolean markers, boolean crc, boolean enhanced, int revision, byte[] privateData)
            implements MpaFrame {

        /**
         * Checks the fields and copies the private data.
         *
         * @throws IllegalArgumentException if the revision or the length of the private data is out of its range, or
         *     {@code enhanced} is set below revision 2 or with less than four bytes of private data
         */
        public Request {
            checkHeader(enhanced, revision, privateData.length);
            privateData = MpaFrameLayout.copyOfPrivateData(privateData);
        }

        @Override
        public byte[] privateData() {
            return privateData.clone();
        }

        @Override
        public int length() {
            return MpaFrameLayout.HEADER_LENGTH + privateData.length;
        }

        @Override
        public void encode(ByteBuf out) {
            MpaFrameLayout.writeRequestKey(out);
            encodeFields(out, flags(markers, crc, enhanced), revision, privateData);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Request that
                    && markers == that.markers
                    && crc == that.crc
                    && enhanced == that.enhanced
                    && revision == that.revision
                    && Arrays.equals(privateData, that.privateData);
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(privateData) + flags(markers, crc, enhanced) + revision;
        }

        @Override
        public String toString() {
            return "MPA Request[M=" + markers + ", C=" + crc + ", S=" + enhanced + ", Rev=" + revision + ", PD_Length="
                    + privateData.length + "]";
        }
    }

    /**
     * An MPA Reply Frame, the responder's.
     *
     * @param markers M: whether the responder requires markers in the FPDUs it receives
     * @param crc C: whether the responder requests CRCs, in both directions
     * @param rejected R: whether the responder rejects the connection
     * @param enhanced S: whether the private data begins with {@link EnhancedSetup}
     * @param revision the MPA revision, 0 to 255
     * @param privateData the private data, 0 to 512 bytes
     */
    @SuppressWarnings("ArrayRecordComponent") // copied in and out, compared by content
    record Reply(boolean markers, boolean crc, boolean rejected, boolean enhanced, int revision, byte[] privateData)
            implements MpaFrame {

        /**
         * Checks the fields and copies the private data.
         *
         * @throws IllegalArgumentException if the revision or the length of the private data is out of its range, or
         *     {@code enhanced} is set below revision 2 or with less than four bytes of private data
         */
        public Reply {
            checkHeader(enhanced, revision, privateData.length);
            privateData = MpaFrameLayout.copyOfPrivateData(privateData);
        }

        @Override
        public byte[] privateData() {
            return privateData.clone();
        }

        @Override
        public int length() {
            return MpaFrameLayout.HEADER_LENGTH + privateData.length;
        }

        @Override
        public void encode(ByteBuf out) {
            MpaFrameLayout.writeReplyKey(out);
            int flags = flags(markers, crc, enhanced) | (rejected ? MpaFrameLayout.FLAG_REJECTED : 0);
            encodeFields(out, flags, revision, privateData);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Reply that
                    && markers == that.markers
                    && crc == that.crc
                    && rejected == that.rejected
                    && enhanced == that.enhanced
                    && revision == that.revision
                    && Arrays.equals(privateData, that.privateData);
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(privateData) + flags(markers, crc, enhanced) + (rejected ? 1 : 0) + revision;
        }

        @Override
        public String toString() {
            return "MPA Reply[M=" + markers + ", C=" + crc + ", R=" + rejected + ", S=" + enhanced + ", Rev=" + revision
                    + ", PD_Length=" + privateData.length + "]";
        }
    }
}

package io.iwarp.internal.mpa;

import io.iwarp.mpa.MpaParameters;
import io.iwarp.mpa.ReadyToReceive;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The enhanced connection set-up data, the first four bytes of the private data of a frame with the S bit (RFC 6581,
 * section 9), in network byte order.
 *
 * <pre>
 *      0                   1                   2                   3
 *      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  0  |A|B|        IRD                |C|D|        ORD                |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>"RTR" is the ready-to-receive message an initiator sends first in the peer-to-peer model.
 */
public final class EnhancedSetup {

    /** Bytes of the set-up data. */
    public static final int LENGTH = 4;

    /** The largest depth that can be negotiated. */
    public static final int MAX_DEPTH = 0x3FFE;

    /** Maximum length of the ULP's private data in a frame with set-up data, in bytes. */
    public static final int MAX_ULP_PRIVATE_DATA = MpaFrameLayout.MAX_PRIVATE_DATA - LENGTH;

    private static final int DEPTH_MASK = 0x3FFF;
    private static final int FIRST_FLAG = 0x8000;
    private static final int SECOND_FLAG = 0x4000;

    private final boolean peerToPeer;
    private final boolean sendRtr;
    private final int ird;
    private final boolean writeRtr;
    private final boolean readRtr;
    private final int ord;

    /** Creates the set-up data; the arguments are in the order of the wire: A, B, IRD, C, D, ORD. */
    EnhancedSetup(boolean peerToPeer, boolean sendRtr, int ird, boolean writeRtr, boolean readRtr, int ord) {
        checkDepth("IRD", ird);
        checkDepth("ORD", ord);
        if (!peerToPeer && (sendRtr || writeRtr || readRtr)) {
            throw new IllegalArgumentException("an RTR kind (B, C or D) needs the peer-to-peer model (A)");
        }
        this.peerToPeer = peerToPeer;
        this.sendRtr = sendRtr;
        this.ird = ird;
        this.writeRtr = writeRtr;
        this.readRtr = readRtr;
        this.ord = ord;
    }

    /**
     * Returns A: whether the peer-to-peer connection model, in which an RTR message is sent, is asked for or in use.
     */
    public boolean peerToPeer() {
        return peerToPeer;
    }

    /** Returns the inbound RDMA Read queue depth, 0 to 16382, or {@link MpaParameters#NOT_NEGOTIATED}. */
    public int ird() {
        return ird;
    }

    /** Returns the outbound RDMA Read queue depth, 0 to 16382, or {@link MpaParameters#NOT_NEGOTIATED}. */
    public int ord() {
        return ord;
    }

    /**
     * Returns set-up data with these RTR kinds.
     *
     * @param peerToPeer A: the peer-to-peer connection model
     * @param readyToReceive B, C and D: the kinds of RTR message; ignored unless {@code peerToPeer}
     * @param ird inbound RDMA Read queue depth, 0 to 16382, or {@link MpaParameters#NOT_NEGOTIATED}
     * @param ord outbound RDMA Read queue depth, 0 to 16382, or {@link MpaParameters#NOT_NEGOTIATED}
     * @throws IllegalArgumentException if a depth is out of its range
     */
    static EnhancedSetup of(boolean peerToPeer, Set<ReadyToReceive> readyToReceive, int ird, int ord) {
        return new EnhancedSetup(
                peerToPeer,
                peerToPeer && readyToReceive.contains(ReadyToReceive.SEND),
                ird,
                peerToPeer && readyToReceive.contains(ReadyToReceive.WRITE),
                peerToPeer && readyToReceive.contains(ReadyToReceive.READ),
                ord);
    }

    /** Returns B, C and D as a set of RTR kinds, unmodifiable; it is empty without {@link #peerToPeer()}. */
    public Set<ReadyToReceive> readyToReceive() {
        EnumSet<ReadyToReceive> kinds = EnumSet.noneOf(ReadyToReceive.class);
        if (writeRtr) {
            kinds.add(ReadyToReceive.WRITE);
        }
        if (readRtr) {
            kinds.add(ReadyToReceive.READ);
        }
        if (sendRtr) {
            kinds.add(ReadyToReceive.SEND);
        }
        return Collections.unmodifiableSet(kinds);
    }

    /**
     * Returns a copy of the ULP's private data for a frame.
     *
     * @param enhanced whether the frame is enhanced: then the set-up data takes four of the bytes
     * @throws IllegalArgumentException if it has more than 512 bytes, or 508 in an enhanced frame
     */
    static byte[] copyOfUlpPrivateData(byte[] privateData, boolean enhanced) {
        if (enhanced && privateData.length > MAX_ULP_PRIVATE_DATA) {
            throw new IllegalArgumentException("private data has " + privateData.length + " bytes (expected: 0 to "
                    + MAX_ULP_PRIVATE_DATA + " with the enhanced set-up, RFC 6581 section 9)");
        }
        return MpaFrameLayout.copyOfPrivateData(privateData);
    }

    /** Returns the private data of a frame: these four bytes, followed by those of the ULP. */
    byte[] followedBy(byte[] ulpPrivateData) {
        byte[] privateData = new byte[LENGTH + ulpPrivateData.length];
        encode(Unpooled.wrappedBuffer(privateData).writerIndex(0));
        System.arraycopy(ulpPrivateData, 0, privateData, LENGTH, ulpPrivateData.length);
        return privateData;
    }

    /** Appends the four bytes to {@code out}, which is not released. */
    void encode(ByteBuf out) {
        out.writeShort((peerToPeer ? FIRST_FLAG : 0) | (sendRtr ? SECOND_FLAG : 0) | ird);
        out.writeShort((writeRtr ? FIRST_FLAG : 0) | (readRtr ? SECOND_FLAG : 0) | ord);
    }

    /**
     * Reads the four bytes from {@code in}. With A clear, B, C and D are ignored (RFC 6581 section 9.2). The caller
     * keeps {@code in}.
     *
     * @throws IllegalArgumentException if there are fewer than four bytes; then the reader index has not moved
     */
    public static EnhancedSetup decode(ByteBuf in) {
        if (in.readableBytes() < LENGTH) {
            throw new IllegalArgumentException(
                    "enhanced set-up data has " + LENGTH + " bytes, got " + in.readableBytes());
        }
        int first = in.readUnsignedShort();
        int second = in.readUnsignedShort();
        boolean peerToPeer = (first & FIRST_FLAG) != 0;
        return new EnhancedSetup(
                peerToPeer,
                peerToPeer && (first & SECOND_FLAG) != 0,
                first & DEPTH_MASK,
                peerToPeer && (second & FIRST_FLAG) != 0,
                peerToPeer && (second & SECOND_FLAG) != 0,
                second & DEPTH_MASK);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof EnhancedSetup that
                && peerToPeer == that.peerToPeer
                && sendRtr == that.sendRtr
                && ird == that.ird
                && writeRtr == that.writeRtr
                && readRtr == that.readRtr
                && ord == that.ord;
    }

    @Override
    public int hashCode() {
        return Objects.hash(peerToPeer, sendRtr, ird, writeRtr, readRtr, ord);
    }

    /** Returns the fields in the order of the wire, in one line. */
    @Override
    public String toString() {
        return "EnhancedSetup[peerToPeer=" + peerToPeer + ", sendRtr=" + sendRtr + ", ird=" + ird + ", writeRtr="
                + writeRtr + ", readRtr=" + readRtr + ", ord=" + ord + "]";
    }

    /** Returns a depth for people. */
    public static String depthText(int depth) {
        return depth == MpaParameters.NOT_NEGOTIATED ? "not negotiated" : Integer.toString(depth);
    }

    private static void checkDepth(String name, int depth) {
        if (depth < 0 || depth > DEPTH_MASK) {
            throw new IllegalArgumentException(name + " is " + depth + " (expected: 0 to " + MAX_DEPTH + ", or "
                    + MpaParameters.NOT_NEGOTIATED + " for not negotiated)");
        }
    }
}

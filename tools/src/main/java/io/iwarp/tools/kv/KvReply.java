package io.iwarp.tools.kv;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * The server's answer to a {@link KvPut}, big-endian:
 *
 * <pre>
 *   offset  bytes
 *        0       4  2 done, 3 the key has another version, 4 refused
 *        4       4  0
 *        8       8  number of the request
 *       16       8  version that the key has now; 0 none
 *       24     any  reason of a refusal, UTF-8
 * </pre>
 *
 * @param outcome of the put
 * @param request number of the request
 * @param version that the key has now, 0 if there is none
 * @param reason of a refusal, otherwise empty
 */
record KvReply(Outcome outcome, long request, long version, String reason) {
    /** The longest answer in bytes. */
    static final int LONGEST = 1024;

    private static final int HEAD = 2 * Integer.BYTES + 2 * Long.BYTES;

    /** How a put ended. */
    enum Outcome {
        /** The value is stored: every Read from now on finds it, or a later one. */
        DONE(2),
        /** The key does not have the version that was asked for; nothing was changed. */
        CONFLICT(3),
        /** There is no room; nothing was changed. */
        REFUSED(4);

        private final int code;

        Outcome(int code) {
            this.code = code;
        }

        private static Outcome of(int code) {
            for (Outcome outcome : values()) {
                if (outcome.code == code) {
                    return outcome;
                }
            }
            throw new IllegalArgumentException("the server answered with " + code + ", which means nothing");
        }
    }

    /** Returns the message in a heap buffer that needs no release. */
    ByteBuf encode() {
        ByteBuf out = Unpooled.buffer(HEAD, LONGEST)
                .writeInt(outcome.code)
                .writeInt(0)
                .writeLong(request)
                .writeLong(version);
        out.writeCharSequence(reason, StandardCharsets.UTF_8);
        return out;
    }

    /**
     * Reads an answer.
     *
     * @throws IllegalArgumentException if it is not a valid message
     */
    static KvReply decode(ByteBuf in) {
        if (in.readableBytes() < HEAD) {
            throw new IllegalArgumentException("the server answered with " + in.readableBytes() + " bytes, which are"
                    + " no answer: use the same version on both sides");
        }
        Outcome outcome = Outcome.of(in.readInt());
        in.skipBytes(Integer.BYTES);
        long request = in.readLong();
        long version = in.readLong();
        return new KvReply(outcome, request, version, new String(ByteBufUtil.getBytes(in), StandardCharsets.UTF_8));
    }
}

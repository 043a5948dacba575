package io.iwarp.tools.cli;

import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The application protocol of a connection. Both sides name it at the beginning of the private data of the MPA
 * start-up, so that a client of the wrong server gets an error.
 *
 * @param greeting the name of the protocol
 * @param server the server, for the error
 */
public record Application(String greeting, String server) {
    /** Returns the private data of a connection request. */
    public byte[] request() {
        return greeting.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the private data of a connection request, or an acceptance, that continues with {@code rest}. */
    public byte[] followedBy(ByteBuf rest) {
        return ByteBufUtil.getBytes(Unpooled.copiedBuffer(Unpooled.wrappedBuffer(request()), rest));
    }

    /** Returns whether a connection request is meant for this application. */
    public boolean isRequestedBy(byte[] privateData) {
        return Arrays.equals(privateData, request());
    }

    /** Returns the {@code length} bytes after the greeting of this application; null if the data is anything else. */
    public @Nullable ByteBuf rest(byte[] privateData, int length) {
        byte[] begin = request();
        boolean ours = privateData.length == begin.length + length
                && Arrays.equals(privateData, 0, begin.length, begin, 0, begin.length);
        return ours ? Unpooled.wrappedBuffer(privateData, begin.length, length) : null;
    }

    /** Rejects a connection request that is meant for another application. Returns whether it did. */
    public boolean rejectsOther(ConnectionRequest request) {
        boolean other = !isRequestedBy(request.privateData());
        if (other) {
            reject(request);
        }
        return other;
    }

    /** Rejects a connection request: it is meant for another application. */
    public void reject(ConnectionRequest request) {
        request.reject("this is " + server);
    }

    /** Returns what follows the greeting in the server's acceptance. */
    public ByteBuf restOfReply(QueuePair queuePair, int length) {
        ByteBuf rest = rest(Objects.requireNonNull(queuePair.parameters()).peerPrivateData(), length);
        if (rest == null) {
            throw new CommandFailedException("the other side accepted, but is not " + server + ": check the address");
        }
        return rest;
    }
}

package io.iwarp.tools.cli;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The application protocol of a connection. Both sides name it at the beginning of the private data of the MPA
 * start-up, so that a client of the wrong server gets an error.
 */
public enum Application {
    /** {@code Demo}: the reply continues with a {@code DemoAdvertisement}. */
    DEMO("iwarp demo 1", "the responder of a running demo"),
    /** {@code EchoServer}: the reply continues with the length of the longest message, 4 bytes. */
    ECHO("iwarp echo 1", "an echo-server, to be used by 'iwarp echo-client'"),
    /** {@code CounterServer}: the reply continues with a {@code CounterGrant}. */
    COUNTER("iwarp counter 1", "a counter-server, to be used by 'iwarp counter-client'"),
    /** {@code PerfServer}: the request continues with a {@code PerfTask}, the reply with the server's memory. */
    PERF("iwarp perf 1", "a perf server of version 1, to be used by 'iwarp perf client'"),
    /** {@code PerfServer}, asked by {@code ServerUsage}: nothing goes with the request or the reply. */
    PERF_USAGE("iwarp perf usage 1", "a perf server of version 1, to be used by 'iwarp perf client'"),
    /** {@code PerfServer}, from {@code PerfConnect}: nothing goes with the request or the reply. */
    PERF_CONNECT("iwarp perf connect 1", "a perf server of version 1, to be used by 'iwarp perf connect'"),
    /** {@code WriteServer}: nothing goes with the reply. */
    WRITE("iwarp write 1", "a write-server, to be used by 'iwarp write-client' and 'iwarp read-client'");

    private final String greeting;
    private final String server;

    Application(String greeting, String server) {
        this.greeting = greeting;
        this.server = server;
    }

    /** Returns the private data of a connection request. */
    public byte[] request() {
        return greeting.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the private data of a connection request that continues with {@code rest}. */
    public byte[] request(ByteBuf rest) {
        return reply(rest);
    }

    /** Returns the private data of an acceptance that continues with {@code rest}. */
    public byte[] reply(ByteBuf rest) {
        return ByteBufUtil.getBytes(Unpooled.copiedBuffer(Unpooled.wrappedBuffer(request()), rest));
    }

    /** Returns whether a connection request is meant for this application. */
    public boolean isRequestedBy(byte[] privateData) {
        return Arrays.equals(privateData, request());
    }

    /** Returns what follows the greeting in a connection request that is meant for this application; otherwise null. */
    @Nullable
    public ByteBuf restOfRequest(byte[] privateData, int length) {
        return isFollowedBy(privateData, length)
                ? Unpooled.wrappedBuffer(privateData, privateData.length - length, length)
                : null;
    }

    private boolean isFollowedBy(byte[] privateData, int length) {
        byte[] begin = request();
        return privateData.length == begin.length + length
                && Arrays.equals(privateData, 0, begin.length, begin, 0, begin.length);
    }

    /** Returns the private data of a rejection of another application's request. */
    public byte[] rejection() {
        return ("this is " + server).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns what follows the greeting in the private data of an acceptance. */
    public ByteBuf restOfReply(byte[] privateData, int length) throws CommandFailedException {
        if (!isFollowedBy(privateData, length)) {
            throw new CommandFailedException("the other side accepted, but is not " + server + ": check the address");
        }
        return Unpooled.wrappedBuffer(privateData, privateData.length - length, length);
    }
}

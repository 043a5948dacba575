package io.iwarp.tools.kv;

import static io.iwarp.verbs.CompareSwap.compare;

import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Completion;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * A client's connection to the cache. It executes one operation at a time and waits for it. Use several connections for
 * concurrent operations.
 *
 * <p>Keys and short values are text, in UTF-8. Each operation fails with an {@link IOException} if the connection has
 * ended, and with an {@link IllegalArgumentException} if a key or value has no allowed length.
 *
 * <p>Not thread-safe. Do not call it on an event loop.
 */
public final class KvConnection implements AutoCloseable {
    private final QueuePair queuePair;
    private final KvGrant grant;
    private final Patience patience;
    private final KvReader reader;
    private long lastRequest;

    /**
     * Takes a connection over.
     *
     * @param queuePair connected to a {@link KvService}; {@link #close} closes it
     * @param domain of the queue pair
     * @param grant that the server gave
     * @param limit how long an operation may take, more than 0
     */
    public KvConnection(QueuePair queuePair, ProtectionDomain domain, KvGrant grant, Duration limit) {
        this.queuePair = queuePair;
        this.grant = grant;
        this.patience = new Patience(limit);
        this.reader = new KvReader(queuePair, domain, grant, patience);
    }

    /**
     * Reads a value by RDMA, without the server's application, and counts a hit.
     *
     * @return the value, or nothing if there is no such key
     */
    public Optional<KvValue> get(String key) throws IOException, InterruptedException {
        KvReader.Found found = reader.find(key, bytes(key));
        if (found == null) {
            return Optional.empty();
        }
        // Do not wait: the response of the next operation arrives after this one.
        RemoteBuffer counter = grant.counter(found.place().slot());
        queuePair.fetchAdd(counter, 1);
        return Optional.of(found.value());
    }

    /**
     * Has the server store a value.
     *
     * @return the version
     * @throws KvRefusedException if the server has no room
     */
    public long put(String key, byte[] value) throws IOException, InterruptedException {
        return await(beginPut(key, value, KvPut.ANY), KvPut.ANY);
    }

    /**
     * Has the server store a value if the key has a version.
     *
     * @param expected version; 0 if the key must be new
     * @return the version that it has now
     * @throws KvConflictException if the key has another version
     * @throws KvRefusedException if the server has no room
     */
    public long put(String key, byte[] value, long expected) throws IOException, InterruptedException {
        return await(beginPut(key, value, expected), expected);
    }

    /** Sends a put and does not wait for the answer. */
    CompletableFuture<KvReply> beginPut(String key, byte[] value, long expected) {
        KvPut put = new KvPut(++lastRequest, expected, bytes(key), KvLimits.requireValue(value));
        ByteBuf answer = Unpooled.buffer(KvReply.LONGEST, KvReply.LONGEST);
        CompletableFuture<Completion> answered = queuePair.receive(answer);
        return queuePair.send(put.encode()).thenCombine(answered, (sent, received) -> KvReply.decode(answer));
    }

    private long await(CompletableFuture<KvReply> answer, long expected) throws IOException, InterruptedException {
        KvReply reply = patience.await(answer);
        return switch (reply.outcome()) {
            case DONE -> reply.version();
            case CONFLICT -> throw new KvConflictException(expected, reply.version());
            case REFUSED -> throw new KvRefusedException(reply.reason());
        };
    }

    /**
     * Replaces a value of up to 8 bytes by a CmpSwap, without the server's application, if it is the expected one.
     *
     * @return the value that was there; it was replaced if it equals {@code expected}. Nothing if there is no such key
     * @throws IllegalArgumentException if one of the values is too long for that
     * @throws IOException also if the value that is there is too long
     */
    public Optional<byte[]> compareSwap(String key, byte[] expected, byte[] replacement)
            throws IOException, InterruptedException {
        long from = word(expected);
        long to = word(replacement);
        OptionalLong slot = locate(key);
        if (slot.isEmpty()) {
            return Optional.empty();
        }
        long found = patience.await(queuePair.compareSwap(
                        grant.word(slot.getAsLong()), compare(from).swap(to)))
                .original();
        if (found == KvWord.ELSEWHERE) {
            throw new IOException("the value of the key has more than " + KvWord.LONGEST
                    + " bytes: put a new one with the version of the one that is there");
        }
        return Optional.of(KvWord.value(found));
    }

    private static long word(byte[] value) {
        if (!KvWord.fits(value)) {
            throw new IllegalArgumentException("a compare-swap takes values of up to " + KvWord.LONGEST
                    + " bytes that do not end with a zero, and this one has " + value.length);
        }
        return KvWord.of(value);
    }

    /**
     * Asks how often a key was found by clients.
     *
     * @return the number, or nothing if there is no such key
     */
    public OptionalLong hits(String key) throws IOException, InterruptedException {
        OptionalLong slot = locate(key);
        return slot.isEmpty()
                ? slot
                : OptionalLong.of(patience.await(queuePair.fetchAdd(grant.counter(slot.getAsLong()), 0))
                        .original());
    }

    private OptionalLong locate(String key) throws IOException, InterruptedException {
        KvReader.Place place = reader.remembered(key);
        if (place != null) {
            return OptionalLong.of(place.slot());
        }
        KvReader.Found found = reader.find(key, bytes(key));
        return found == null
                ? OptionalLong.empty()
                : OptionalLong.of(found.place().slot());
    }

    private static byte[] bytes(String key) {
        return KvLimits.requireKey(key.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns how often a read was repeated because of a concurrent change. Any thread may call this method. */
    public long retries() {
        return reader.retries();
    }

    /**
     * Ends the connection with a TCP reset, as if this process was killed; {@link #close} it all the same. Any thread
     * may call.
     */
    public void abort() {
        Channel channel = queuePair.channel();
        // Only the event loop closes the socket, which takes no option after that.
        channel.eventLoop().execute(() -> {
            if (channel.isActive()) {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            }
            queuePair.abort();
        });
    }

    /** Closes the connection in order, waits for it, and releases the memory. An interrupt aborts the connection. */
    @Override
    public void close() throws IOException {
        queuePair.close();
        try {
            patience.await(queuePair.closed().toCompletableFuture());
        } catch (InterruptedException e) {
            queuePair.abort();
            Thread.currentThread().interrupt();
        } finally {
            reader.close();
        }
    }
}

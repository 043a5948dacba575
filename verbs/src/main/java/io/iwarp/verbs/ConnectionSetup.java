package io.iwarp.verbs;

import io.iwarp.Role;
import io.iwarp.internal.mpa.EnhancedSetup;
import io.iwarp.internal.mpa.MpaFrameLayout;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The set-up of one connection at either end, in three steps: its protection domain and settings, which are those of
 * the server or client unless they are set here; then its {@link #queuePair}, with listeners, queues, memory for the
 * peer and receives; then its private data, which can name that memory.
 *
 * <pre>{@code
 * client.prepare(setup -> {
 *     QueuePair queuePair = setup.settings(shallow).queuePair().setCompletionQueue(queue);
 *     setup.privateData(queuePair.allocate(4096, AccessRight.REMOTE_WRITE).remoteBuffer());
 * });
 *
 * server.onRequest(request -> {
 *     request.setup().domain(domainOf(request.privateData()));
 *     request.accept();
 * });
 * }</pre>
 *
 * <p>A server gets one with each connection request, a client with each attempt to connect, including the second one
 * that follows if the peer supports only revision 1 of MPA. Any thread may use it, one at a time.
 */
public final class ConnectionSetup {
    private final Channel channel;
    private final Role role;
    private final SetupGate.@Nullable Ticket ticket;
    private final BiConsumer<QueuePairSettings, QueuePair> creationListener;
    private ProtectionDomain domain;
    private QueuePairSettings settings;
    private @Nullable MessageListener messageListener;
    private int maxMessageBytes;
    private byte[] privateData = {};
    private @Nullable QueuePair queuePair;

    /**
     * @param ticket null at an initiator
     * @param creationListener called with the queue pair and its settings, once, before it is returned
     */
    ConnectionSetup(
            Channel channel,
            Role role,
            ProtectionDomain domain,
            QueuePairSettings settings,
            SetupGate.@Nullable Ticket ticket,
            BiConsumer<QueuePairSettings, QueuePair> creationListener) {
        this.channel = channel;
        this.role = role;
        this.domain = domain;
        this.settings = settings;
        this.ticket = ticket;
        this.creationListener = creationListener;
    }

    /**
     * Sets the domain of the memory that the peer may access.
     *
     * @throws IllegalStateException if the queue pair exists
     */
    public synchronized ConnectionSetup domain(ProtectionDomain newDomain) {
        requireNoQueuePair();
        domain = Objects.requireNonNull(newDomain, "domain");
        return this;
    }

    /**
     * Sets the settings of the queue pair. At a server, {@link io.iwarp.mpa.MpaSettings#startupTimeout},
     * {@link io.iwarp.mpa.MpaSettings#start} and {@link io.iwarp.mpa.MpaSettings#revision} remain those of the server,
     * since they apply before the request.
     *
     * @throws IllegalArgumentException if they have {@code managedReceiveBytes} beside {@link #onMessage}
     * @throws IllegalStateException if the queue pair exists
     */
    public synchronized ConnectionSetup settings(QueuePairSettings newSettings) {
        requireNoQueuePair();
        if (messageListener != null) {
            withMessages(newSettings, maxMessageBytes);
        }
        settings = Objects.requireNonNull(newSettings, "settings");
        return this;
    }

    /**
     * Sets the listener for the peer's messages, instead of that of the server or client. The queue pair then takes its
     * receives from an allocator ({@link QueuePairSettings#managedReceiveBytes}). It accepts no
     * {@link QueuePair#setCompletionListener}: use the posts that return a future.
     *
     * @param maxBytes the maximum length of a message, at least 1; a longer one ends the stream
     * @throws IllegalArgumentException if the settings have {@code managedReceiveBytes} too
     * @throws IllegalStateException if the queue pair exists
     */
    public synchronized ConnectionSetup onMessage(int maxBytes, MessageListener listener) {
        requireNoQueuePair();
        withMessages(settings, maxBytes);
        messageListener = Objects.requireNonNull(listener, "listener");
        maxMessageBytes = maxBytes;
        return this;
    }

    static QueuePairSettings withMessages(QueuePairSettings settings, int maxBytes) {
        if (maxBytes < 1) {
            throw new IllegalArgumentException(
                    "maxBytes " + maxBytes + " is less than 1; set the length of the longest message");
        }
        if (settings.managedReceiveBytes() != 0) {
            throw new IllegalArgumentException("onMessage has a maximum of " + maxBytes
                    + " bytes, and the settings have managedReceiveBytes " + settings.managedReceiveBytes()
                    + "; set only one of them");
        }
        return settings.toBuilder().managedReceiveBytes(maxBytes).build();
    }

    private void requireNoQueuePair() {
        if (queuePair != null) {
            throw new IllegalStateException(
                    "the queue pair exists; set its domain and settings before the first call of queuePair()");
        }
    }

    /**
     * Returns the queue pair of the connection. The first call makes it. Set its listeners and post receives now: the
     * peer may send as soon as the connection is established.
     *
     * @throws IllegalStateException if the protection domain was closed
     */
    public synchronized QueuePair queuePair() {
        QueuePair created = queuePair;
        if (created == null) {
            MessageListener listener = messageListener;
            if (listener != null) {
                settings = withMessages(settings, maxMessageBytes);
            }
            created = new QueuePair(channel, domain, settings, role, ticket);
            queuePair = created;
            if (listener != null) {
                created.messageListener(listener);
            }
            QueuePairOfChannel.set(channel, created);
            creationListener.accept(settings, created);
        }
        return created;
    }

    /**
     * Sets what the peer gets with the connection request, or with its acceptance.
     *
     * @param bytes 0 to 512 bytes, or 0 to 508 with the enhanced set-up; copied
     * @throws IllegalArgumentException if there are more than 512
     */
    public synchronized ConnectionSetup privateData(byte[] bytes) {
        privateData = copyOf(bytes);
        return this;
    }

    static byte[] copyOf(byte[] privateData) {
        if (Objects.requireNonNull(privateData, "privateData").length > MpaFrameLayout.MAX_PRIVATE_DATA) {
            throw new IllegalArgumentException("private data has " + privateData.length + " bytes (expected: 0 to "
                    + MpaFrameLayout.MAX_PRIVATE_DATA + ", or 0 to " + EnhancedSetup.MAX_ULP_PRIVATE_DATA
                    + " with the enhanced set-up)");
        }
        return privateData.clone();
    }

    /**
     * Advertises memory to the peer, which reads it from {@link QueuePair#remoteBuffers}.
     *
     * @param first sent as private data, in the encoding of {@link RemoteBuffer}
     * @param more sent as well, at most 25 in total
     * @throws IllegalArgumentException if there are more than that
     */
    public ConnectionSetup privateData(RemoteBuffer first, RemoteBuffer... more) {
        return privateData(encode(first, more));
    }

    static byte[] encode(RemoteBuffer first, RemoteBuffer... more) {
        List<RemoteBuffer> buffers = new ArrayList<>();
        buffers.add(first);
        Collections.addAll(buffers, more);
        return RemoteBuffer.encodeAll(buffers);
    }

    synchronized byte[] privateData() {
        return privateData;
    }

    synchronized QueuePairSettings settings() {
        return settings;
    }

    synchronized ProtectionDomain domain() {
        return domain;
    }

    Channel channel() {
        return channel;
    }

    @Override
    public String toString() {
        return "ConnectionSetup[" + channel + "]";
    }
}

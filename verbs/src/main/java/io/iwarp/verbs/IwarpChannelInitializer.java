package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.Role;
import io.iwarp.ddp.DdpHandler;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.Setting;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.internal.metrics.DefaultIwarpMetrics;
import io.iwarp.internal.mpa.MpaFramingHandler;
import io.iwarp.internal.mpa.MpaStartupHandler;
import io.iwarp.internal.transport.SharedRecvByteBufAllocator;
import io.iwarp.internal.transport.TransportHandler;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.metrics.IwarpMetrics;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.StartMode;
import io.iwarp.rdmap.RdmapHandler;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.WriteBufferWaterMark;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Makes any Netty stream channel an iWARP endpoint. The order of its pipeline, from the socket on: transport handlers,
 * MPA start-up, MPA framing, DDP, RDMAP. The {@link QueuePair} is on top.
 *
 * <p>Set it as {@code Bootstrap.handler} for an initiator, or {@code ServerBootstrap.childHandler} for a responder;
 * {@link Iwarp}'s clients and servers do that themselves. One initializer serves any number of channels.
 *
 * <p>The initializer enables half-closure on the channel and, on a TCP channel, {@code TCP_NODELAY}.
 */
public final class IwarpChannelInitializer extends ChannelInitializer<Channel> {
    private static final Logger LOGGER = LoggerFactory.getLogger(IwarpChannelInitializer.class);

    private static final CloseReason CLOSED_TOO_EARLY = CloseReason.of(
            EndedBy.LOCAL_APPLICATION, "the application closed the channel before the connection was made");

    private final ProtectionDomain domain;
    private final QueuePairSettings settings;
    /** Decides about connection requests; null for an initiator. */
    private final @Nullable ConnectionRequestListener requestListener;
    /** Sets up each connection, at a responder when its request has arrived. */
    private final Consumer<ConnectionSetup> prepare;
    /** Null for an initiator, which itself limits the number of its connections. */
    private final @Nullable SetupGate setupGate;

    private final SetupObserver observer;
    private final Consumer<ChannelPipeline> transportHandlers;
    /** Whether an initiator uses revision 1 of MPA, whatever the settings say. */
    private final boolean revision1Only;

    private IwarpChannelInitializer(
            ProtectionDomain domain,
            QueuePairSettings settings,
            @Nullable ConnectionRequestListener requests,
            Consumer<ConnectionSetup> prepare,
            @Nullable SetupGate setupGate,
            SetupObserver observer,
            Consumer<ChannelPipeline> transportHandlers,
            boolean revision1Only) {
        this.domain = Objects.requireNonNull(domain, "domain");
        this.settings = Objects.requireNonNull(settings, "settings");
        this.requestListener = requests;
        this.prepare = prepare;
        this.setupGate = setupGate;
        this.observer = observer;
        this.transportHandlers = Objects.requireNonNull(transportHandlers, "handlers");
        this.revision1Only = revision1Only;
    }

    /**
     * Creates an initializer for the side that requests the connection. With a pre-agreed start, which has no requests,
     * both sides use it.
     *
     * @param domain of the memory that the peer may access
     * @param settings of each queue pair
     * @param privateData sent to the responder with the connection request, 0 to 512 bytes
     * @param prepare called with each queue pair before the connection request is sent: set listeners, post receives.
     *     The handlers of the stack are not in the pipeline yet. A handler that {@code addLast} adds here lies between
     *     them and the socket and sees bytes.
     * @throws IllegalArgumentException if there are more than 512 bytes of private data
     */
    public static IwarpChannelInitializer initiator(
            ProtectionDomain domain, QueuePairSettings settings, byte[] privateData, Consumer<QueuePair> prepare) {
        Objects.requireNonNull(prepare, "prepare");
        byte[] request = privateData.clone();
        requireStartable(settings, request);
        return connecting(domain, settings, setup -> {
            setup.privateData(request);
            prepare.accept(setup.queuePair());
        });
    }

    /**
     * Creates an initiator's initializer with a set-up for each connection; see {@link #initiator(ProtectionDomain,
     * QueuePairSettings, byte[], Consumer)}.
     */
    static IwarpChannelInitializer connecting(
            ProtectionDomain domain, QueuePairSettings settings, Consumer<ConnectionSetup> prepare) {
        return new IwarpChannelInitializer(
                domain, settings, null, prepare, null, SetupObserver.NONE, pipeline -> {}, false);
    }

    /**
     * Creates an initiator's initializer without private data and preparation; see {@link #initiator(ProtectionDomain,
     * QueuePairSettings, byte[], Consumer)}.
     */
    public static IwarpChannelInitializer initiator(ProtectionDomain domain, QueuePairSettings settings) {
        return initiator(domain, settings, new byte[0], queuePair -> {});
    }

    /**
     * Creates an initiator's initializer with default settings; see {@link #initiator(ProtectionDomain,
     * QueuePairSettings)}.
     */
    public static IwarpChannelInitializer initiator(ProtectionDomain domain) {
        return initiator(domain, QueuePairSettings.DEFAULT);
    }

    /**
     * Creates an initializer for the responder, which accepts or rejects connection requests.
     *
     * @param domain of the memory that the peers may access
     * @param settings of each queue pair
     * @param requests decides about each connection request
     * @throws IllegalArgumentException if the start is pre-agreed, which has no connection requests
     */
    public static IwarpChannelInitializer responder(
            ProtectionDomain domain, QueuePairSettings settings, ConnectionRequestListener requests) {
        Objects.requireNonNull(requests, "requests");
        if (settings.mpa().start() == StartMode.PREAGREED) {
            throw new IllegalArgumentException(
                    "a pre-agreed start has no connection requests;" + " use initiator(...) on both sides");
        }
        return accepting(domain, settings, setup -> {}, requests);
    }

    /**
     * Creates a responder's initializer with a first set-up; see {@link #responder(ProtectionDomain, QueuePairSettings,
     * ConnectionRequestListener)}.
     */
    static IwarpChannelInitializer accepting(
            ProtectionDomain domain,
            QueuePairSettings settings,
            Consumer<ConnectionSetup> prepare,
            ConnectionRequestListener requests) {
        return new IwarpChannelInitializer(
                domain,
                settings,
                requests,
                prepare,
                new SetupGate(MAX_SETUPS.defaultValue()),
                SetupObserver.NONE,
                pipeline -> {},
                false);
    }

    /**
     * Creates a responder's initializer with default settings; see {@link #responder(ProtectionDomain,
     * QueuePairSettings, ConnectionRequestListener)}.
     */
    public static IwarpChannelInitializer responder(ProtectionDomain domain, ConnectionRequestListener requests) {
        return responder(domain, QueuePairSettings.DEFAULT, requests);
    }

    /** Rejects invalid private data here instead of on each channel. */
    private static void requireStartable(QueuePairSettings settings, byte[] privateData) {
        MpaStartupHandler.initiator(settings.mpa(), privateData);
    }

    /**
     * Returns a copy of this initializer that first calls {@code handlers} to add transport handlers between the socket
     * and MPA, for example TLS or a packet capture.
     */
    public IwarpChannelInitializer withTransportHandlers(Consumer<ChannelPipeline> handlers) {
        return new IwarpChannelInitializer(
                domain, settings, requestListener, prepare, setupGate, observer, handlers, revision1Only);
    }

    private static final Setting<Integer> MAX_SETUPS = Setting.within("maxSetups", 16_384, 1, 1 << 20);

    /**
     * Returns a copy of this initializer with another maximum number of connections in set-up at a time, default
     * 16,384. It closes further connections at once. This limits the cost of silent peers until the start-up timeout: a
     * channel each.
     *
     * @param connections 1 to 1,048,576, for all channels of the copy together
     * @throws IllegalArgumentException if it is out of range
     * @throws IllegalStateException if this is not a {@link #responder}
     */
    public IwarpChannelInitializer withMaxSetups(int connections) {
        requireMaxSetups(connections);
        if (setupGate == null) {
            throw new IllegalStateException(
                    "maxSetups limits a responder: an initiator decides itself how often it" + " connects");
        }
        return new IwarpChannelInitializer(
                domain,
                settings,
                requestListener,
                prepare,
                new SetupGate(connections),
                observer,
                transportHandlers,
                revision1Only);
    }

    static void requireMaxSetups(int connections) {
        MAX_SETUPS.check(connections);
    }

    /** Returns a copy of this initializer that adds further transport handlers after its own. */
    IwarpChannelInitializer withFurtherTransportHandlers(Consumer<ChannelPipeline> handlers) {
        return withTransportHandlers(transportHandlers.andThen(handlers));
    }

    /** Returns a copy of this initializer with another observer. */
    IwarpChannelInitializer withObserver(SetupObserver newObserver) {
        return new IwarpChannelInitializer(
                domain, settings, requestListener, prepare, setupGate, newObserver, transportHandlers, revision1Only);
    }

    /** Throws if a connector cannot use this initializer. */
    void requireInitiator() {
        if (requestListener != null) {
            throw new IllegalArgumentException(
                    "this is a responder's initializer; a connector needs IwarpChannelInitializer.initiator(...)");
        }
    }

    /** Throws if a listener cannot use this initializer. With a pre-agreed start both sides are initiators. */
    void requireListenable() {
        if (requestListener == null && settings.mpa().start() != StartMode.PREAGREED) {
            throw new IllegalArgumentException(
                    "the initializer is one of an initiator; a listener needs IwarpChannelInitializer.responder(...)");
        }
    }

    /** Returns a copy of this initializer that sends plain connection requests of revision 1. */
    IwarpChannelInitializer withoutEnhancedSetup() {
        return new IwarpChannelInitializer(
                domain, settings, requestListener, prepare, setupGate, observer, transportHandlers, true);
    }

    /** Returns the queue pair of a channel, or null if this initializer has not run on it. */
    public static @Nullable QueuePair queuePair(Channel channel) {
        return QueuePairOfChannel.get(channel);
    }

    @Override
    protected void initChannel(Channel channel) {
        SetupGate.Ticket ticket = null;
        SetupGate gate = setupGate;
        if (gate != null) {
            ticket = gate.enter();
            if (ticket == null) {
                refuse(channel, gate.limit());
                return;
            }
            channel.closeFuture().addListener(ticket);
        }
        if (!observer.onChannelAdded(channel)) {
            channel.close();
            return;
        }
        SetupGate.Ticket admitted = ticket;
        Throwable failure = Callbacks.call(() -> prepare(channel, admitted));
        if (failure != null) {
            fail(channel, failure);
        }
    }

    private void prepare(Channel channel, SetupGate.@Nullable Ticket ticket) {
        if (channel.eventLoop().isShuttingDown()) {
            throw new RejectedExecutionException("the event loop of the connection is shutting down");
        }
        LoopTermination.closeAtShutdown(channel);
        configure(channel);
        ChannelPipeline pipeline = channel.pipeline();
        transportHandlers.accept(pipeline);
        TransportHandler.addTo(pipeline);
        ConnectionRequestListener listener = requestListener;
        if (listener == null) {
            initiate(channel);
        } else {
            awaitRequest(channel, ticket, listener);
        }
    }

    private void initiate(Channel channel) {
        ConnectionSetup setup = new ConnectionSetup(
                channel,
                Role.INITIATOR,
                domain,
                settings,
                null,
                (chosenSettings, queuePair) -> observer.onPrepared(queuePair));
        prepare.accept(setup);
        QueuePair queuePair = setup.queuePair();
        if (!channel.isOpen()) {
            queuePair.engine().fail(CLOSED_TOO_EARLY);
            return;
        }
        QueuePairSettings current = setup.settings();
        MpaSettings mpa = revision1Only ? current.mpa().withoutEnhancedSetup() : current.mpa();
        channel.pipeline().addLast(MpaStartupHandler.initiator(mpa, setup.privateData()));
        addLayers(channel.pipeline(), queuePair, current, mpa);
    }

    private void awaitRequest(Channel channel, SetupGate.@Nullable Ticket ticket, ConnectionRequestListener listener) {
        SetupHandler handler = new SetupHandler(channel, settings, ticket);
        ConnectionSetup setup =
                new ConnectionSetup(channel, Role.RESPONDER, domain, settings, ticket, (chosenSettings, queuePair) -> {
                    observer.onPrepared(queuePair);
                    handler.attach(
                            queuePair,
                            pipeline -> addLayers(pipeline, queuePair, chosenSettings, chosenSettings.mpa()));
                });
        channel.pipeline().addLast(MpaStartupHandler.responder(settings.mpa(), request -> {
            prepare.accept(setup);
            listener.onConnectionRequest(new ConnectionRequest(request, setup));
        }));
        channel.pipeline().addLast(handler);
    }

    /** Ends a connection that cannot begin. */
    private void fail(Channel channel, Throwable failure) {
        LOGGER.atLevel(channel.eventLoop().isShuttingDown() ? Level.DEBUG : Level.ERROR)
                .setCause(failure)
                .log("{} could not be prepared and is closed", channel);
        QueuePair queuePair = QueuePairOfChannel.get(channel);
        if (queuePair == null) {
            observer.onFailed(failure);
        } else {
            queuePair
                    .engine()
                    .fail(new CloseReason(
                            EndedBy.LOCAL_APPLICATION, null, "the application failed to prepare: " + failure, failure));
        }
        channel.close();
    }

    /** Adds the three layers at the end of the pipeline. */
    private static void addLayers(
            ChannelPipeline pipeline, QueuePair queuePair, QueuePairSettings settings, MpaSettings mpa) {
        limitTransmission(pipeline.channel().config(), settings);
        StreamAssociation stream = queuePair.stream();
        ConnectionCounters counters = queuePair.connectionCounters();
        RdmapHandler rdmap = queuePair.engine().enterPipeline();
        DdpHandler ddp = new DdpHandler(
                settings.transmitWindow(),
                settings.messageTimeout(),
                stream,
                rdmap,
                counters,
                queuePair.engine().bytesWritten());
        pipeline.addLast(new MpaFramingHandler(mpa, counters, stream, ddp), ddp, rdmap);
    }

    /** The connection is closed during start-up, so the peer may retry later. */
    private void refuse(Channel channel, int maxSetups) {
        LOGGER.debug("{} refused: {} connections are in set-up, the limit of maxSetups", channel, maxSetups);
        IwarpMetrics metrics = settings.metrics();
        if (metrics != null) {
            ((DefaultIwarpMetrics) metrics).onSetupRefused(Role.RESPONDER);
        }
        channel.close();
    }

    private static void configure(Channel channel) {
        ChannelConfig config = channel.config();
        config.setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        config.setOption(ChannelOption.TCP_NODELAY, true);
        config.setOption(ChannelOption.RECVBUF_ALLOCATOR, new SharedRecvByteBufAllocator(channel));
    }

    private static void limitTransmission(ChannelConfig config, QueuePairSettings settings) {
        int window = settings.transmitWindow();
        config.setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(window / 2, window));
    }
}

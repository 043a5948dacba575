package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionRejectedException;
import io.iwarp.Operation;
import io.iwarp.ProtocolError;
import io.iwarp.ddp.UntaggedQueue;
import io.iwarp.memory.StreamAssociation;
import io.iwarp.mpa.MpaEvent;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.rdmap.RdmapUlp;
import io.iwarp.rdmap.RequestQueue;
import io.netty.channel.Channel;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes the events of RDMAP to the parts of the queue pair. Confined to the event loop. */
final class StreamEvents implements RdmapUlp {
    private static final Logger LOGGER = LoggerFactory.getLogger(LoggerNames.QUEUE_PAIR);

    private final Channel channel;
    private final StreamAssociation stream;
    private final StreamLife life;
    private final SendSide sends;
    private final ReceiveSide receives;
    private final DrainSchedule drains;
    private final @Nullable QueuePairMetrics metrics;
    private final FlightEvents flight;
    private final @Nullable IdleTimers idleTimers;
    private final SetupGate.@Nullable Ticket setupTicket;
    private final LifeListener listener;
    private final Runnable afterPeersClose;
    private boolean setUpOver;

    /**
     * @param metrics null if metrics are disabled
     * @param idleTimers null if there are none
     * @param setupTicket null at an initiator
     * @param afterPeersClose called when the peer has closed its half
     */
    StreamEvents(
            Channel channel,
            StreamAssociation stream,
            StreamLife life,
            SendSide sends,
            ReceiveSide receives,
            DrainSchedule drains,
            @Nullable QueuePairMetrics metrics,
            FlightEvents flight,
            @Nullable IdleTimers idleTimers,
            SetupGate.@Nullable Ticket setupTicket,
            LifeListener listener,
            Runnable afterPeersClose) {
        this.channel = channel;
        this.stream = stream;
        this.life = life;
        this.sends = sends;
        this.receives = receives;
        this.drains = drains;
        this.metrics = metrics;
        this.flight = flight;
        this.idleTimers = idleTimers;
        this.setupTicket = setupTicket;
        this.listener = listener;
        this.afterPeersClose = afterPeersClose;
    }

    @Override
    public RequestQueue requestQueue() {
        return sends;
    }

    @Override
    public UntaggedQueue receiveQueue() {
        return receives.receives();
    }

    @Override
    public void onEstablished(MpaParameters agreed) {
        life.learnTlsSession();
        life.established(agreed);
        if (idleTimers != null) {
            idleTimers.start();
        }
        leaveSetup();
        flight.established();
        if (metrics != null) {
            metrics.established();
        }
    }

    @Override
    public void onReady() {
        setUpOver = true;
        LOGGER.debug("{} ready: {}", channel, life.parameters());
        listener.onReady();
        drains.drain();
    }

    @Override
    public void onClosing() {
        sends.ring().close();
    }

    @Override
    public void onServed(Operation operation, long bytes) {
        if (metrics != null) {
            metrics.served(operation, bytes);
        }
    }

    @Override
    public void onTerminateSent(@Nullable ProtocolError error) {
        flight.terminate(true, error);
        if (metrics != null) {
            metrics.terminateSent(error);
        }
    }

    @Override
    public void onTerminateReceived(@Nullable ProtocolError error) {
        flight.terminate(false, error);
        if (metrics != null) {
            metrics.terminateReceived(error);
        }
    }

    @Override
    public void onPeerClosedHalf() {
        listener.onPeerClosedHalf();
        afterPeersClose.run();
    }

    @Override
    public void onReadComplete() {
        drains.endBurst();
    }

    @Override
    public void onEnhancedSetupRefused() {
        life.enhancedSetupWasRefused();
    }

    @Override
    public void onRejected(MpaEvent.Rejected rejection) {
        leaveSetup();
        if (metrics != null) {
            metrics.rejected();
        }
        setUpOver = true;
        listener.onSetUpFailed(new ConnectionRejectedException(
                rejection.privateData(),
                NegotiatedDepth.of(rejection.peerIrd()),
                NegotiatedDepth.of(rejection.peerOrd())));
        channel.close();
    }

    private void leaveSetup() {
        if (setupTicket != null) {
            setupTicket.leave();
        }
    }

    @Override
    public void onEnded(CloseReason reason) {
        leaveSetup();
        VarHandle.fullFence();
        // Before there is a connection request, a responder's operator sees the failure only in the log and the
        // metrics.
        LOGGER.debug("{} {}: {}", channel, setUpOver ? "closed" : "set-up failed", reason);
        part(() -> report(reason));
        part(stream::close);
        part(this::closeQueues);
        if (metrics != null) {
            part(() -> ChannelOutcome.await(channel.closeFuture(), metrics::leave));
        }
        part(() -> listener.onClosed(reason));
        life.closed().complete(reason);
    }

    /** Runs one part of the end. If it throws, the others still run. */
    private void part(Runnable part) {
        Application.tell(channel, part);
    }

    private void report(CloseReason reason) {
        if (idleTimers != null) {
            idleTimers.stop();
        }
        flight.ended(reason);
        if (metrics != null) {
            metrics.ended(reason);
        }
    }

    private void closeQueues() {
        sends.ring().close();
        receives.close();
        drains.end();
    }
}

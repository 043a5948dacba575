package io.iwarp.verbs;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionState;
import io.iwarp.Role;
import io.iwarp.internal.ConnectionCounters;
import io.iwarp.internal.EventLoopTasks;
import io.iwarp.internal.metrics.DefaultIwarpMetrics;
import io.iwarp.internal.mpa.MpaEvent;
import io.iwarp.metrics.IwarpMetrics;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Placeholder in the responder's pipeline until the application has accepted the request and a queue pair exists.
 * Records a set-up that ends before, and is replaced by the layers of the queue pair.
 *
 * <p>Any thread may call {@link #attach}; the event loop does all else. If the start-up ends before the
 * {@link #enterPipeline} task runs, the MPA event adds the layers instead.
 */
final class SetupHandler extends ChannelInboundHandlerAdapter {
    private static final Logger LOGGER = LoggerFactory.getLogger(LoggerNames.QUEUE_PAIR);
    private static final DefaultIwarpMetrics.Gauges NOTHING_POSTED =
            new DefaultIwarpMetrics.Gauges(ConnectionState.INIT, 0, 0, 0, 0, 0);

    private final Channel channel;
    private final SetupGate.@Nullable Ticket ticket;
    private final QueuePairRecorder recorder;
    private @Nullable ChannelHandlerContext context;
    private volatile @Nullable Entry entry;
    /** The reason for a set-up that failed; null if it has not. */
    private @Nullable CloseReason setupFailure;

    /** A queue pair, and the action that adds its layers to the pipeline. */
    private record Entry(QueuePair queuePair, Consumer<ChannelPipeline> addLayers) {}

    SetupHandler(Channel channel, QueuePairSettings settings, SetupGate.@Nullable Ticket ticket) {
        this.channel = channel;
        this.ticket = ticket;
        this.recorder = new QueuePairRecorder(channel, Role.RESPONDER, new ConnectionCounters(), settings);
        IwarpMetrics metrics = settings.metrics();
        if (metrics != null) {
            recorder.addConnection(metrics, () -> NOTHING_POSTED);
            ChannelFutures.await(channel.closeFuture(), recorder::onClosed);
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    /** Any thread, once: the application has made the queue pair. */
    void attach(QueuePair attached, Consumer<ChannelPipeline> addLayers) {
        attached.engine().storeTlsSession();
        entry = new Entry(attached, addLayers);
        if (channel.eventLoop().inEventLoop()) {
            enterPipeline();
        } else {
            EventLoopTasks.execute(
                    channel.eventLoop(),
                    this::enterPipeline,
                    () -> attached.engine().fail(EventLoopTasks.SHUT_DOWN));
        }
    }

    private void enterPipeline() {
        ChannelHandlerContext ctx = context;
        Entry attached = entry;
        if (ctx == null || attached == null) {
            return;
        }
        context = null;
        recorder.onClosed();
        CloseReason reason = setupFailure;
        if (reason != null) {
            attached.queuePair.engine().fail(reason);
            return;
        }
        attached.addLayers.accept(ctx.pipeline());
        ctx.pipeline().remove(this);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        enterPipeline();
        if (context != null) {
            if (event instanceof MpaEvent.StartupFailed failed) {
                end(failed.reason());
            } else if (event instanceof MpaEvent.Rejected rejected) {
                if (ticket != null) {
                    ticket.leave();
                }
                recorder.onRejected();
                end(rejected.reason());
                ctx.close();
            }
        }
        ctx.fireUserEventTriggered(event);
    }

    private void end(CloseReason reason) {
        setupFailure = reason;
        // Before there is a connection request, an operator sees the failure only in the log and the metrics.
        LOGGER.debug("{} set-up failed: {}", channel, reason);
        recorder.onEnded(reason);
    }
}

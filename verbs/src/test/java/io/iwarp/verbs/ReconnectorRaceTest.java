package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.ConnectionClosedException;
import io.iwarp.EndedBy;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Calls of a reconnector that meet what its event loop does at that moment. */
class ReconnectorRaceTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final CloseReason LOST = CloseReason.of(EndedBy.TRANSPORT, "lost");

    /** What a listener was called with, and whether on the event loop. */
    private record Call(String what, boolean isOnLoop) {}

    private static final class Calls implements ReconnectListener {
        private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();
        private final EventLoopGroup group;

        Calls(EventLoopGroup group) {
            this.group = group;
        }

        @Override
        public void onConnected(QueuePair queuePair) {
            calls.add(new Call("connected", queuePair.executor().inEventLoop()));
        }

        @Override
        public void onDisconnected(CloseReason reason, @Nullable Duration pause) {
            boolean isOnLoop = false;
            for (var loop : group) {
                isOnLoop |= loop.inEventLoop();
            }
            calls.add(new Call("disconnected", isOnLoop));
        }
    }

    /** Its timers begin at once, and stop before their task until the test lets them continue. */
    private static final class HeldTimers extends DefaultEventLoop {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch mayContinue = new CountDownLatch(1);

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            return super.schedule(
                    () -> {
                        begun.countDown();
                        mayContinue.await();
                        task.run();
                        return null;
                    },
                    0,
                    unit);
        }
    }

    private static Reconnector.Attempt attempt(CompletableFuture<QueuePair> outcome) {
        return new Reconnector.Attempt(outcome, () -> {});
    }

    @Test
    void closeEndsAPauseThatIsJustOver() throws Exception {
        HeldTimers loop = new HeldTimers();
        Calls calls = new Calls(loop);
        Reconnector reconnector = new Reconnector(
                () -> attempt(CompletableFuture.failedFuture(new ConnectionClosedException(LOST))),
                loop,
                ADDRESS,
                calls,
                HOUR,
                HOUR);
        reconnector.connect();
        loop.begun.await();

        reconnector.close();
        loop.mayContinue.countDown();

        assertThat(reconnector.closed().get(1, TimeUnit.MINUTES).endedBy()).isEqualTo(EndedBy.LOCAL_APPLICATION);
        assertThat(calls.calls).containsExactly(new Call("disconnected", true));
        loop.shutdownGracefully(0, 1, TimeUnit.MINUTES).sync();
    }

    @Test
    void callsOfAnEndedConnectionAreOnTheLoopAndInOrder() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        Iwarp.Client client = Iwarp.client(group);
        IwarpListener server = Iwarp.server(group)
                .onRequest(ConnectionRequest::accept)
                .listen(ADDRESS)
                .get(1, TimeUnit.MINUTES);
        QueuePair ended = client.connect(server.localAddress()).get(1, TimeUnit.MINUTES);
        ended.abort();
        ended.closed().get(1, TimeUnit.MINUTES);
        Calls calls = new Calls(group);
        Reconnector reconnector = new Reconnector(
                () -> attempt(CompletableFuture.completedFuture(ended)), group, ADDRESS, calls, HOUR, HOUR);

        reconnector.connect();

        reconnector.closed().get(1, TimeUnit.MINUTES);
        assertThat(List.copyOf(calls.calls))
                .containsExactly(new Call("connected", true), new Call("disconnected", true));
        server.shutdownGracefully(Duration.ZERO).get(1, TimeUnit.MINUTES);
        group.shutdownGracefully(0, 1, TimeUnit.MINUTES).sync();
    }
}

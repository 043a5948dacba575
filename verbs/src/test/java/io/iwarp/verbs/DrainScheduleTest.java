package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When posts are taken, above all while an event loop ends. */
class DrainScheduleTest {
    private static final int MORE_THAN_IN_A_ROW = 32;

    private enum Life {
        RUNNING,
        SHUTTING_DOWN,
        SHUT_DOWN,
        OUT_OF_MEMORY,
        FULL
    }

    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final Queue<Runnable> putOff = new ArrayDeque<>();
    private final Promise<Void> termination = new DefaultPromise<>(ImmediateEventExecutor.INSTANCE);
    private volatile Life life = Life.RUNNING;
    private int drains;
    private int drainsAfterLoop;
    private long bytesSent;

    private final DrainSchedule schedule =
            new DrainSchedule(eventLoop(), () -> drains++, () -> drainsAfterLoop++, () -> bytesSent);

    /** A loop whose tasks are run by the test, or are not. */
    private EventLoop eventLoop() {
        return (EventLoop) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {EventLoop.class}, (proxy, method, arguments) -> {
                    return switch (method.getName()) {
                        case "inEventLoop" -> false;
                        case "isShuttingDown" -> life == Life.SHUTTING_DOWN || life == Life.SHUT_DOWN;
                        case "terminationFuture" -> termination;
                        case "schedule" -> {
                            putOff.add((Runnable) arguments[0]);
                            yield null;
                        }
                        case "execute" -> {
                            accept((Runnable) arguments[0]);
                            yield null;
                        }
                        default -> throw new UnsupportedOperationException(method.toString());
                    };
                });
    }

    private void accept(Runnable task) {
        if (life == Life.SHUT_DOWN || life == Life.FULL) {
            throw new RejectedExecutionException(life.toString());
        }
        if (life == Life.OUT_OF_MEMORY) {
            throw new OutOfMemoryError("no room for a task");
        }
        tasks.add(task);
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Test
    void oneWakeUpIsOnItsWayAtATime() {
        schedule.wake();
        schedule.wake();
        assertThat(tasks).hasSize(1);
        runTasks();
        assertThat(drains).isOne();
        schedule.wake();
        assertThat(tasks).hasSize(1);
    }

    @Test
    void aDrainThatTheLoopAcceptsAndNeverRunsFollowsItsTermination() {
        life = Life.SHUTTING_DOWN;
        schedule.wake();
        tasks.clear();
        life = Life.SHUT_DOWN;
        schedule.wake();
        assertThat(drainsAfterLoop).isZero();

        termination.setSuccess(null);

        assertThat(drainsAfterLoop).isPositive();
    }

    /** A loop rejects tasks while it runs its last ones, so a rejected poster must not drain by itself. */
    @Test
    void noThreadDrainsBesideALoopThatHasNotTerminated() {
        life = Life.SHUT_DOWN;
        schedule.wake();
        schedule.execute(() -> {});
        assertThat(drainsAfterLoop).isZero();
        termination.setSuccess(null);
        assertThat(drainsAfterLoop).isOne();
        schedule.wake();
        assertThat(drainsAfterLoop).isEqualTo(2);
    }

    @Test
    void repeatedDrainsYieldToSocketEvents() {
        for (int i = 0; i < MORE_THAN_IN_A_ROW; i++) {
            schedule.wake();
            runTasks();
        }
        assertThat(putOff).hasSize(1);
        int before = drains;
        putOff.remove().run();
        assertThat(drains).isEqualTo(before + 1);
    }

    /** Each wake-up posts again when it is run: a second one would stay for as long as completions post. */
    @Test
    void aDrainAtTheEndOfABurstAddsNoWakeUp() {
        schedule.wake();
        for (int i = 0; i < MORE_THAN_IN_A_ROW; i++) {
            schedule.beginBurst();
            schedule.endBurst();
            schedule.wake();
        }
        assertThat(tasks).hasSize(1);
    }

    @Test
    void drainsYieldAfterTheBytesOfARead() {
        schedule.wake();
        runTasks();
        bytesSent += 256 * 1024;
        int before = drains;
        schedule.wake();
        runTasks();
        assertThat(putOff).hasSize(1);
        assertThat(drains).isEqualTo(before);
        putOff.remove().run();
        schedule.wake();
        runTasks();
        assertThat(drains).isEqualTo(before + 2);
    }

    /** A loop that shuts down drops what was put off. */
    @Test
    void nothingIsPutOffAfterTheEnd() {
        for (int i = 0; i < MORE_THAN_IN_A_ROW; i++) {
            schedule.wake();
            runTasks();
        }
        putOff.clear();
        int before = drains;
        schedule.end();
        assertThat(drains).isEqualTo(before + 1);
        for (int i = 0; i < MORE_THAN_IN_A_ROW; i++) {
            schedule.wake();
            runTasks();
        }
        assertThat(putOff).isEmpty();
        assertThat(drains).isEqualTo(before + 1 + MORE_THAN_IN_A_ROW);
    }

    /** As with {@code io.netty.eventLoop.maxPendingTasks}: nothing else may ever wake the loop. */
    @Test
    void aTaskThatAFullQueueRefusesIsGivenAgain() throws Exception {
        life = Life.FULL;
        CountDownLatch closed = new CountDownLatch(1);
        schedule.wake();
        schedule.execute(closed::countDown);
        assertThat(tasks).isEmpty();
        life = Life.RUNNING;
        while (drains == 0 || closed.getCount() > 0) {
            Runnable task = tasks.poll(60, TimeUnit.SECONDS);
            assertThat(task).isNotNull();
            task.run();
        }
        assertThat(drainsAfterLoop).isZero();
        schedule.wake();
        assertThat(tasks).hasSize(1);
    }

    @Test
    void aWakeUpThatFailsForLackOfMemoryIsTriedAgainByTheNext() {
        life = Life.OUT_OF_MEMORY;
        assertThatThrownBy(schedule::wake).isInstanceOf(OutOfMemoryError.class);
        life = Life.RUNNING;
        schedule.wake();
        runTasks();
        assertThat(drains).isOne();
    }
}

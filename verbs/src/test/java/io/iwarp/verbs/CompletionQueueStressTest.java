package io.iwarp.verbs;

import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.ConnectionClosedException;
import io.iwarp.Operation;
import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.Unpooled;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Many queue pairs on several event loops, whose completions one thread polls. */
class CompletionQueueStressTest {
    private static final int QUEUE_PAIRS = 6;
    private static final int DEPTH = 8;
    private static final int PATIENCE_SECONDS = 60;
    private static final QueuePairSettings SETTINGS = QueuePairSettings.builder()
            .sendQueueDepth(DEPTH)
            .receiveQueueDepth(DEPTH)
            .build();

    private final Loopback loopback = new Loopback(3);
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final CompletionQueue queue =
            CompletionQueue.create(CompletionQueue.capacityFor(SETTINGS, 2 * QUEUE_PAIRS));

    @AfterEach
    void release() throws Exception {
        loopback.close();
        domain.close();
    }

    /** How the consumer learns that there is something to poll. */
    private enum Waiting {
        PARKED {
            @Override
            boolean await(CompletionQueue queue, Semaphore events) throws InterruptedException {
                return queue.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        },
        ARMED {
            @Override
            boolean await(CompletionQueue queue, Semaphore events) throws InterruptedException {
                return queue.arm() || events.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        },
        ARMED_FOR_SOLICITED {
            @Override
            boolean await(CompletionQueue queue, Semaphore events) throws InterruptedException {
                return queue.armSolicited() || events.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        };

        abstract boolean await(CompletionQueue queue, Semaphore events) throws InterruptedException;
    }

    /** What was posted on one queue pair by one thread, and what another polled for it: ids count up in each queue. */
    private static final class Ledger {
        private final QueuePair queuePair;
        private long sendsPosted;
        private long receivesPosted;
        private long sendsPolled;
        private long receivesPolled;

        Ledger(QueuePair queuePair) {
            this.queuePair = queuePair;
        }

        void send() {
            queuePair.sendQueue().send(sendsPosted, Unpooled.EMPTY_BUFFER, PostOptions.SOLICITED);
            sendsPosted++;
        }

        void receive() {
            queuePair.receiveQueue().receive(receivesPosted, Unpooled.EMPTY_BUFFER);
            receivesPosted++;
        }

        void check(CompletionView completion) {
            boolean receive = completion.operation() == Operation.RECEIVE;
            assertThat(completion.workRequestId()).isEqualTo(receive ? receivesPolled++ : sendsPolled++);
        }

        void checkComplete() {
            assertThat(sendsPolled).isEqualTo(sendsPosted);
            assertThat(receivesPolled).isEqualTo(receivesPosted);
        }
    }

    private Map<QueuePair, Ledger> ledgers(List<QueuePair> queuePairs) {
        Map<QueuePair, Ledger> ledgers = new HashMap<>();
        queuePairs.forEach(queuePair -> ledgers.put(queuePair, new Ledger(queuePair)));
        return ledgers;
    }

    private List<QueuePair> connect() throws Exception {
        List<QueuePair> both = new ArrayList<>();
        SocketAddress address = loopback.accept(domain, SETTINGS, qp -> qp.setCompletionQueue(queue));
        for (int i = 0; i < QUEUE_PAIRS; i++) {
            both.add(loopback.connect(address, domain, SETTINGS, qp -> qp.setCompletionQueue(queue)));
            both.add(loopback.nextAccepted());
        }
        return both;
    }

    /** Each side bounces what it gets; a lost wake-up would leave all of them waiting for each other. */
    @ParameterizedTest
    @EnumSource(Waiting.class)
    void noWakeUpIsLostBetweenSeveralLoopsAndOneConsumer(Waiting waiting) throws Exception {
        int bounces = 3_000;
        Semaphore events = new Semaphore(0);
        queue.setListener(armed -> events.release());
        List<QueuePair> all = connect();
        Map<QueuePair, Ledger> ledgers = ledgers(all);
        ledgers.values().forEach(Ledger::receive);
        for (int i = 0; i < all.size(); i += 2) {
            ledgers.get(all.get(i)).send();
        }
        int[] received = new int[1];
        while (received[0] < bounces) {
            assertThat(waiting.await(queue, events))
                    .as("a completion within %s s, after %s", PATIENCE_SECONDS, received[0])
                    .isTrue();
            queue.poll(
                    (queuePair, completion) -> {
                        Ledger ledger = ledgers.get(queuePair);
                        ledger.check(completion);
                        if (completion.operation() == Operation.RECEIVE) {
                            received[0]++;
                            ledger.receive();
                            ledger.send();
                        }
                    },
                    QUEUE_PAIRS);
        }
        all.forEach(QueuePair::abort);
        pollToTheEnd(all, ledgers);
        ledgers.values().forEach(Ledger::checkComplete);
    }

    /** One thread posts and kills, another polls: whatever was posted completes once, in order, and room comes back. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyPostIsPolledOnceAlsoWhenStreamsAreKilled(long seed) throws Exception {
        List<QueuePair> all = connect();
        Map<QueuePair, Ledger> ledgers = ledgers(all);
        Thread poster = new Thread(() -> postAndKill(new Random(seed), all, ledgers), "poster with seed " + seed);
        poster.start();
        pollToTheEnd(all, ledgers);
        poster.join();
        ledgers.values().forEach(Ledger::checkComplete);
    }

    private static void postAndKill(Random random, List<QueuePair> all, Map<QueuePair, Ledger> ledgers) {
        List<QueuePair> alive = new ArrayList<>(all);
        while (!alive.isEmpty()) {
            QueuePair queuePair = alive.get(random.nextInt(alive.size()));
            try {
                switch (random.nextInt(100)) {
                    case 0 -> queuePair.abort();
                    case 1 -> queuePair.close();
                    default -> {
                        if (random.nextBoolean()) {
                            ledgers.get(queuePair).send();
                        } else {
                            ledgers.get(queuePair).receive();
                        }
                    }
                }
            } catch (QueueFullException full) {
                Thread.onSpinWait();
            } catch (ConnectionClosedException closed) {
                alive.remove(queuePair);
            }
        }
    }

    private void pollToTheEnd(List<QueuePair> all, Map<QueuePair, Ledger> ledgers) throws Exception {
        while (queue.reserved() > 0) {
            queue.poll((queuePair, completion) -> ledgers.get(queuePair).check(completion), QUEUE_PAIRS);
        }
        for (QueuePair queuePair : all) {
            await(queuePair.closed());
        }
        assertThat(queue.size()).isZero();
        queue.close();
    }
}

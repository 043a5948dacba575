package io.iwarp.verbs;

import io.iwarp.rdmap.Opcode;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * Cases of {@link CompletionQueue} and its ring: nothing is lost, and an event comes for what no thread would look at.
 */
public final class CompletionQueueStress {
    private static final QueuePair QUEUE_PAIR = new LoopByHand().queuePair(QueuePairSettings.DEFAULT);
    private static final int CAPACITY = 4;

    private CompletionQueueStress() {}

    /** A queue, event loops that add to it, and a consumer that polls when it was told. */
    static class Consumed implements QueueSlots {
        final CompletionQueue queue = CompletionQueue.create(CAPACITY);
        final int[] numbers = new int[CAPACITY];
        int polled;
        int solicited;
        private final CompletionPort port = new CompletionPort(QUEUE_PAIR, queue, this, new AtomicInteger(1));
        private volatile boolean event;

        Consumed() {
            queue.setListener(same -> event = true);
        }

        final void add(int number, Opcode opcode) {
            ReceiveRequest request = new ReceiveRequest().set(number, null);
            queue.add(port, request.received(new CompletionView(), request, opcode));
        }

        final void poll() {
            queue.poll(
                    (queuePair, completion) -> {
                        numbers[polled++] = (int) completion.workRequestId();
                        solicited += completion.solicited() ? 1 : 0;
                    },
                    CAPACITY);
        }

        final boolean takeEvent() {
            boolean came = event;
            event = false;
            return came;
        }

        @Override
        public int depth() {
            return CAPACITY;
        }

        @Override
        public int unreleasedCount() {
            return 0;
        }

        @Override
        public void allowReleaseByAnyThread() {}

        @Override
        public void release() {}
    }

    /**
     * The queue is armed for solicited completions. One loop adds another kind, one adds a solicited one; who is told
     * polls and arms again until there is nothing.
     */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the solicited completion was polled")
    @Outcome(expect = Expect.FORBIDDEN, desc = "no event came for the solicited completion")
    @State
    public static class ArmSolicitedBesideTwoLoops extends Consumed {
        /** The queue is empty, and armed. */
        public ArmSolicitedBesideTwoLoops() {
            queue.armSolicited();
        }

        /** Adds a completion that is worth no event. */
        @Actor
        public void loop() {
            add(1, Opcode.SEND);
        }

        /** Adds one that is worth an event, and consumes if there was one. */
        @Actor
        public void loopAndConsumer() {
            add(2, Opcode.SEND_WITH_SOLICITED_EVENT);
            consumeIfTold();
        }

        private void consumeIfTold() {
            if (takeEvent()) {
                poll();
                while (queue.armSolicited()) {
                    poll();
                }
            }
        }

        /** The consumer may be told later. */
        @Arbiter
        public void rest(I_Result result) {
            consumeIfTold();
            result.r1 = solicited;
        }
    }

    /** A consumer arms the queue while a completion is added. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the completion was polled")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the consumer was not told of the completion")
    @State
    public static class ArmBesideAdd extends Consumed {
        /** Adds. */
        @Actor
        public void loop() {
            add(1, Opcode.SEND);
        }

        /** Arms. */
        @Actor
        @SuppressWarnings("StatementWithEmptyBody")
        public void consumer() {
            while (queue.arm()) {
                poll();
            }
        }

        /** Polls if there was an event. */
        @Arbiter
        public void rest(I_Result result) {
            if (takeEvent()) {
                poll();
            }
            result.r1 = polled;
        }
    }

    /** Two loops add two completions each. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "all are there, those of each loop in order")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a completion is lost, doubled or out of order")
    @State
    public static class TwoLoops extends Consumed {
        private static final int OF_SECOND = 10;

        /** Adds 0 and 1. */
        @Actor
        public void first() {
            add(0, Opcode.SEND);
            add(1, Opcode.SEND);
        }

        /** Adds 10 and 11. */
        @Actor
        public void second() {
            add(OF_SECOND, Opcode.SEND);
            add(OF_SECOND + 1, Opcode.SEND);
        }

        /** Polls. */
        @Arbiter
        public void rest(ZZ_Result result) {
            poll();
            int nextOfFirst = 0;
            int nextOfSecond = OF_SECOND;
            for (int number : numbers) {
                if (number == nextOfFirst) {
                    nextOfFirst++;
                } else if (number == nextOfSecond) {
                    nextOfSecond++;
                }
            }
            result.r1 = polled == CAPACITY && queue.size() == 0;
            result.r2 = nextOfFirst == 2 && nextOfSecond == OF_SECOND + 2;
        }
    }
}

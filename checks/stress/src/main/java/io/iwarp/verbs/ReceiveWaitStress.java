package io.iwarp.verbs;

import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Cases of {@link ReceiveStall}: when all is at rest, no stream waits for a receive beside a free one. */
public final class ReceiveWaitStress {
    private static final QueuePairSettings PATIENT =
            QueuePairSettings.builder().receiveTimeout(Duration.ofSeconds(10)).build();

    private ReceiveWaitStress() {}

    /** A stream to which a message has come. */
    static final class Stream {
        private final LoopByHand loop;
        private final QueuePair queuePair;

        Stream(LoopByHand loop) {
            this.loop = loop;
            this.queuePair = loop.queuePair(PATIENT);
            queuePair.setCompletionListener((same, completion) -> {});
        }

        Stream(LoopByHand loop, SharedReceiveQueue receives) {
            this(loop);
            queuePair.setSharedReceiveQueue(receives);
        }

        /** The event loop passes the message. */
        void message() {
            loop.run(() -> {
                ReceiveSource receives = queuePair.engine().receiveSide().source();
                if (!receives.findReceive()) {
                    receives.awaitBuffer();
                }
            });
        }

        boolean waits() {
            return queuePair.engine().receiveSide().receiveStall().isStalled();
        }
    }

    /** A thread posts two receives, for two streams of one event loop that wait. */
    @JCStressTest
    @Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "both streams have their receive")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a stream waits beside a free receive")
    @State
    public static class TwoWaitersOfOneLoop {
        private final SharedReceiveQueue receives = SharedReceiveQueue.create(4, 2);
        private final LoopByHand loop = new LoopByHand();
        private final Stream first = new Stream(loop, receives);
        private final Stream second = new Stream(loop, receives);

        /** Both wait. */
        public TwoWaitersOfOneLoop() {
            first.message();
            second.message();
        }

        /** Posts. */
        @Actor
        public void poster() {
            receives.receive(1, Unpooled.EMPTY_BUFFER);
            receives.receive(2, Unpooled.EMPTY_BUFFER);
        }

        /** Continues. */
        @Actor
        public void loop() {
            loop.run();
        }

        /** Lets the loop come to rest. */
        @Arbiter
        public void rest(ZZ_Result result) {
            loop.run();
            result.r1 = first.waits();
            result.r2 = second.waits();
        }
    }

    /** Two event loops look for receives, and post one each. */
    @JCStressTest
    @Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "both streams have their receive")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a stream waits beside a free receive")
    @State
    public static class TwoLoops {
        private final SharedReceiveQueue receives = SharedReceiveQueue.create(4, 2);
        private final LoopByHand firstLoop = new LoopByHand();
        private final LoopByHand secondLoop = new LoopByHand();
        private final Stream first = new Stream(firstLoop, receives);
        private final Stream second = new Stream(secondLoop, receives);

        /** Posts, and takes. */
        @Actor
        public void first() {
            first.message();
            receives.receive(1, Unpooled.EMPTY_BUFFER);
            firstLoop.run();
        }

        /** Does the same. */
        @Actor
        public void second() {
            second.message();
            receives.receive(2, Unpooled.EMPTY_BUFFER);
            secondLoop.run();
        }

        /** Lets both loops come to rest. */
        @Arbiter
        public void rest(ZZ_Result result) {
            firstLoop.run();
            secondLoop.run();
            result.r1 = first.waits();
            result.r2 = second.waits();
        }
    }

    /** A receive is posted while the first of two streams that wait ends. */
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "the second stream is woken and has the receive")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the receive was lost with the first stream")
    @State
    public static class EndBesidePost {
        private final ReceivePool pool = new ReceivePool(4, 1);
        private final AtomicBoolean woken = new AtomicBoolean();
        private final ReceivePool.User first = pool.enter(() -> {});
        private final ReceivePool.User second = pool.enter(() -> woken.set(true));

        /** Both wait. */
        public EndBesidePost() {
            first.await();
            second.await();
        }

        /** Posts. */
        @Actor
        public void poster() {
            pool.post(1, Unpooled.EMPTY_BUFFER);
        }

        /** Ends the first. */
        @Actor
        public void end() {
            first.leave(List.of());
        }

        /** Looks at the second. */
        @Arbiter
        public void rest(ZZ_Result result) {
            result.r1 = woken.get();
            result.r2 = second.take(() -> {}) != null;
        }
    }

    /** A stream at its share waits for a receive while one that it holds is released. */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "the stream finds the receive, or is woken")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the stream waits beside a free receive")
    @State
    public static class ReleaseBesideWait {
        private final ReceivePool pool = new ReceivePool(4, 1);
        private final AtomicBoolean woken = new AtomicBoolean();
        private final ReceivePool.User stream = pool.enter(() -> woken.set(true));
        private boolean found;

        /** The stream holds its share, and one more is free. */
        public ReleaseBesideWait() {
            pool.post(1, Unpooled.buffer(1));
            pool.post(2, Unpooled.buffer(1));
            stream.take(() -> {});
        }

        /** Polls. */
        @Actor
        public void consumer() {
            stream.release();
        }

        /** Waits, and looks. */
        @Actor
        public void loop() {
            stream.await();
            found = stream.take(() -> {}) != null;
        }

        /** Looks at both. */
        @Arbiter
        public void rest(Z_Result result) {
            result.r1 = found || woken.get();
        }
    }

    /** A message comes while a receive is posted to a shared queue. */
    @JCStressTest
    @Outcome(id = "false", expect = Expect.ACCEPTABLE, desc = "the message has its receive")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the message waits beside a free receive")
    @State
    public static class SharedPostBesideMessage {
        private final SharedReceiveQueue receives = SharedReceiveQueue.create(4, 2);
        private final LoopByHand loop = new LoopByHand();
        private final Stream stream = new Stream(loop, receives);

        /** Posts. */
        @Actor
        public void poster() {
            receives.receive(1, Unpooled.EMPTY_BUFFER);
        }

        /** Passes the message. */
        @Actor
        public void loop() {
            stream.message();
        }

        /** Lets the loop come to rest. */
        @Arbiter
        public void rest(Z_Result result) {
            loop.run();
            result.r1 = stream.waits();
        }
    }

    /** A message comes while a receive is posted to its queue pair. */
    @JCStressTest
    @Outcome(id = "false", expect = Expect.ACCEPTABLE, desc = "the message has its receive")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the message waits beside a free receive")
    @State
    public static class PostBesideMessage {
        private final LoopByHand loop = new LoopByHand();
        private final Stream stream = new Stream(loop);

        /** Posts. */
        @Actor
        public void poster() {
            stream.queuePair.receiveQueue().receive(1, Unpooled.EMPTY_BUFFER);
        }

        /** Passes the message. */
        @Actor
        public void loop() {
            stream.message();
        }

        /** Lets the loop come to rest. */
        @Arbiter
        public void rest(Z_Result result) {
            loop.run();
            result.r1 = stream.waits();
        }
    }
}

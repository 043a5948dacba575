package io.iwarp.verbs;

import io.iwarp.ConnectionClosedException;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.RegionClosedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Cases of {@link QueuePair} beside its end: each post that returned completes once, no other does. */
public final class QueuePairStress {
    private QueuePairStress() {}

    /** A queue pair that counts completions. */
    static class Counted {
        final LoopByHand loop = new LoopByHand();
        final QueuePair queuePair = loop.queuePair(QueuePairSettings.DEFAULT);
        int posted;
        private int completed;

        Counted() {
            queuePair.setCompletionListener((same, completion) -> completed++);
        }

        void end() {
            loop.run(queuePair.engine()::drainAfterLoop);
            loop.run();
        }

        int lost() {
            loop.run();
            return posted - completed;
        }
    }

    /** A thread posts a Send and a receive while the stream ends. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "what was posted has completed")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a post is lost, or completed twice")
    @State
    public static class PostBesideEnd extends Counted {
        /** Posts. */
        @Actor
        public void poster() {
            try {
                queuePair.sendQueue().send(1, Unpooled.EMPTY_BUFFER);
                posted++;
                queuePair.receiveQueue().receive(2, Unpooled.EMPTY_BUFFER);
                posted++;
            } catch (ConnectionClosedException ended) {
                // Not posted.
            }
        }

        /** Ends the stream. */
        @Actor
        public void loop() {
            end();
        }

        /** Lets the loop come to rest. */
        @Arbiter
        public void rest(I_Result result) {
            result.r1 = lost();
        }
    }

    /**
     * A thread posts from a region while another closes it. A later post is not held up, and the memory is let go of.
     */
    @JCStressTest
    @Outcome(id = "0, true", expect = Expect.ACCEPTABLE, desc = "what was posted has completed, and holds no memory")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a post is lost, or memory")
    @State
    public static class PostBesideCloseOfRegion extends Counted {
        private static final int LENGTH = 8;
        private final ByteBuf memory = UnpooledByteBufAllocator.DEFAULT.directBuffer(LENGTH, LENGTH);
        private final MemoryRegion region =
                queuePair.stream().protectionDomain().region().buffers(memory).register();

        /** Posts from the region. */
        @Actor
        public void poster() {
            try {
                queuePair.sendQueue().send(1, region.slice(0, LENGTH), PostOptions.NONE);
                posted++;
            } catch (RegionClosedException closed) {
                // Not posted.
            }
        }

        /** Closes the region. */
        @Actor
        public void closer() {
            region.close();
        }

        /** Posts once more, and ends the stream. */
        @Arbiter
        public void rest(IZ_Result result) {
            queuePair.sendQueue().send(2, Unpooled.EMPTY_BUFFER);
            posted++;
            end();
            result.r1 = lost();
            result.r2 = memory.refCnt() == 1;
            memory.release();
        }
    }
}

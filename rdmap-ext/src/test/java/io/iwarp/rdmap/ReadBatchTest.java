package io.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.CloseReason;
import io.iwarp.EndedBy;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Seeds;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Read Requests wait for each other while the peer has long responses to send, and for nothing else. */
class ReadBatchTest {
    private static final int KIB = 1024;
    private static final int LENGTH = 32 * KIB;
    private static final int ORD = 1024;
    private static final int STAG = 0x1234;
    /** A batch waits at most twice the time that is meant. */
    private static final Duration LONGEST = Duration.ofNanos(400_000);

    private static final int SEEDS = 100;
    private static final int STEPS = 300;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion sink = domain.region()
            .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
            .rights(AccessRight.LOCAL_WRITE)
            .register();
    private final ByteBuf bytes = Unpooled.directBuffer(8, 8).writeLong(1);
    private final Side side = new Side();

    @AfterEach
    void release() {
        side.peer.close();
        sink.close();
        domain.close();
        bytes.release();
    }

    @Test
    void readsLeaveAtOnceWhileThePeerHasLittleToSend() {
        for (int awaited = 0; awaited < 512 * KIB; awaited += LENGTH) {
            side.post(side.read(LENGTH));
            assertThat(side.listen()).isOne();
        }
        side.post(side.read(LENGTH));
        assertThat(side.listen()).isZero();
    }

    @Test
    void aBatchEndsWithAnEighthOfWhatThePeerHasToSend() {
        side.begin(2048 * KIB);
        for (int batch = LENGTH; batch <= 256 * KIB; batch += LENGTH) {
            side.post(side.read(LENGTH));
            assertThat(side.listen()).isZero();
        }
        side.post(side.read(LENGTH));
        assertThat(side.listen()).isEqualTo(9);
    }

    @Test
    void aBatchEndsWithHalfAMebibyte() {
        side.begin(8192 * KIB);
        int written = 0;
        int heard = 0;
        while (heard == 0) {
            side.post(side.read(LENGTH));
            written += LENGTH;
            heard = side.listen();
        }
        assertThat(written).isEqualTo(512 * KIB);
    }

    @Test
    void aBatchEndsWhenThePeerHasLittleLeft() {
        side.begin(512 * KIB + LENGTH);
        side.post(side.read(8));
        side.respond();
        assertThat(side.listen()).isZero();
        side.respond();
        assertThat(side.listen()).isOne();
    }

    @Test
    void aBatchEndsInTime() {
        side.begin(2048 * KIB);
        side.post(side.read(LENGTH));
        assertThat(side.listen()).isZero();
        side.peer.pass(LONGEST);
        assertThat(side.listen()).isOne();
        side.post(side.read(LENGTH));
        assertThat(side.listen()).isZero();
        side.peer.pass(LONGEST);
        assertThat(side.listen()).isOne();
    }

    @Test
    void anyOtherMessageEndsABatch() {
        side.begin(2048 * KIB);
        for (RdmapRequest other : List.of(side.send(), side.write(), new RdmapRequest().fetchAdd(STAG, 0, 1, 0))) {
            side.post(side.read(LENGTH));
            assertThat(side.listen()).isZero();
            side.post(other);
            assertThat(side.listen()).isEqualTo(2);
        }
    }

    @Test
    void aResponseToThePeerEndsABatch() {
        side.begin(2048 * KIB);
        side.post(side.read(LENGTH));
        side.peer.sends(Segment.readRequest(1, 1, 0, 0, 1, 0));
        assertThat(side.listen()).isEqualTo(2);
    }

    @Test
    void aCloseEndsABatch() {
        side.begin(2048 * KIB);
        side.post(side.read(LENGTH));
        side.peer.end.stream.close(new CloseReason(EndedBy.LOCAL_APPLICATION, null, "closed for the test", null));
        side.peer.end.stream.startRequests();
        assertThat(side.listen()).isOne();
    }

    /** The plain path flushes after each step. */
    @Test
    void thePeerSeesTheSameAsWithoutBatches() {
        int[] flushes = new int[2];
        Seeds.forEach(SEEDS, (seed, random) -> {
            long choices = random.nextLong();
            List<List<String>> outcomes = new ArrayList<>();
            for (boolean batches : new boolean[] {false, true}) {
                Side one = new Side();
                one.run(new Random(choices), batches);
                flushes[batches ? 1 : 0] += one.peer.end.flushes;
                outcomes.add(one.outcome());
                one.peer.close();
            }
            assertThat(outcomes.get(1)).isEqualTo(outcomes.get(0));
        });
        assertThat(flushes[1]).isLessThan(flushes[0]);
    }

    /** A stream, and the peer that responds to it. */
    private final class Side {
        private final ScriptedPeer peer = ScriptedPeer.of(domain, SimulatedStream.TIMEOUTS, ORD);
        private final List<RdmapRequest> posted = new ArrayList<>();
        private final List<String> heard = new ArrayList<>();
        private final Deque<byte[]> outstanding = new ArrayDeque<>();
        private int atomicResponses;

        RdmapRequest read(int length) {
            return new RdmapRequest().read(sink.stag(), sink.baseTaggedOffset(), length, STAG, 0);
        }

        RdmapRequest send() {
            return payload().send(false);
        }

        RdmapRequest write() {
            return payload().write(STAG, 0);
        }

        private RdmapRequest payload() {
            RdmapRequest request = new RdmapRequest();
            request.payload().wrap(bytes, 0, 8);
            return request;
        }

        void post(RdmapRequest... requests) {
            posted.addAll(List.of(requests));
            peer.end.submit(requests);
        }

        /** Posts Reads of so many bytes at once, which the peer hears. */
        void begin(int total) {
            RdmapRequest[] reads = new RdmapRequest[total / LENGTH];
            for (int i = 0; i < reads.length; i++) {
                reads[i] = read(LENGTH);
            }
            post(reads);
            assertThat(listen()).isEqualTo(reads.length);
        }

        /** Returns how many messages were sent. */
        int listen() {
            int count = 0;
            for (; !peer.hearsNothing(); count++) {
                byte[] ulpdu = peer.hears();
                heard.add(HexFormat.of().formatHex(ulpdu));
                int opcode = ulpdu[1] & 0xf;
                if (opcode == 1 || opcode == 0xa) {
                    outstanding.add(ulpdu);
                }
            }
            return count;
        }

        void respond() {
            if (!outstanding.isEmpty()) {
                byte[] request = outstanding.remove();
                boolean atomic = (request[1] & 0xf) == 0xa;
                peer.responds(request, atomic ? ++atomicResponses : 0);
            }
        }

        /** Takes random steps, until nothing is outstanding. */
        void run(Random random, boolean batches) {
            for (int step = 0; step < STEPS || !outstanding.isEmpty(); step++) {
                int dice = step < STEPS ? random.nextInt(100) : 99;
                if (dice < 40) {
                    post(read(random.nextInt(LENGTH)).fenced(dice == 0));
                } else if (dice < 43) {
                    post(dice == 40 ? send() : dice == 41 ? write() : new RdmapRequest().fetchAdd(STAG, 0, 1, 0));
                } else if (dice < 50) {
                    peer.pass(Duration.ofNanos(random.nextInt(300_000)));
                } else {
                    respond();
                }
                if (!batches) {
                    peer.end.flush();
                }
                listen();
                if (step == STEPS) {
                    peer.pass(LONGEST);
                    listen();
                }
            }
        }

        /** What the peer has heard, and the numbers of the requests that are complete. */
        List<String> outcome() {
            List<String> outcome = new ArrayList<>(heard);
            peer.end.completed.forEach(request -> outcome.add("complete " + posted.indexOf(request)));
            assertThat(peer.end.completed).hasSameSizeAs(posted);
            return outcome;
        }
    }
}

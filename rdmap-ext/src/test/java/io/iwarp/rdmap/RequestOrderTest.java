package io.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The order in which requests are sent and complete, and which of them wait for a response. A scripted peer receives
 * them and responds when the test says so.
 */
class RequestOrderTest {
    private static final int ORD = 16;
    private static final int STAG = 0x1234;
    private static final boolean FENCED = true;
    private static final boolean UNFENCED = false;

    /** What can be posted, with the opcodes that the peer must see. */
    private enum Kind {
        SEND(3) {
            @Override
            RdmapRequest request(RequestOrderTest test) {
                return test.withPayload().send(false);
            }
        },
        SEND_WITH_INVALIDATE(4) {
            @Override
            RdmapRequest request(RequestOrderTest test) {
                return test.withPayload().sendWithInvalidate(STAG, false);
            }
        },
        WRITE(0) {
            @Override
            RdmapRequest request(RequestOrderTest test) {
                return test.withPayload().write(STAG, 0);
            }
        },
        WRITE_WITH_IMMEDIATE(0) {
            @Override
            RdmapRequest request(RequestOrderTest test) {
                return test.withPayload().writeWithImmediate(STAG, 0, 1, false);
            }
        },
        IMMEDIATE(8) {
            @Override
            RdmapRequest request(RequestOrderTest test) {
                return new RdmapRequest().immediate(1, false);
            }
        },
        READ(1) {
            @Override
            RdmapRequest request(RequestOrderTest test) {
                return new RdmapRequest().read(test.sink.stag(), test.sink.baseTaggedOffset(), 8, STAG, 0);
            }
        },
        FETCH_ADD(0xa) {
            @Override
            RdmapRequest request(RequestOrderTest test) {
                return new RdmapRequest().fetchAdd(STAG, 0, 1, 0);
            }
        },
        COMPARE_SWAP(0xa) {
            @Override
            RdmapRequest request(RequestOrderTest test) {
                return new RdmapRequest().compareSwap(STAG, 0, 2, -1, 1, -1);
            }
        };

        private final int opcode;

        Kind(int opcode) {
            this.opcode = opcode;
        }

        abstract RdmapRequest request(RequestOrderTest test);

        boolean hasResponse() {
            return this == READ || this == FETCH_ADD || this == COMPARE_SWAP;
        }
    }

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf bytes = Unpooled.directBuffer(8, 8).writeLong(0x0102030405060708L);
    private final MemoryRegion sink = domain.region()
            .allocate(UnpooledByteBufAllocator.DEFAULT, 64)
            .rights(AccessRight.LOCAL_WRITE)
            .register();
    private final ScriptedPeer peer = ScriptedPeer.of(domain, SimulatedStream.TIMEOUTS, ORD);
    private final List<RdmapRequest> posted = new ArrayList<>();
    private final Deque<byte[]> outstanding = new ArrayDeque<>();
    private int atomicResponses;

    @AfterEach
    void release() {
        peer.close();
        sink.close();
        domain.close();
        bytes.release();
    }

    private RdmapRequest withPayload() {
        RdmapRequest request = new RdmapRequest();
        request.payload().wrap(bytes, 0, 8);
        return request;
    }

    private void post(Kind kind, boolean fenced) {
        RdmapRequest request = kind.request(this).fenced(fenced);
        posted.add(request);
        peer.end.submit(request);
    }

    /** The numbers of the requests that are complete, in the order of their completion. */
    private List<Integer> completed() {
        return peer.end.completed.stream().map(posted::indexOf).toList();
    }

    /** The peer sees the messages of a request of this kind next. */
    private void expect(Kind kind) {
        byte[] ulpdu = peer.hears();
        assertThat(ulpdu[1] & 0xf).as("opcode of %s", kind).isEqualTo(kind.opcode);
        if (kind.hasResponse()) {
            outstanding.add(ulpdu);
        }
        if (kind == Kind.WRITE_WITH_IMMEDIATE) {
            assertThat(peer.hearsOpcode()).isEqualTo(8);
        }
    }

    /** The peer responds to the Read or atomic that it saw first. */
    private void respondToOldest() {
        respond(outstanding.remove());
    }

    private void respond(byte[] request) {
        boolean read = (request[1] & 0xf) == 1;
        peer.responds(request, read ? 0 : ++atomicResponses);
    }

    static Stream<Arguments> pairs() {
        return Stream.of(Kind.values())
                .flatMap(first -> Stream.of(Kind.values()).map(second -> Arguments.of(first, second)));
    }

    static Stream<Arguments> pairsWhoseFirstHasAResponse() {
        return pairs().filter(pair -> ((Kind) pair.get()[0]).hasResponse());
    }

    @ParameterizedTest(name = "{0} -> {1}")
    @MethodSource("pairs")
    @Requirement({"RDMAP-13", "RDMAP-20", "RDMAP-36", "RDMAP-65", "RDMAP-66", "EXT-14", "EXT-17", "EXT-26", "EXT-28"})
    void requestsLeaveAsPostedAndWithoutAFenceNoneWaitsForAResponse(Kind first, Kind second) {
        post(first, UNFENCED);
        post(second, UNFENCED);
        expect(first);
        expect(second);
        int msn = 0;
        for (byte[] request : outstanding) {
            assertThat(ByteBuffer.wrap(request).getInt(10)).as("MSN on queue 1").isEqualTo(++msn);
        }
    }

    @ParameterizedTest(name = "{0} -> {1}")
    @MethodSource("pairsWhoseFirstHasAResponse")
    @Requirement({"RDMAP-63", "RDMAP-68", "RDMAP-70", "EXT-24", "EXT-27"})
    void requestsAfterAReadOrAtomicCompleteAfterIt(Kind first, Kind second) {
        post(first, UNFENCED);
        post(second, UNFENCED);
        expect(first);
        expect(second);
        assertThat(completed()).isEmpty();
        if (second.hasResponse()) {
            byte[] oldest = outstanding.remove();
            boolean sameQueue = (oldest[1] & 0xf) == (outstanding.peek()[1] & 0xf);
            if (sameQueue) {
                respond(oldest);
                assertThat(completed()).containsExactly(0);
                respondToOldest();
            } else {
                respondToOldest();
                assertThat(completed()).isEmpty();
                respond(oldest);
            }
        } else {
            respondToOldest();
        }
        assertThat(completed()).containsExactly(0, 1);
    }

    @ParameterizedTest(name = "{0} -> fenced {1}")
    @MethodSource("pairsWhoseFirstHasAResponse")
    @Requirement({"RDMAP-65", "EXT-26"})
    void fencedRequestAndLaterOnesWaitForTheResponse(Kind first, Kind second) {
        post(first, UNFENCED);
        post(second, FENCED);
        post(Kind.WRITE, UNFENCED);
        expect(first);
        assertThat(peer.hearsNothing()).isTrue();
        respondToOldest();
        expect(second);
        expect(Kind.WRITE);
    }

    @Test
    @Requirement({"RDMAP-65"})
    void aFenceWaitsForAllEarlierReadsAndAtomicsAndForNothingElse() {
        post(Kind.WRITE, FENCED);
        post(Kind.READ, FENCED);
        post(Kind.FETCH_ADD, UNFENCED);
        post(Kind.READ, UNFENCED);
        post(Kind.SEND, FENCED);
        post(Kind.READ, UNFENCED);
        expect(Kind.WRITE);
        expect(Kind.READ);
        expect(Kind.FETCH_ADD);
        expect(Kind.READ);
        for (int i = 0; i < 3; i++) {
            assertThat(peer.hearsNothing()).as("with %d responses", i).isTrue();
            respondToOldest();
        }
        expect(Kind.SEND);
        expect(Kind.READ);
        assertThat(peer.hearsNothing()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"READ", "FETCH_ADD", "COMPARE_SWAP"})
    @Requirement({"RDMAP-72", "RDMAP-73", "EXT-14"})
    void requestsBeyondTheOrdAndLaterOnesWait(Kind kind) {
        int count = 3 * ORD;
        for (int i = 0; i < count; i++) {
            post(i % 3 == 0 ? Kind.READ : kind, UNFENCED);
        }
        post(Kind.SEND, UNFENCED);
        post(Kind.WRITE, UNFENCED);
        for (int i = 0; i < ORD; i++) {
            expect(i % 3 == 0 ? Kind.READ : kind);
        }
        assertThat(peer.hearsNothing()).isTrue();
        for (int i = ORD; i < count; i++) {
            respondToOldest();
            expect(i % 3 == 0 ? Kind.READ : kind);
            assertThat(i + 1 < count == peer.hearsNothing()).as("after %d", i).isTrue();
        }
        expect(Kind.SEND);
        expect(Kind.WRITE);
        assertThat(peer.hearsNothing()).isTrue();
        assertThat(completed()).hasSize(count - ORD);
        while (!outstanding.isEmpty()) {
            respondToOldest();
        }
        assertThat(completed())
                .containsExactlyElementsOf(
                        Stream.iterate(0, i -> i + 1).limit(count + 2).toList());
    }

    @Test
    void requestsOfAnInputBurstShareOneFlush() {
        for (int i = 0; i <= ORD; i++) {
            post(Kind.FETCH_ADD, UNFENCED);
        }
        for (int i = 0; i < ORD; i++) {
            expect(Kind.FETCH_ADD);
        }
        int before = peer.end.flushes;
        peer.end.onReadComplete = () -> {
            peer.end.onReadComplete = () -> {};
            post(Kind.WRITE, UNFENCED);
        };
        respondToOldest();
        assertThat(peer.end.flushes).isEqualTo(before + 1);
        expect(Kind.FETCH_ADD);
        expect(Kind.WRITE);
    }

    @Test
    @Requirement({"RDMAP-30", "RDMAP-63", "RDMAP-70"})
    void aReadIsCompleteWithTheLastSegmentOfItsResponseAndNotBefore() {
        post(Kind.READ, UNFENCED);
        ByteBuffer request = ByteBuffer.wrap(peer.hears());
        int stag = request.getInt(18);
        long offset = request.getLong(22);
        peer.sends(Segment.readResponse(stag, offset, new byte[5]).last(false));
        assertThat(completed()).isEmpty();
        peer.sends(Segment.readResponse(stag, offset + 5, new byte[3]));
        assertThat(completed()).containsExactly(0);
    }
}

package io.iwarp.verbs;

import static io.iwarp.verbs.CompareSwap.compare;
import static io.iwarp.verbs.Loopback.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.Counter;
import io.iwarp.Operation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.iwarp.testing.SocketPeer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A post of each kind carries its fence down to RDMAP. A scripted peer sees the order on the wire, and responds when
 * the test wants. The order itself is the subject of {@code RequestOrderTest} in the module of RDMAP.
 */
class OutgoingOrderTest {
    private static final int ORD = 16;
    private static final QueuePairSettings SETTINGS = QueuePairSettings.builder()
            .mpa(MpaSettings.builder().ord(ORD).build())
            .build();
    private static final int STAG = 0x1234;
    private static final RemoteBuffer TARGET = new RemoteBuffer(STAG, 0, 64);

    /** What can be posted, with the opcodes that the peer must see. */
    private enum Kind {
        SEND(3) {
            @Override
            void post(OutgoingOrderTest test, long id, PostOptions options) {
                test.queuePair.sendQueue().send(id, test.bytes, options);
            }
        },
        SEND_WITH_INVALIDATE(4) {
            @Override
            void post(OutgoingOrderTest test, long id, PostOptions options) {
                test.queuePair.sendQueue().sendWithInvalidate(id, test.bytes, TARGET, options);
            }
        },
        WRITE(0) {
            @Override
            void post(OutgoingOrderTest test, long id, PostOptions options) {
                test.queuePair.sendQueue().write(id, test.bytes, TARGET, options);
            }
        },
        WRITE_WITH_IMMEDIATE(0) {
            @Override
            void post(OutgoingOrderTest test, long id, PostOptions options) {
                test.queuePair.sendQueue().writeWithImmediate(id, test.bytes, TARGET, new ImmediateData(id), options);
            }
        },
        IMMEDIATE(8) {
            @Override
            void post(OutgoingOrderTest test, long id, PostOptions options) {
                test.queuePair.sendQueue().sendImmediate(id, new ImmediateData(id), options);
            }
        },
        READ(1) {
            @Override
            void post(OutgoingOrderTest test, long id, PostOptions options) {
                test.queuePair.sendQueue().read(id, test.sink.slice(0, 8), TARGET.slice(0, 8), options);
            }
        },
        FETCH_ADD(0xa) {
            @Override
            void post(OutgoingOrderTest test, long id, PostOptions options) {
                test.queuePair.sendQueue().fetchAdd(id, TARGET.slice(0, Long.BYTES), FetchAdd.add(1), options);
            }
        },
        COMPARE_SWAP(0xa) {
            @Override
            void post(OutgoingOrderTest test, long id, PostOptions options) {
                test.queuePair
                        .sendQueue()
                        .compareSwap(id, TARGET.slice(0, Long.BYTES), compare(1).swap(2), options);
            }
        };

        private final int opcode;

        Kind(int opcode) {
            this.opcode = opcode;
        }

        abstract void post(OutgoingOrderTest test, long id, PostOptions options);

        boolean hasResponse() {
            return this == READ || this == FETCH_ADD || this == COMPARE_SWAP;
        }
    }

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf bytes = Unpooled.directBuffer(8, 8).writeLong(0x0102030405060708L);
    private final ByteBuf inbox = Unpooled.directBuffer(8, 8);
    /** What completed; belongs to the event loop. */
    private final List<String> completed = new ArrayList<>();

    private final Deque<byte[]> outstanding = new ArrayDeque<>();
    private ServerSocket server;
    private MemoryRegion sink;
    private QueuePair queuePair;
    private SocketPeer peer;
    private int sentByPeer;
    private int atomicResponses;

    @BeforeEach
    void establish() throws Exception {
        sink = domain.region()
                .allocate(UnpooledByteBufAllocator.DEFAULT, 64)
                .rights(AccessRight.LOCAL_WRITE)
                .register();
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        CompletableFuture<SocketPeer> accepted = SocketPeer.accepting(server);
        queuePair = loopback.connect(server.getLocalSocketAddress(), domain, SETTINGS, qp -> {
            qp.setCompletionListener((same, completion) -> completed.add(
                    completion.operation() == Operation.RECEIVE ? "in" : Long.toString(completion.workRequestId())));
            for (int i = 0; i < 64; i++) {
                qp.receiveQueue().receive(i, inbox);
            }
        });
        peer = await(accepted);
    }

    @AfterEach
    void release() throws Exception {
        peer.close();
        await(queuePair.closed());
        loopback.close();
        server.close();
        sink.close();
        domain.close();
        bytes.release();
        inbox.release();
    }

    /** Posts in one go and returns when all of it that may go is on its way. */
    private void post(Consumer<QueuePair> posts) throws Exception {
        queuePair.channel().eventLoop().submit(() -> posts.accept(queuePair)).sync();
        settle();
    }

    private void settle() throws Exception {
        queuePair.channel().eventLoop().submit(() -> {}).sync();
    }

    private long sent() throws Exception {
        settle();
        return queuePair.counters().get(Counter.FPDUS_SENT);
    }

    private List<String> completed() throws Exception {
        return queuePair
                .channel()
                .eventLoop()
                .submit(() -> List.copyOf(completed))
                .sync()
                .getNow();
    }

    /** The peer sees the messages of a request of this kind next. */
    private void expect(Kind kind) throws Exception {
        byte[] ulpdu = peer.expectUlpdu();
        assertThat(ulpdu[1] & 0xf).as("opcode of %s", kind).isEqualTo(kind.opcode);
        if (kind.hasResponse()) {
            outstanding.add(ulpdu);
        }
        if (kind == Kind.WRITE_WITH_IMMEDIATE) {
            assertThat(peer.expectOpcode()).isEqualTo(8);
        }
    }

    /** The peer responds to the Read or atomic that it saw first. */
    private void respondToOldest() throws Exception {
        respond(outstanding.remove());
    }

    private void respond(byte[] ulpdu) throws Exception {
        ByteBuffer request = ByteBuffer.wrap(ulpdu);
        if ((ulpdu[1] & 0xf) == 1) {
            peer.sends(Segment.readResponse(request.getInt(18), request.getLong(22), new byte[request.getInt(30)]));
        } else {
            peer.sends(Segment.atomicResponse(++atomicResponses, request.getInt(22), 0));
        }
    }

    /** Returns when everything that the peer sent before has been handled. */
    private void peerSends() throws Exception {
        peer.sends(Segment.send(++sentByPeer, new byte[0]));
        while (completed().stream().filter("in"::equals).count() < sentByPeer) {
            Thread.onSpinWait();
        }
    }

    static Stream<Arguments> pairsWhoseFirstHasAResponse() {
        return Stream.of(Kind.values())
                .filter(Kind::hasResponse)
                .flatMap(first -> Stream.of(Kind.values()).map(second -> Arguments.of(first, second)));
    }

    @ParameterizedTest(name = "{0} -> fenced {1}")
    @MethodSource("pairsWhoseFirstHasAResponse")
    @Requirement({"RDMAP-65", "EXT-26"})
    void aFencedRequestAndAllBehindItWaitForTheResponse(Kind first, Kind second) throws Exception {
        post(qp -> {
            first.post(this, 1, PostOptions.NONE);
            second.post(this, 2, PostOptions.FENCE);
            Kind.WRITE.post(this, 3, PostOptions.NONE);
        });
        assertThat(sent()).isOne();
        expect(first);
        peerSends();
        assertThat(sent()).isOne();
        respondToOldest();
        expect(second);
        expect(Kind.WRITE);
    }
}

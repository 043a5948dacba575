package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A segment that is wrong in two ways: which of the two the Terminate names. */
class CheckOrderTest {
    private static final int LENGTH = 64;
    private static final int TERMINATE_HEADERS = 18 + 4;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final MemoryRegion region = domain.region()
            .allocate(UnpooledByteBufAllocator.DEFAULT, LENGTH)
            .rights(AccessRight.REMOTE_WRITE)
            .register();
    private final ByteBuf inbox = Unpooled.buffer(LENGTH);

    @AfterEach
    void close() {
        region.close();
        domain.close();
        inbox.release();
    }

    private record Mistake(String code, String name, UnaryOperator<Segment> make) {}

    private static Mistake mistake(String code, String name, UnaryOperator<Segment> make) {
        return new Mistake(code, name, make);
    }

    /** Those of the fields of DDP that say whose the rest of the header is. */
    private static List<Mistake> ddpMistakes(boolean tagged) {
        List<Mistake> mistakes = new ArrayList<>();
        for (int version : new int[] {0, 2, 3}) {
            mistakes.add(mistake(tagged ? "1104" : "1206", "DDP version " + version, s -> s.ddpVersion(version)));
        }
        if (!tagged) {
            mistakes.add(mistake("1201", "queue 4", segment -> segment.queue(4)));
            mistakes.add(mistake("1201", "queue 2^31", segment -> segment.queue(1 << 31)));
        }
        return mistakes;
    }

    private static List<Mistake> rdmapMistakes(boolean tagged) {
        return List.of(
                mistake("0206", "opcode 12", segment -> segment.opcode(12)),
                mistake("0206", "opcode 15", segment -> segment.opcode(15)),
                mistake("0206", "an opcode for the other header", segment -> segment.opcode(tagged ? 3 : 0)),
                mistake("0205", "RDMAP version 0", segment -> segment.rdmapVersion(0)),
                mistake("0205", "RDMAP version 3", segment -> segment.rdmapVersion(3)));
    }

    /** Those that need what is behind the header: a buffer, or the memory of an STag. */
    private static List<Mistake> bufferMistakes(boolean tagged) {
        return tagged
                ? List.of(mistake("1101", "beyond the region", segment -> segment.payload(new byte[LENGTH + 1])))
                : List.of(
                        mistake("1205", "a message too long", segment -> segment.payload(new byte[LENGTH + 1])),
                        mistake("1204", "a message offset beyond the buffer", segment -> segment.offset(LENGTH + 1)));
    }

    static Stream<Arguments> pairs() {
        List<Arguments> pairs = new ArrayList<>();
        for (boolean tagged : new boolean[] {true, false}) {
            for (Mistake rdmap : rdmapMistakes(tagged)) {
                ddpMistakes(tagged).forEach(ddp -> pairs.add(Arguments.of(tagged, ddp, rdmap)));
                bufferMistakes(tagged).forEach(buffer -> pairs.add(Arguments.of(tagged, rdmap, buffer)));
            }
        }
        return pairs.stream();
    }

    @ParameterizedTest
    @MethodSource("pairs")
    @Requirement({"RDMAP-77", "RDMAP-78", "RDMAP-79"})
    void theFirstInTheOrderOfTheChecksIsNamed(boolean tagged, Mistake named, Mistake other) {
        Segment right = tagged ? Segment.write(region.stag(), 0, new byte[4]) : Segment.send(1, new byte[4]);
        Segment wrong = named.make().apply(other.make().apply(right));
        try (SimulatedPair pair = new SimulatedPair(domain, QueuePairSettings.DEFAULT, qp -> qp.receive(inbox))) {
            pair.responder.writeInbound(Unpooled.wrappedBuffer(wrong.fpdu()));
            pair.responder.runTasks();

            ByteBuf terminate = pair.responder.readOutbound();
            byte[] ulpdu = new byte[terminate.getUnsignedShort(0)];
            terminate.getBytes(Short.BYTES, ulpdu).release();
            assertThat(HexFormat.of().formatHex(ulpdu, 0, TERMINATE_HEADERS))
                    .isEqualTo("41470000000000000002000000010000" + "0000" + named.code() + "c000");
        }
        assertThat(region.getVolatile(0)).isZero();
    }
}

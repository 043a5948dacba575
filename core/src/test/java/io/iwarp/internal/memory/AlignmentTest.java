package io.iwarp.internal.memory;

import static io.iwarp.memory.AccessRight.REMOTE_ATOMIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which bytes atomic operations accept: it is the address that counts, never the tagged offset. */
class AlignmentTest {
    private static final int LENGTH = 64;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final StreamAssociation stream = StreamAssociation.open(domain);
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(LENGTH + 8).alignedSlice(8);
    private final ByteBuf aligned = Unpooled.wrappedBuffer(bytes);

    @AfterEach
    void close() {
        stream.close();
        domain.close();
        assertThat(aligned.refCnt()).isOne();
        aligned.release();
    }

    private String dump() {
        return ByteBufUtil.hexDump(aligned, 0, LENGTH);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    @Requirement({"EXT-6", "EXT-9", "EXT-13"})
    void addressDecidesAlignmentNotTheTaggedOffset(int skew) {
        for (long base : new long[] {0, 1, 4, 8, 1003, -56}) {
            MemoryRegion region = domain.region()
                    .buffers(aligned.slice(skew, 48))
                    .baseTaggedOffset(base)
                    .rights(REMOTE_ATOMIC)
                    .register();
            TaggedBuffer tagged = stream.lookup(region.stag());
            for (int offset = 0; offset <= 40; offset++) {
                assertThat(tagged.isAligned(base + offset))
                        .as("skew %d, offset %d", skew, offset)
                        .isEqualTo((skew + offset) % 8 == 0);
            }
            region.close();
        }
    }

    @Test
    @Requirement({"EXT-6", "EXT-9"})
    void misalignedAtomicsLeaveMemoryUntouched() {
        MemoryRegion region = domain.register(aligned, REMOTE_ATOMIC);
        TaggedBuffer tagged = stream.lookup(region.stag());
        String before = dump();
        for (AtomicOperation operation : new AtomicOperation[] {
            new AtomicOperation().fetchAdd(-1, 0),
            new AtomicOperation().fetchAdd(-1, 1),
            new AtomicOperation().compareSwap(-1, -1, 0, 0)
        }) {
            for (int offset : new int[] {1, 2, 4, 12, 55}) {
                assertThatThrownBy(() -> tagged.execute(offset, operation)).isInstanceOf(IllegalStateException.class);
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> region.fetchAdd(offset, 1))
                        .withMessageContaining("register buffers that begin at such addresses");
            }
            for (long offset : new long[] {-1, 65, Long.MIN_VALUE}) {
                assertThatThrownBy(() -> tagged.execute(offset, operation))
                        .isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> region.fetchAdd(offset, 1)).isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
        assertThat(dump()).isEqualTo(before);
        assertThat(tagged.execute(8, new AtomicOperation().fetchAdd(1, 0))).isTrue();
        region.close();
    }

    @Test
    @Requirement({"EXT-6", "EXT-9"})
    void theBytesMustLieInOneBufferOfTheRegion() {
        MemoryRegion region = domain.region()
                .buffers(aligned.slice(0, 12), aligned.slice(16, 4), aligned.slice(32, 16))
                .rights(REMOTE_ATOMIC)
                .register();
        TaggedBuffer tagged = stream.lookup(region.stag());
        for (int offset = 0; offset <= 24; offset++) {
            boolean fits = offset == 0 || offset == 16 || offset == 24;
            assertThat(tagged.isAligned(offset)).as("offset %d", offset).isEqualTo(fits);
        }
        String before = dump();
        assertThatThrownBy(() -> tagged.execute(8, new AtomicOperation().fetchAdd(-1, 0)))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> region.fetchAdd(8, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> region.fetchAdd(12, 1));
        assertThat(dump()).isEqualTo(before);
        assertThat(tagged.execute(24, new AtomicOperation().fetchAdd(-1, 0))).isTrue();
        assertThat(aligned.getLong(40)).isEqualTo(-1);
        assertThat(aligned.getLong(32)).isZero();
        region.close();
    }

    /**
     * The first buffer begins inside 8 aligned bytes, the second ends inside, and a number may cross no end of a
     * buffer.
     */
    @Test
    void aByteIsInsideANumberIfAnAtomicMayChangeIt() {
        MemoryRegion region = domain.region()
                .buffers(aligned.slice(4, 20), aligned.slice(27, 17))
                .register();
        TaggedBuffer tagged = stream.lookup(region.stag());
        for (int offset = 0; offset < 37; offset++) {
            int into = 0;
            for (int number : new int[] {4, 12, 25}) {
                into = offset > number && offset < number + 8 ? offset - number : into;
            }
            assertThat(tagged.bytesIntoWord(offset)).as("offset %d", offset).isEqualTo(into);
        }
        region.close();
    }

    @Test
    @Requirement({"EXT-6", "EXT-13"})
    void aWindowCountsFromItsRegionsMemory() {
        MemoryRegion region = domain.register(aligned);
        MemoryWindow window =
                region.window(4, 20).baseTaggedOffset(100).rights(REMOTE_ATOMIC).bind();
        TaggedBuffer tagged = stream.lookup(window.stag());
        assertThat(tagged.isAligned(100)).isFalse();
        assertThat(tagged.isAligned(104)).isTrue();
        assertThat(tagged.isAligned(112)).isTrue();
        assertThatThrownBy(() -> tagged.isAligned(113)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(tagged.execute(104, new AtomicOperation().compareSwap(-1, -1, 0, -1)))
                .isTrue();
        assertThat(aligned.getLong(8)).isEqualTo(-1);
        assertThat(aligned.getLong(0)).isZero();
        assertThat(aligned.getLong(16)).isZero();
        region.close();
    }
}

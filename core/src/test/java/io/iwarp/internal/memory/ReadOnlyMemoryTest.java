package io.iwarp.internal.memory;

import static io.iwarp.memory.AccessRight.LOCAL_WRITE;
import static io.iwarp.memory.AccessRight.REMOTE_ATOMIC;
import static io.iwarp.memory.AccessRight.REMOTE_READ;
import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.MemoryWindow;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A region over read-only buffers can be read by peers and by this side, and cannot be changed. */
class ReadOnlyMemoryTest {
    private static final int LENGTH = 16;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final StreamAssociation stream = StreamAssociation.open(domain);
    private final ByteBuf memory = PooledByteBufAllocator.DEFAULT
            .directBuffer(LENGTH, LENGTH)
            .writeLong(0)
            .writeLong(-1);
    private final ByteBuf other = Unpooled.buffer(LENGTH).writeLong(7).writeLong(7);
    private final MemoryRegion region = domain.register(memory.asReadOnly(), REMOTE_READ);

    @AfterEach
    void close() {
        assertThat(memory.getLong(0)).isZero();
        assertThat(memory.getLong(Long.BYTES)).isEqualTo(-1);
        region.close();
        stream.close();
        domain.close();
        other.release();
        assertThat(memory.refCnt()).isOne();
        memory.release();
    }

    @Test
    void peersReadIt() {
        TaggedBuffer tagged = stream.lookup(region.stag());

        assertThat(tagged.check(stream, REMOTE_READ, 0, LENGTH)).isEqualTo(AccessVerdict.GRANTED);
        assertThat(tagged.fetch(4, other, 0, 8)).isTrue();
        assertThat(other.getLong(0)).isEqualTo(0xffff_ffffL);
        assertThat(region.isReadOnly()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = AccessRight.class,
            names = {"LOCAL_WRITE", "REMOTE_WRITE", "REMOTE_ATOMIC"})
    @Requirement("SEC-4")
    void noRightToChangeItIsGranted(AccessRight right) {
        ByteBuf readOnly = memory.asReadOnly();
        ByteBuf writable = Unpooled.directBuffer(8, 8);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> domain.register(readOnly, REMOTE_READ, right))
                .withMessageContaining(
                        "cannot grant [" + right + "] on read-only memory; grant nothing but REMOTE_READ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> domain.region()
                        .rights(right)
                        .buffers(writable, readOnly)
                        .register())
                .withMessageContaining("read-only");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> region.window(0, 8).rights(right, REMOTE_READ).bind())
                .withMessageContaining("cannot grant [" + right + "]");
        assertThat(domain.regionCount()).isOne();
        assertThat(writable.release()).isTrue();
    }

    @Test
    void windowsGrantReads() {
        try (MemoryWindow window = region.window(8, 8).rights(REMOTE_READ).bind()) {
            assertThat(stream.lookup(window.stag()).fetch(0, other, 0, 8)).isTrue();
        }
        assertThat(other.getLong(0)).isEqualTo(-1);
    }

    @Test
    void thisSideReadsItAndCannotChangeIt() {
        region.getBytes(8, other.clear(), 8);
        assertThat(other.getLong(0)).isEqualTo(-1);
        assertThat(region.getVolatile(8)).isEqualTo(-1);

        assertRefused(() -> region.setBytes(0, other));
        assertRefused(() -> region.setVolatile(0, 1));
        assertRefused(() -> region.fetchAdd(0, 1));
        assertRefused(() -> region.compareSwap(0, 0, 1));
    }

    private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable change) {
        assertThatThrownBy(change)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("read-only buffer");
    }

    @Test
    void writableMemoryTakesEveryRight() {
        try (MemoryRegion writable = domain.register(memory, REMOTE_READ, LOCAL_WRITE, REMOTE_WRITE, REMOTE_ATOMIC)) {
            assertThat(writable.isReadOnly()).isFalse();
        }
    }
}

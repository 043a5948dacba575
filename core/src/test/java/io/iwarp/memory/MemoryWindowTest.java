package io.iwarp.memory;

import static io.iwarp.memory.AccessRight.REMOTE_READ;
import static io.iwarp.memory.AccessRight.REMOTE_WRITE;
import static io.iwarp.memory.AccessVerdict.BOUNDS;
import static io.iwarp.memory.AccessVerdict.GRANTED;
import static io.iwarp.memory.AccessVerdict.NOT_ASSOCIATED;
import static io.iwarp.memory.AccessVerdict.NO_RIGHT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.testing.Requirement;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MemoryWindowTest {
    private final IwarpDevice device = IwarpDevice.builder().maximumWindows(2).build();
    private final ProtectionDomain domain = device.allocateProtectionDomain();
    private final StreamAssociation stream = domain.openStream();
    private final StreamAssociation other = domain.openStream();
    private final ByteBuf memory = Unpooled.directBuffer(64, 64).writeZero(64);
    private final MemoryRegion region = domain.register(memory);

    @AfterEach
    void release() {
        region.close();
        stream.close();
        other.close();
        domain.close();
        assertThat(device.windows()).isZero();
        memory.release();
    }

    @Test
    @Requirement("SEC-5")
    void showsItsPartOfTheRegionUnderAnStagAndRightsOfItsOwn() {
        MemoryWindow window = region.window(16, 8).baseTaggedOffset(1000).rights(REMOTE_WRITE).stream(stream)
                .bind();
        assertThat(window.stag()).isNotEqualTo(region.stag());
        assertThat(window.remoteBuffer()).isEqualTo(new RemoteBuffer(window.stag(), 1000, 8));
        TaggedBuffer tagged = stream.lookup(window.stag());
        assertThat(tagged.check(stream, REMOTE_WRITE, 1000, 8)).isEqualTo(GRANTED);
        assertThat(tagged.check(stream, REMOTE_WRITE, 999, 1)).isEqualTo(BOUNDS);
        assertThat(tagged.check(stream, REMOTE_WRITE, 1000, 9)).isEqualTo(BOUNDS);
        assertThat(tagged.check(stream, REMOTE_READ, 1000, 8)).isEqualTo(NO_RIGHT);
        assertThat(tagged.check(other, REMOTE_WRITE, 1000, 8)).isEqualTo(NOT_ASSOCIATED);
        ByteBuf octets = Unpooled.wrappedBuffer(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
        assertThat(tagged.place(1000, octets, 0, 8)).isTrue();
        assertThat(memory.getLong(16)).isEqualTo(0x0102030405060708L);
        assertThat(memory.getLong(8)).isZero();
        assertThat(memory.getLong(24)).isZero();
        ByteBuf fetched = Unpooled.buffer(8);
        assertThat(tagged.fetch(1004, fetched, 0, 4)).isTrue();
        assertThat(fetched.getInt(0)).isEqualTo(0x05060708);
    }

    @Test
    @Requirement({"SEC-7", "RDMAP-39"})
    void onlyThePeerOfItsOwnStreamTakesItBack() {
        MemoryWindow own = region.window(0, 8).stream(stream).bind();
        MemoryWindow shared = region.window(0, 8).bind();
        assertThat(other.invalidate(own.stag())).isEqualTo(InvalidationVerdict.NOT_PERMITTED);
        assertThat(stream.invalidate(shared.stag())).isEqualTo(InvalidationVerdict.NOT_PERMITTED);
        assertThat(stream.invalidate(region.stag())).isEqualTo(InvalidationVerdict.NOT_PERMITTED);
        assertThat(own.isValid()).isTrue();
        assertThat(stream.invalidate(own.stag())).isEqualTo(InvalidationVerdict.INVALIDATED);
        assertThat(own.isValid()).isFalse();
        assertThat(stream.lookup(own.stag())).isNull();
        assertThat(stream.invalidate(own.stag())).isEqualTo(InvalidationVerdict.UNKNOWN);
        assertThatThrownBy(own::remoteBuffer).hasMessageContaining("invalidated");
        assertThat(region.isValid()).isTrue();
    }

    @Test
    void endsWithItsRegionItsStreamAndTheLimit() {
        MemoryWindow ofStream = region.window(0, 8).stream(other).bind();
        MemoryWindow ofDomain = region.window(8, 56).bind();
        assertThatThrownBy(() -> region.window(0, 1).bind())
                .isInstanceOf(ResourceLimitException.class)
                .hasMessageContaining("maximumWindows");
        other.close();
        assertThat(ofStream.isValid()).isFalse();
        assertThat(ofDomain.isValid()).isTrue();
        assertThatThrownBy(() -> region.window(0, 8).stream(other).bind()).hasMessageContaining("stream was closed");
        region.invalidate();
        assertThat(ofDomain.isValid()).isFalse();
        assertThatThrownBy(() -> region.window(0, 8).bind()).hasMessageContaining("invalidated");
    }

    @Test
    void liesWithinItsRegionAndBelowTheEndOfTaggedOffsets() {
        assertThatThrownBy(() -> region.window(0, 65)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> region.window(64, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> region.window(0, 8).baseTaggedOffset(-7).bind())
                .isInstanceOf(IllegalArgumentException.class);
        region.window(0, 8).baseTaggedOffset(-8).bind().close();
    }
}

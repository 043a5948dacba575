package io.iwarp.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LeakCheckTest {
    static List<ByteBufAllocator> allocators() {
        return List.of(ByteBufAllocator.DEFAULT, PooledByteBufAllocator.DEFAULT, UnpooledByteBufAllocator.DEFAULT);
    }

    @ParameterizedTest
    @MethodSource("allocators")
    void aBufferThatIsNeverReleasedIsFound(ByteBufAllocator allocator) throws InterruptedException {
        allocator.directBuffer(64).writeByte(1);
        assertThat(LeakCheck.collectLeaks()).singleElement().asString().contains("ByteBuf", "LeakCheckTest.java");
    }

    @Test
    void aBufferThatIsReleasedIsNotALeak() throws InterruptedException {
        ByteBufAllocator.DEFAULT.directBuffer(64).writeByte(1).release();
        assertThat(LeakCheck.collectLeaks()).isEmpty();
    }
}

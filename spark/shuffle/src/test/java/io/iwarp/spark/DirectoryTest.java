package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DirectoryTest {
    private static final int SLOTS = 64;

    private final ProtectionDomain domain = ProtectionDomain.create();
    private final Directory directory = new Directory(domain, UnpooledByteBufAllocator.DEFAULT, SLOTS);

    @AfterEach
    void close() {
        directory.close();
        domain.close();
    }

    private static MapSlot slot(MapKey key) {
        return new MapSlot(key, new RemoteBuffer(1, 0, 100), new RemoteBuffer(2, 0, 24), 77);
    }

    /** Returns keys whose windows all begin at the same slot. */
    private static List<MapKey> colliding(int count) {
        List<MapKey> keys = new ArrayList<>();
        for (long map = 0; keys.size() < count; map++) {
            MapKey key = new MapKey(5, map);
            if (key.firstSlot(SLOTS) == SLOTS - 1) {
                keys.add(key);
            }
        }
        return keys;
    }

    @Test
    void aWindowTakesSixteenMapOutputsAndRefusesMore() {
        List<MapKey> keys = colliding(Directory.WINDOW + 1);
        for (MapKey key : keys.subList(0, Directory.WINDOW)) {
            assertThat(directory.add(slot(key))).isTrue();
        }

        assertThat(directory.add(slot(keys.get(Directory.WINDOW)))).isFalse();
        assertThat(directory.used()).isEqualTo(Directory.WINDOW);
    }

    @Test
    void aSlotThatWasRemovedIsUsedAgain() {
        List<MapKey> keys = colliding(Directory.WINDOW + 1);
        keys.subList(0, Directory.WINDOW).forEach(key -> directory.add(slot(key)));

        directory.remove(keys.get(3));

        assertThat(directory.add(slot(keys.get(Directory.WINDOW)))).isTrue();
    }

    @Test
    void aMapOutputThatIsAddedAgainTakesNoSecondSlot() {
        MapKey key = new MapKey(1, 2);
        directory.add(slot(key));
        directory.add(slot(key));

        assertThat(directory.used()).isEqualTo(1);
    }

    @Test
    void aSlotIsReadAsItWasWritten() {
        MapSlot slot = slot(new MapKey(-3, 1L << 40));
        ByteBuf bytes = Unpooled.buffer();
        slot.encode(bytes);

        assertThat(bytes.readableBytes()).isEqualTo(MapSlot.LENGTH);
        assertThat(MapSlot.state(bytes, 0)).isEqualTo(MapSlot.State.VALID);
        assertThat(MapSlot.isOf(slot.key(), bytes, 0)).isTrue();
        assertThat(MapSlot.isOf(new MapKey(-3, 1), bytes, 0)).isFalse();
        assertThat(MapSlot.decode(bytes, 0)).isEqualTo(slot);
    }

    @Test
    void eachWrongBitOfASlotIsNoticed() {
        ByteBuf bytes = Unpooled.buffer();
        slot(new MapKey(1, 2)).encode(bytes);
        for (int bit = 0; bit < MapSlot.LENGTH * Byte.SIZE; bit++) {
            int at = bit / Byte.SIZE;
            bytes.setByte(at, bytes.getByte(at) ^ (1 << (bit % Byte.SIZE)));

            assertThat(MapSlot.state(bytes, 0)).isEqualTo(MapSlot.State.BROKEN);

            bytes.setByte(at, bytes.getByte(at) ^ (1 << (bit % Byte.SIZE)));
        }
    }
}

package io.iwarp.tools.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.iwarp.memory.ProtectionDomain;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KvStoreTest {
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final KvStore store = new KvStore(domain, ByteBufAllocator.DEFAULT, 500, 1 << 20);

    @AfterEach
    void close() {
        store.close();
        domain.close();
    }

    @Test
    void behavesAsAMap() throws Exception {
        Random random = new Random(1);
        Map<String, byte[]> model = new HashMap<>();
        for (int i = 0; i < 5000; i++) {
            String key = "k".repeat(1 + random.nextInt(40)) + random.nextInt(12);
            byte[] value = new byte[random.nextInt(3) * random.nextInt(200)];
            random.nextBytes(value);
            store.put(bytes(key), value);
            model.put(key, value);
        }

        assertThat(store.entries()).isEqualTo(model.size());
        model.forEach((key, value) ->
                assertThat(store.get(bytes(key)).orElseThrow().bytes()).isEqualTo(value));
        assertThat(store.get(bytes("none"))).isEmpty();
        assertThat(store.puts()).isEqualTo(5000);
    }

    @Test
    void reusesMemoryThatAValueLeft() throws Exception {
        for (int i = 0; i < 10_000; i++) {
            store.put(bytes("key"), new byte[900 + i % 3]);
        }
        assertThat(store.usedBytes()).isLessThan(2000);
    }

    @Test
    void keepsTheValueWhenThereIsNoRoomForANewOne() throws Exception {
        byte[] large = new byte[KvLimits.LONGEST_VALUE];
        store.put(bytes("key"), bytes("value"));
        for (int i = 0; i < 12; i++) {
            store.put(bytes("large" + i), large);
        }

        assertThatExceptionOfType(KvRefusedException.class).isThrownBy(() -> {
            for (int i = 0; i < 12; i++) {
                store.put(bytes("more" + i), large);
            }
        });
        assertThat(store.get(bytes("key")).orElseThrow().text()).isEqualTo("value");
        assertThat(store.refusals()).isEqualTo(1);
    }

    @Test
    void hasRoomForAsManyKeysAsItSays() throws Exception {
        for (int i = 0; i < 500; i++) {
            store.put(bytes("key" + i), bytes("" + i));
        }
        for (int i = 0; i < 500; i++) {
            assertThat(store.get(bytes("key" + i)).orElseThrow().text()).isEqualTo("" + i);
        }
        assertThatExceptionOfType(KvRefusedException.class)
                .isThrownBy(() -> store.put(bytes("one more"), bytes("1")))
                .withMessageContaining("room for 500 keys");
        store.put(bytes("key7"), bytes("another value of it"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, KvLimits.LONGEST_KEY + 1})
    void refusesKeysOfOtherLengths(int length) {
        assertThatIllegalArgumentException().isThrownBy(() -> store.put(new byte[length], bytes("value")));
    }

    @Test
    void refusesValuesThatAreTooLong() throws Exception {
        byte[] key = new byte[KvLimits.LONGEST_KEY];
        store.put(key, new byte[KvLimits.LONGEST_VALUE]);

        assertThat(store.get(key).orElseThrow().bytes()).hasSize(KvLimits.LONGEST_VALUE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.put(key, new byte[KvLimits.LONGEST_VALUE + 1]))
                .withMessageContaining("65537");
    }

    @Test
    void shortValuesAreWordsUnlessTheyCouldBeTakenForOthers() {
        byte[] ones = new byte[KvWord.LONGEST];
        Arrays.fill(ones, (byte) -1);

        assertThat(KvWord.fits(new byte[0])).isTrue();
        assertThat(KvWord.fits(bytes("12345678"))).isTrue();
        assertThat(KvWord.fits(bytes("123456789"))).isFalse();
        assertThat(KvWord.fits(new byte[] {1, 0})).isFalse();
        assertThat(KvWord.fits(ones)).isFalse();
        for (byte[] value : new byte[][] {{}, {0, 1}, {-1}, bytes("12345678")}) {
            assertThat(KvWord.value(KvWord.of(value))).isEqualTo(value);
        }
        assertThat(KvWord.of(ones)).isEqualTo(KvWord.ELSEWHERE);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

package io.iwarp.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.internal.Settings;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class STagTest {
    private final ByteBuf oneByte = PooledByteBufAllocator.DEFAULT.directBuffer(1, 1);
    private final RegionMemory memory = new RegionMemory(List.of(oneByte));

    @AfterEach
    void release() {
        memory.close();
        assertThat(oneByte.refCnt()).isZero();
    }

    private TaggedBuffer issue(DefaultIwarpDevice device, ProtectionDomain domain) {
        return device.stags().issue(stag -> new TaggedBuffer(stag, domain, null, AccessRights.of(), 0, memory, 0, 1));
    }

    @Test
    @Requirement("SEC-8")
    void stagsAreSpreadOverTheWholeRangeAndDoNotRepeat() {
        DefaultIwarpDevice device = new DefaultIwarpDevice(Settings.DEFAULT, new SecureRandom());
        ProtectionDomain domain = device.createProtectionDomain();
        int count = 40_000;
        Set<Integer> stags = new HashSet<>();
        int[] ones = new int[Integer.SIZE];
        int[] changes = new int[Integer.SIZE];
        int[] sixteenths = new int[16];
        int previous = 0;
        for (int i = 0; i < count; i++) {
            int stag = issue(device, domain).stag();
            assertThat(stags.add(stag)).as("STag %08x is new", stag).isTrue();
            for (int bit = 0; bit < Integer.SIZE; bit++) {
                ones[bit] += stag >>> bit & 1;
                changes[bit] += (stag ^ previous) >>> bit & 1;
            }
            sixteenths[stag >>> 28]++;
            previous = stag;
        }

        // Seven standard deviations: 100 for a bit, 48 for a sixteenth of the range.
        assertThat(Arrays.stream(ones)).allSatisfy(n -> assertThat(n).isBetween(count / 2 - 700, count / 2 + 700));
        assertThat(Arrays.stream(changes)).allSatisfy(n -> assertThat(n).isBetween(count / 2 - 700, count / 2 + 700));
        assertThat(Arrays.stream(sixteenths))
                .allSatisfy(n -> assertThat(n).isBetween(count / 16 - 340, count / 16 + 340));
        assertThat(stags).doesNotContain(0);
    }

    /**
     * Two numbers of a {@link Random} determine the next ones: only 16 bits of its state are hidden, which can be
     * tried. Unpredictable numbers match such a state in one of 2^48 runs.
     */
    @Test
    @Requirement("SEC-8")
    void stagsCannotBePredictedFromEarlierOnes() {
        DefaultIwarpDevice device = new DefaultIwarpDevice(Settings.DEFAULT, new SecureRandom());
        ProtectionDomain domain = device.createProtectionDomain();
        int first = issue(device, domain).stag();
        int second = issue(device, domain).stag();
        int third = issue(device, domain).stag();

        long mask = (1L << 48) - 1;
        for (int hidden = 0; hidden < 1 << 16; hidden++) {
            long state = (Integer.toUnsignedLong(first) << 16) | hidden;
            long next = (state * 0x5DEECE66DL + 0xB) & mask;
            long afterNext = (next * 0x5DEECE66DL + 0xB) & mask;
            boolean predicted = (int) (next >>> 16) == second && (int) (afterNext >>> 16) == third;
            assertThat(predicted).isFalse();
        }
    }

    @Test
    @Requirement("SEC-8")
    void devicesDoNotShareTheirStags() {
        Set<Integer> stags = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            DefaultIwarpDevice device = new DefaultIwarpDevice(Settings.DEFAULT, new SecureRandom());
            stags.add(issue(device, device.createProtectionDomain()).stag());
        }

        assertThat(stags).hasSize(10);
    }

    @Test
    @Requirement("SEC-8")
    void aRetiredStagIsNotHandedOutBeforeManyLaterOnesWereRetired() {
        Random fewStags = new Random(5041) {
            @Override
            public int nextInt() {
                return nextInt(1 << 17);
            }
        };
        DefaultIwarpDevice device = new DefaultIwarpDevice(Settings.DEFAULT, fewStags);
        ProtectionDomain domain = device.createProtectionDomain();
        Map<Integer, Integer> retiredAs = new HashMap<>();
        ArrayDeque<TaggedBuffer> live = new ArrayDeque<>();
        int reused = 0;
        for (int retirements = 0; retirements < 200_000; retirements++) {
            TaggedBuffer buffer = issue(device, domain);
            assertThat(buffer.stag()).isNotZero();
            Integer before = retiredAs.get(buffer.stag());
            if (before != null) {
                assertThat(retirements - before).isGreaterThan(65_536);
                reused++;
            }
            live.add(buffer);
            if (live.size() > 10) {
                TaggedBuffer oldest = live.remove();
                device.stags().retire(oldest);
                retiredAs.put(oldest.stag(), retirements);
            }
        }
        assertThat(reused).as("reuse happens, or this test shows nothing").isGreaterThan(1000);
    }

    @Test
    void stagInUseIsNotIssuedAgain() {
        Random repeating = new Random() {
            private static final long serialVersionUID = 1L;
            private int calls;

            @Override
            public int nextInt() {
                return calls++ / 3;
            }
        };
        DefaultIwarpDevice device = new DefaultIwarpDevice(Settings.DEFAULT, repeating);
        ProtectionDomain domain = device.createProtectionDomain();

        assertThat(issue(device, domain).stag()).isEqualTo(1);
        assertThat(issue(device, domain).stag()).isEqualTo(2);
        assertThat(issue(device, domain).stag()).isEqualTo(3);
    }

    @Test
    void theDeviceCountsTheStagsThatWereRetired() {
        DefaultIwarpDevice device = new DefaultIwarpDevice(Settings.DEFAULT, new SecureRandom());
        ProtectionDomain domain = device.createProtectionDomain();
        TaggedBuffer first = issue(device, domain);
        TaggedBuffer second = issue(device, domain);
        assertThat(device.retiredSTags()).isZero();
        device.stags().retire(first);
        device.stags().retire(second);

        assertThat(device.retiredSTags()).isEqualTo(2);
        assertThat(device.quarantinedSTags()).isEqualTo(2);
    }

    @Test
    void theTableFindsWhatIsValidAndNothingElse() {
        Seeds.forEach(20, (seed, random) -> {
            // Short numbers are all in one chain.
            int bits = random.nextBoolean() ? 14 : Integer.SIZE;
            STagTable table = new STagTable(numbers(seed, bits));
            Map<Integer, TaggedBuffer> model = new HashMap<>();
            List<TaggedBuffer> live = new ArrayList<>();
            ProtectionDomain domain = ProtectionDomain.create();
            Random others = numbers(-seed, bits);
            for (int i = 0; i < 2000; i++) {
                int stag = others.nextInt();
                assertThat(table.find(stag)).isSameAs(model.get(stag));
                if (random.nextInt(5) < 3) {
                    TaggedBuffer buffer = table.issue(
                            drawn -> new TaggedBuffer(drawn, domain, null, AccessRights.of(), 0, memory, 0, 1));
                    model.put(buffer.stag(), buffer);
                    live.add(buffer);
                } else if (!live.isEmpty()) {
                    TaggedBuffer buffer = live.remove(random.nextInt(live.size()));
                    table.retire(buffer);
                    model.remove(buffer.stag());
                    assertThat(table.find(buffer.stag())).isNull();
                }
            }
            model.forEach((stag, buffer) -> assertThat(table.find(stag)).isSameAs(buffer));
        });
    }

    private static Random numbers(long seed, int bits) {
        return new Random(seed) {
            private static final long serialVersionUID = 1L;

            @Override
            public int nextInt() {
                return next(bits);
            }
        };
    }

    @Test
    void readersFindAnStagDuringChanges() throws InterruptedException {
        DefaultIwarpDevice device = new DefaultIwarpDevice(Settings.DEFAULT, new SecureRandom());
        ProtectionDomain domain = device.createProtectionDomain();
        List<TaggedBuffer> lasting = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            lasting.add(issue(device, domain));
        }
        Thread writer = new Thread(() -> {
            for (int round = 0; round < 20; round++) {
                List<TaggedBuffer> passing = new ArrayList<>();
                for (int i = 0; i < 1000; i++) {
                    passing.add(issue(device, domain));
                }
                passing.forEach(device.stags()::retire);
            }
        });
        writer.start();
        int missed = 0;
        do {
            for (TaggedBuffer buffer : lasting) {
                if (device.stags().find(buffer.stag()) != buffer) {
                    missed++;
                }
            }
        } while (writer.isAlive());
        writer.join();
        assertThat(missed).isZero();
    }

    @Test
    void onlyStagsInUseAndInQuarantineAreSkipped() {
        Seeds.forEach(3, (seed, random) -> {
            int bits = 17 + random.nextInt(3);
            STagTable table = new STagTable(numbers(seed, bits));
            Random model = numbers(seed, bits);
            ProtectionDomain domain = ProtectionDomain.create();
            ArrayDeque<TaggedBuffer> live = new ArrayDeque<>();
            ArrayDeque<Integer> quarantine = new ArrayDeque<>();
            Set<Integer> skipped = new HashSet<>(Set.of(0));
            for (int i = 0; i < 3 * STagTable.QUARANTINE; i++) {
                int expected = model.nextInt();
                while (skipped.contains(expected)) {
                    expected = model.nextInt();
                }
                TaggedBuffer buffer =
                        table.issue(drawn -> new TaggedBuffer(drawn, domain, null, AccessRights.of(), 0, memory, 0, 1));
                assertThat(buffer.stag()).isEqualTo(expected);
                skipped.add(expected);
                live.add(buffer);
                if (live.size() > 10) {
                    TaggedBuffer oldest = live.remove();
                    table.retire(oldest);
                    quarantine.add(oldest.stag());
                    if (quarantine.size() > STagTable.QUARANTINE) {
                        skipped.remove(quarantine.remove());
                    }
                    assertThat(table.quarantined()).isEqualTo(quarantine.size());
                }
            }
        });
    }
}

package io.iwarp.internal.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.iwarp.mpa.MpaParameters;
import io.iwarp.mpa.ReadyToReceive;
import io.iwarp.testing.GoldenVectors;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnhancedSetupTest {

    private static final int NOT_NEGOTIATED = MpaParameters.NOT_NEGOTIATED;

    static Stream<Arguments> goldenFrames() {
        return Stream.of(
                Arguments.of(
                        "MPA Request rev2 S=1 A=1 B=0 C=1 D=1 IRD 16 ORD 8",
                        new EnhancedSetup(true, false, 16, true, true, 8)),
                Arguments.of(
                        "MPA Reply rev2 S=1 A=1 C=1 IRD 8 ORD 16", new EnhancedSetup(true, false, 8, true, false, 16)),
                Arguments.of(
                        "MPA Request rev2 S=1 A=0 IRD/ORD 0x3fff",
                        new EnhancedSetup(false, false, NOT_NEGOTIATED, false, false, NOT_NEGOTIATED)));
    }

    @ParameterizedTest
    @MethodSource("goldenFrames")
    @Requirement({"SETUP-1", "SETUP-5"})
    void startsThePrivateDataOfTheGoldenFrames(String title, EnhancedSetup setup) {
        byte[] frame = GoldenVectors.bytes(title);
        ByteBuf privateData = Unpooled.wrappedBuffer(frame).skipBytes(MpaFrameLayout.HEADER_LENGTH);
        byte[] golden = ByteBufUtil.getBytes(privateData, privateData.readerIndex(), EnhancedSetup.LENGTH);

        assertThat(EnhancedSetup.decode(privateData)).isEqualTo(setup);
        assertThat(encoded(setup)).isEqualTo(golden);
    }

    @Test
    @Requirement("SETUP-5")
    void everyBitHasItsPlace() {
        assertThat(encoded(new EnhancedSetup(true, false, 0, false, false, 0))).containsExactly(0x80, 0, 0, 0);
        assertThat(encoded(new EnhancedSetup(true, true, 0, false, false, 0))).containsExactly(0xC0, 0, 0, 0);
        assertThat(encoded(new EnhancedSetup(true, false, 0, true, false, 0))).containsExactly(0x80, 0, 0x80, 0);
        assertThat(encoded(new EnhancedSetup(true, false, 0, false, true, 0))).containsExactly(0x80, 0, 0x40, 0);
        assertThat(encoded(new EnhancedSetup(false, false, 0x1234, false, false, 0x2345)))
                .containsExactly(0x12, 0x34, 0x23, 0x45);
    }

    @Test
    @Requirement("SETUP-16")
    void rtrKindsWithoutPeerToPeerAreIgnoredOnReceiveAndRefusedOnSend() {
        ByteBuf bytes = Unpooled.wrappedBuffer(new byte[] {0x40, 1, (byte) 0xC0, 2});

        assertThat(EnhancedSetup.decode(bytes)).isEqualTo(new EnhancedSetup(false, false, 1, false, false, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> new EnhancedSetup(false, true, 1, false, false, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> new EnhancedSetup(false, false, 1, true, false, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> new EnhancedSetup(false, false, 1, false, true, 2));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0x4000})
    void depthsHaveFourteenBits(int depth) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EnhancedSetup(false, false, depth, false, false, 0))
                .withMessageContaining("IRD is " + depth);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new EnhancedSetup(false, false, 0, false, false, depth))
                .withMessageContaining("ORD is " + depth);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void fewerThanFourBytesAreRefusedAndLeftAlone(int length) {
        ByteBuf bytes = Unpooled.wrappedBuffer(new byte[length]);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> EnhancedSetup.decode(bytes))
                .withMessageContaining("got " + length);
        assertThat(bytes.readerIndex()).isZero();
    }

    @Test
    @Requirement({"SETUP-5", "SETUP-16", "SETUP-27"})
    void anyFourBytesMeanSomethingAndComeBackAsSent() {
        Seeds.forEach(1000, (seed, random) -> {
            byte[] bytes = new byte[EnhancedSetup.LENGTH];
            random.nextBytes(bytes);

            EnhancedSetup setup = EnhancedSetup.decode(Unpooled.wrappedBuffer(bytes));

            boolean peerToPeer = (bytes[0] & 0x80) != 0;
            assertThat(setup.peerToPeer()).isEqualTo(peerToPeer);
            assertThat(setup.ird()).isEqualTo(((bytes[0] & 0x3F) << 8) | (bytes[1] & 0xFF));
            assertThat(setup.ord()).isEqualTo(((bytes[2] & 0x3F) << 8) | (bytes[3] & 0xFF));
            assertThat(EnhancedSetup.of(peerToPeer, setup.readyToReceive(), setup.ird(), setup.ord()))
                    .isEqualTo(setup);
            if (!peerToPeer) {
                assertThat(setup.readyToReceive()).isEmpty();
                bytes[0] &= (byte) ~0x40;
                bytes[2] &= (byte) ~0xC0;
            }
            assertThat(encoded(setup)).isEqualTo(bytes);
            assertThat(setup.followedBy(new byte[] {9}))
                    .startsWith(bytes)
                    .endsWith(9)
                    .hasSize(5);
        });
    }

    @Test
    void namesTheRtrKindsInOrderOfPreference() {
        assertThat(new EnhancedSetup(true, true, 0, true, true, 0).readyToReceive())
                .containsExactly(ReadyToReceive.WRITE, ReadyToReceive.READ, ReadyToReceive.SEND);
        assertThat(EnhancedSetup.of(false, Set.of(ReadyToReceive.SEND), 1, 2))
                .isEqualTo(new EnhancedSetup(false, false, 1, false, false, 2));
    }

    @Test
    void setupsAreEqualIfAllFieldsAre() {
        EnhancedSetup setup = new EnhancedSetup(true, true, 1, true, true, 2);

        assertThat(setup)
                .isEqualTo(new EnhancedSetup(true, true, 1, true, true, 2))
                .hasSameHashCodeAs(new EnhancedSetup(true, true, 1, true, true, 2))
                .isNotEqualTo(new EnhancedSetup(false, false, 1, false, false, 2))
                .isNotEqualTo(new EnhancedSetup(true, false, 1, true, true, 2))
                .isNotEqualTo(new EnhancedSetup(true, true, 3, true, true, 2))
                .isNotEqualTo(new EnhancedSetup(true, true, 1, false, true, 2))
                .isNotEqualTo(new EnhancedSetup(true, true, 1, true, false, 2))
                .isNotEqualTo(new EnhancedSetup(true, true, 1, true, true, 3))
                .hasToString("EnhancedSetup[peerToPeer=true, sendRtr=true, ird=1, writeRtr=true, readRtr=true, ord=2]");
    }

    @Test
    void leavesFewerBytesToTheUlp() {
        assertThat(EnhancedSetup.MAX_ULP_PRIVATE_DATA).isEqualTo(508);
    }

    private static byte[] encoded(EnhancedSetup setup) {
        ByteBuf out = Unpooled.buffer(EnhancedSetup.LENGTH);
        setup.encode(out);
        return ByteBufUtil.getBytes(out);
    }
}

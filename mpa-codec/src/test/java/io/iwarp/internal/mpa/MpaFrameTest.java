package io.iwarp.internal.mpa;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.iwarp.testing.Captures;
import io.iwarp.testing.GoldenVectors;
import io.iwarp.testing.Requirement;
import io.iwarp.testing.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MpaFrameTest {

    private static final byte[] NONE = {};

    static Stream<Arguments> goldenFrames() {
        byte[] peerToPeer = {(byte) 0x80, 16, (byte) 0xC0, 8, 'h', 'i'};
        byte[] peerToPeerReply = {(byte) 0x80, 8, (byte) 0x80, 16};
        byte[] notNegotiated = {0x3F, (byte) 0xFF, 0x3F, (byte) 0xFF};
        return Stream.of(
                Arguments.of("MPA Request rev1 M=0 C=1, no PD", new MpaFrame.Request(false, true, false, 1, NONE)),
                Arguments.of(
                        "MPA Reply rev1 M=1 C=1 PD \"ok\"",
                        new MpaFrame.Reply(true, true, false, false, 1, "ok".getBytes(US_ASCII))),
                Arguments.of("MPA Reply rev1 rejected", new MpaFrame.Reply(false, true, true, false, 1, NONE)),
                Arguments.of("MPA Request rev2 S=1 A=1", new MpaFrame.Request(false, true, true, 2, peerToPeer)),
                Arguments.of(
                        "MPA Reply rev2 S=1 A=1", new MpaFrame.Reply(false, true, false, true, 2, peerToPeerReply)),
                Arguments.of("MPA Request rev2 S=1 A=0", new MpaFrame.Request(false, true, true, 2, notNegotiated)));
    }

    @ParameterizedTest
    @MethodSource("goldenFrames")
    @Requirement({"MPA-52", "SETUP-1"})
    void encodesAndDecodesTheGoldenBytes(String title, MpaFrame frame) {
        byte[] golden = GoldenVectors.bytes(title);
        ByteBuf in = Unpooled.wrappedBuffer(golden);

        assertThat(encoded(frame)).isEqualTo(golden);
        assertThat(frame.length()).isEqualTo(golden.length);
        assertThat(MpaFrame.decode(in)).isEqualTo(frame).hasSameHashCodeAs(frame);
        assertThat(in.isReadable()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void decodesTheStartupFramesOfTheLinuxPeerAndEncodesThemBack(Captures capture) {
        ByteBuf initiator = Unpooled.wrappedBuffer(capture.conversation().initiator());
        ByteBuf responder = Unpooled.wrappedBuffer(capture.conversation().responder());
        byte[] firstRequestBytes = ByteBufUtil.getBytes(initiator, 0, 24);
        byte[] firstReplyBytes = ByteBufUtil.getBytes(responder, 0, 24);

        MpaFrame request = MpaFrame.decode(initiator);
        MpaFrame reply = MpaFrame.decode(responder);

        assertThat(request).isInstanceOf(MpaFrame.Request.class);
        assertThat(reply)
                .isInstanceOfSatisfying(
                        MpaFrame.Reply.class, it -> assertThat(it.rejected()).isFalse());
        assertThat(request.crc()).isEqualTo(capture == Captures.SIW_CRC);
        assertThat(reply.crc()).isEqualTo(capture == Captures.SIW_CRC);
        assertThat(request.enhanced() && reply.enhanced()).isTrue();
        assertThat(setup(request).peerToPeer()).isEqualTo(capture == Captures.SIW_PEER_TO_PEER);
        assertThat(setup(reply).peerToPeer()).isEqualTo(capture == Captures.SIW_PEER_TO_PEER);
        assertThat(setup(request).ird()).isEqualTo(1);
        assertThat(setup(request).ord()).isEqualTo(1);
        assertThat(encoded(request)).isEqualTo(firstRequestBytes);
        assertThat(encoded(reply)).isEqualTo(firstReplyBytes);
    }

    @Test
    @Requirement({"MPA-58", "MPA-59", "SETUP-3"})
    void everyReservedBitIsIgnoredAndSentAsZero() {
        byte[] requestBytes = GoldenVectors.bytes("MPA Request rev1 M=0 C=1, no PD");
        // M, C, then in a revision 1 Request: R, S and the four low bits, which all mean nothing
        requestBytes[MpaFrameLayout.FLAGS_OFFSET] = (byte) 0xFF;
        byte[] replyBytes = GoldenVectors.bytes("MPA Reply rev2 S=1 A=1");
        replyBytes[MpaFrameLayout.FLAGS_OFFSET] = 0x0F;

        MpaFrame request = MpaFrame.decode(Unpooled.wrappedBuffer(requestBytes));
        MpaFrame reply = MpaFrame.decode(Unpooled.wrappedBuffer(replyBytes));

        assertThat(request).isEqualTo(new MpaFrame.Request(true, true, false, 1, NONE));
        assertThat(reply)
                .isEqualTo(new MpaFrame.Reply(
                        false, false, false, false, 2, new byte[] {(byte) 0x80, 8, (byte) 0x80, 16}));
        assertThat(encoded(request)[MpaFrameLayout.FLAGS_OFFSET]).isEqualTo((byte) 0xC0);
        assertThat(encoded(reply)[MpaFrameLayout.FLAGS_OFFSET]).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 511, 512})
    @Requirement({"MPA-62", "MPA-63"})
    void carriesPrivateDataOfAnyContentUpTo512Bytes(int length) {
        byte[] privateData = new byte[length];
        new Random(length).nextBytes(privateData);
        MpaFrame frame = new MpaFrame.Request(false, true, false, 1, privateData);

        MpaFrame decoded = MpaFrame.decode(Unpooled.wrappedBuffer(encoded(frame)));

        assertThat(decoded.privateData()).isEqualTo(privateData);
        assertThat(encoded(frame)).hasSize(20 + length);
    }

    @Test
    @Requirement({"MPA-62", "MPA-63"})
    void moreThan512BytesOfPrivateDataAreNeitherTakenNorDecoded() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MpaFrame.Request(false, true, false, 1, new byte[513]))
                .withMessageContainingAll("513", "0 to 512");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MpaFrame.Reply(false, true, false, false, 1, new byte[513]))
                .withMessageContainingAll("513", "0 to 512");

        byte[] bytes = new byte[20 + 513];
        System.arraycopy(encoded(new MpaFrame.Request(false, true, false, 1, NONE)), 0, bytes, 0, 20);
        bytes[MpaFrameLayout.PD_LENGTH_OFFSET] = 2;
        bytes[MpaFrameLayout.PD_LENGTH_OFFSET + 1] = 1;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MpaFrame.decode(Unpooled.wrappedBuffer(bytes)))
                .withMessageContainingAll("513", "0 to 512");
    }

    @Test
    void anIncompleteFrameIsRefusedAndLeftAlone() {
        byte[] whole = GoldenVectors.bytes("MPA Reply rev1 M=1 C=1 PD \"ok\"");
        for (int length = 0; length < whole.length; length++) {
            ByteBuf cut = Unpooled.wrappedBuffer(whole, 0, length);

            assertThatIllegalArgumentException().isThrownBy(() -> MpaFrame.decode(cut));
            assertThat(cut.readerIndex()).isZero();
        }
    }

    @Test
    @Requirement({"MPA-54", "MPA-55"})
    void aWrongByteAnywhereInTheKeyIsNoFrame() {
        for (int position = 0; position < MpaFrameLayout.KEY_LENGTH; position++) {
            byte[] bytes = GoldenVectors.bytes("MPA Request rev1 M=0 C=1, no PD");
            bytes[position] ^= 0x20;

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> MpaFrame.decode(Unpooled.wrappedBuffer(bytes)))
                    .withMessageContaining("key");
        }
    }

    @Test
    @Requirement("SETUP-1")
    void theEnhancedBitNeedsRevisionTwo() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MpaFrame.Request(false, true, true, 1, new byte[4]))
                .withMessageContaining("S bit");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MpaFrame.Reply(false, true, false, true, 1, new byte[4]))
                .withMessageContaining("S bit");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    @Requirement("SETUP-4")
    void withTheEnhancedBitTheFourBytesHaveToBeThere(int length) {
        ByteBuf bytes = Unpooled.wrappedBuffer(StartupFrames.reply("5002000" + length, new byte[length]));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MpaFrame.Request(false, true, true, 2, new byte[length]))
                .withMessageContainingAll("at least 4", "got " + length);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MpaFrame.decode(bytes))
                .withMessageContainingAll("at least 4", "got " + length);
        assertThat(bytes.readerIndex()).isZero();
    }

    @Test
    void framesAreEqualIfAllFieldsAre() {
        byte[] data = new byte[4];

        assertThat(new MpaFrame.Request(true, true, true, 2, data))
                .isEqualTo(new MpaFrame.Request(true, true, true, 2, data.clone()))
                .hasSameHashCodeAs(new MpaFrame.Request(true, true, true, 2, data.clone()))
                .isNotEqualTo(new MpaFrame.Request(false, true, true, 2, data))
                .isNotEqualTo(new MpaFrame.Request(true, false, true, 2, data))
                .isNotEqualTo(new MpaFrame.Request(true, true, false, 2, data))
                .isNotEqualTo(new MpaFrame.Request(true, true, true, 3, data))
                .isNotEqualTo(new MpaFrame.Request(true, true, true, 2, new byte[5]))
                .isNotEqualTo(new MpaFrame.Reply(true, true, false, true, 2, data));
        assertThat(new MpaFrame.Reply(true, true, true, true, 2, data))
                .isEqualTo(new MpaFrame.Reply(true, true, true, true, 2, data.clone()))
                .hasSameHashCodeAs(new MpaFrame.Reply(true, true, true, true, 2, data.clone()))
                .isNotEqualTo(new MpaFrame.Reply(false, true, true, true, 2, data))
                .isNotEqualTo(new MpaFrame.Reply(true, false, true, true, 2, data))
                .isNotEqualTo(new MpaFrame.Reply(true, true, false, true, 2, data))
                .isNotEqualTo(new MpaFrame.Reply(true, true, true, false, 2, data))
                .isNotEqualTo(new MpaFrame.Reply(true, true, true, true, 3, data))
                .isNotEqualTo(new MpaFrame.Reply(true, true, true, true, 2, new byte[5]))
                .isNotEqualTo(new MpaFrame.Request(true, true, true, 2, data));
    }

    @Test
    @Requirement("SETUP-4")
    void setupDataIsSeparateFromUlpPrivateData() {
        MpaFrame enhanced = MpaFrame.decode(Unpooled.wrappedBuffer(GoldenVectors.bytes("MPA Request rev2 S=1 A=1")));
        MpaFrame plain = new MpaFrame.Reply(false, true, false, false, 2, "hello".getBytes(US_ASCII));

        assertThat(enhanced.setup()).isEqualTo(new EnhancedSetup(true, false, 16, true, true, 8));
        assertThat(enhanced.ulpPrivateData()).isEqualTo("hi".getBytes(US_ASCII));
        assertThat(plain.setup()).isNull();
        assertThat(plain.ulpPrivateData()).isEqualTo("hello".getBytes(US_ASCII));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 256})
    void theRevisionIsOneByte(int revision) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MpaFrame.Request(false, true, false, revision, NONE))
                .withMessageContainingAll("revision is " + revision, "0 to 255");
    }

    @Test
    void changingAnArrayOutsideChangesNoFrame() {
        byte[] privateData = {1, 2, 3};
        MpaFrame frame = new MpaFrame.Reply(false, true, false, false, 1, privateData);
        privateData[0] = 9;
        frame.privateData()[1] = 9;

        assertThat(frame.privateData()).containsExactly(1, 2, 3);
    }

    @Test
    void encodedFrameDecodesToItself() {
        Seeds.forEach(500, (seed, random) -> {
            MpaFrame frame = frame(random);
            ByteBuf bytes = Unpooled.buffer();
            frame.encode(bytes);
            bytes.writeByte(0x55);

            assertThat(MpaFrame.decode(bytes)).isEqualTo(frame).hasSameHashCodeAs(frame);
            assertThat(bytes.readableBytes()).isEqualTo(1);
        });
    }

    private static MpaFrame frame(Random random) {
        int revision = random.nextInt(256);
        boolean enhanced = revision >= 2 && random.nextBoolean();
        int least = enhanced ? EnhancedSetup.LENGTH : 0;
        byte[] privateData = new byte[random.nextInt(least, MpaFrameLayout.MAX_PRIVATE_DATA + 1)];
        random.nextBytes(privateData);
        return random.nextBoolean()
                ? new MpaFrame.Request(random.nextBoolean(), random.nextBoolean(), enhanced, revision, privateData)
                : new MpaFrame.Reply(
                        random.nextBoolean(),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        enhanced,
                        revision,
                        privateData);
    }

    private static EnhancedSetup setup(MpaFrame frame) {
        return EnhancedSetup.decode(Unpooled.wrappedBuffer(frame.privateData()));
    }

    private static byte[] encoded(MpaFrame frame) {
        ByteBuf out = Unpooled.buffer();
        frame.encode(out);
        return ByteBufUtil.getBytes(out);
    }
}

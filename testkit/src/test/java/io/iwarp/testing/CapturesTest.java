package io.iwarp.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CapturesTest {
    @ParameterizedTest
    @EnumSource
    void everyCaptureBeginsWithTheStartUpFrames(Captures capture) {
        TcpConversation conversation = capture.conversation();
        assertThat(conversation.initiator()).startsWith(ascii("MPA ID Req Frame"));
        assertThat(conversation.responder()).startsWith(ascii("MPA ID Rep Frame"));
    }

    @Test
    void wholeStreamsComeOut() {
        TcpConversation conversation = Captures.SIW_STANDARD.conversation();
        assertThat(conversation.initiator()).hasSize(516);
        assertThat(conversation.responder()).hasSize(672);
    }

    @Test
    void segmentsThatCameLateTwiceOrOverlappingAreOrdered() {
        byte[] pcap = pcap(
                segment(1, 0x02, 99, ""),
                segment(2, 0x12, 499, ""),
                segment(1, 0x10, 103, "def"),
                segment(1, 0x10, 100, "abc"),
                segment(2, 0x10, 500, "xyz"),
                segment(1, 0x10, 100, "abcde"),
                segment(1, 0x10, 99, "-"),
                segment(1, 0x10, 105, "fg"));
        TcpConversation conversation = TcpConversation.ofPcap(pcap);
        assertThat(conversation.initiator()).asString().isEqualTo("abcdefg");
        assertThat(conversation.responder()).asString().isEqualTo("xyz");
    }

    @Test
    void sequenceNumbersWrap() {
        byte[] pcap = pcap(
                segment(1, 0x02, -3, ""),
                segment(2, 0x12, 0x7ffffffe, ""),
                segment(1, 0x10, -2, "abcd"),
                segment(1, 0x10, 2, "ef"),
                segment(2, 0x10, 0x7fffffff, "x"),
                segment(2, 0x10, 0x80000000, "y"));
        TcpConversation conversation = TcpConversation.ofPcap(pcap);
        assertThat(conversation.initiator()).asString().isEqualTo("abcdef");
        assertThat(conversation.responder()).asString().isEqualTo("xy");
    }

    @Test
    void aHoleIsAnErrorNotSilence() {
        byte[] pcap = pcap(segment(1, 0x02, 0, ""), segment(2, 0x12, 0, ""), segment(1, 0x10, 3, "late"));
        assertThatThrownBy(() -> TcpConversation.ofPcap(pcap)).hasMessage("bytes 0 to 2 were not captured");
    }

    private static byte[] pcap(byte[]... packets) {
        ByteBuffer file = ByteBuffer.allocate(4096);
        file.putInt(0xa1b2c3d4)
                .putShort((short) 2)
                .putShort((short) 4)
                .putLong(0)
                .putInt(65535);
        file.putInt(101); // raw IP
        for (byte[] packet : packets) {
            file.putLong(0).putInt(packet.length).putInt(packet.length).put(packet);
        }
        byte[] bytes = new byte[file.flip().remaining()];
        file.get(bytes);
        return bytes;
    }

    private static byte[] segment(int port, int flags, int sequence, String payload) {
        byte[] data = ascii(payload);
        ByteBuffer packet = ByteBuffer.allocate(40 + data.length);
        packet.put((byte) 0x45).put((byte) 0).putShort((short) packet.capacity());
        packet.putInt(0).put((byte) 64).put((byte) 6).putShort((short) 0);
        packet.putInt(0x7f000001).putInt(0x7f000001);
        packet.putShort((short) port)
                .putShort((short) (3 - port))
                .putInt(sequence)
                .putInt(0);
        packet.put((byte) 0x50).put((byte) flags).putShort((short) 0xffff).putInt(0);
        return packet.put(data).array();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}

package io.iwarp.tools.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.tools.cli.Conversation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.ProtocolException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FileMessageTest {
    private static final String HASH = "0123456789abcdef".repeat(4);

    static Stream<FileMessage> messages() {
        return Stream.of(
                new FileMessage.Offer(Long.MAX_VALUE, "n\u00e4me"),
                new FileMessage.Grant(4096, new RemoteBuffer(0x89abcdef, 1L << 40, 8192)),
                new FileMessage.Piece(1L << 33, 4096),
                new FileMessage.Credit(7),
                new FileMessage.Done(HASH),
                new FileMessage.Stored(HASH),
                new FileMessage.Refused("no"),
                new FileMessage.Fetch("n\u00e4me"),
                new FileMessage.Found(1L << 40),
                new FileMessage.Served(1L << 33, new RemoteBuffer(0x89abcdef, 0, 8192)),
                new FileMessage.Taken(7));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void whatIsEncodedIsDecoded(FileMessage message) throws ProtocolException {
        assertThat(FileMessage.decode(message.encode())).isEqualTo(message);
    }

    @ParameterizedTest
    @MethodSource("messages")
    void aMessageOfFixedLengthCannotBeShorterOrLonger(FileMessage message) {
        if (message instanceof FileMessage.Offer
                || message instanceof FileMessage.Refused
                || message instanceof FileMessage.Fetch) {
            return;
        }
        ByteBuf bytes = message.encode();

        assertThatThrownBy(() -> FileMessage.decode(bytes.slice(0, bytes.readableBytes() - 1)))
                .isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> FileMessage.decode(bytes.copy().writeByte(0))).isInstanceOf(ProtocolException.class);
    }

    @Test
    void aMemoryThatCannotBeIsRefused() {
        ByteBuf grant = Unpooled.buffer().writeByte(FileMessage.Grant.KIND).writeInt(1);
        grant.writeInt(1).writeLong(-1).writeLong(2);

        assertThatThrownBy(() -> FileMessage.decode(grant)).isInstanceOf(ProtocolException.class);
    }

    @Test
    void aReasonFitsIntoAMessage() {
        FileMessage refused = new FileMessage.Refused("\u20ac".repeat(5000));

        assertThat(refused.encode().readableBytes()).isLessThanOrEqualTo(Conversation.MESSAGE_BYTES);
    }
}

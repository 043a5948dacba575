package io.iwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.testing.LogCapture;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WireLogTest {
    private static final String NAME = "io.iwarp.wire.test";
    private static final int LENGTH = 100_000;

    @RegisterExtension
    private final LogCapture log = new LogCapture(NAME, Level.TRACE);

    private final Loopback loopback = new Loopback();
    private final ProtectionDomain domain = ProtectionDomain.create();
    private final ByteBuf memory = Unpooled.directBuffer(LENGTH, LENGTH).writeZero(LENGTH);

    @AfterEach
    void release() {
        loopback.close();
        domain.close();
        memory.release();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachFrameAndFpduOfALifeIsOneLineWithTheChannel(boolean markers) throws Exception {
        QueuePairSettings settings = QueuePairSettings.builder()
                .mpa(MpaSettings.builder()
                        .requestMarkers(markers)
                        .mulpdu(30_014)
                        .build())
                .build();
        MemoryRegion region = domain.register(memory, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ);
        SocketAddress address = loopback.accept(domain, settings, qp -> {});
        IwarpChannelInitializer initializer = IwarpChannelInitializer.initiator(domain, settings, new byte[5], qp -> {})
                .withTransportHandlers(pipeline -> pipeline.addLast(new WireLogHandler(NAME)));
        QueuePair initiator = Loopback.await(new IwarpConnector(loopback.bootstrap(), initializer).connect(address));

        Loopback.await(initiator.write(memory, region.remoteBuffer()));
        ByteBuf sink = Unpooled.directBuffer(LENGTH, LENGTH);
        Loopback.await(initiator.read(sink, region.remoteBuffer()));
        sink.release();
        region.close();
        initiator.close();
        Loopback.await(initiator.closed());

        String channel = initiator.channel().id().asShortText();
        List<String> lines = log.messages();
        assertThat(lines).allMatch(line -> line.startsWith("[id: 0x" + channel));
        assertThat(lines.stream().map(line -> line.substring(line.indexOf(']') + 2)))
                .startsWith(
                        "-> MPA Request Frame: revision 1, CRC" + (markers ? ", markers" : "")
                                + ", 5 bytes of private data",
                        "<- MPA Reply Frame: revision 1, CRC" + (markers ? ", markers" : "")
                                + ", 0 bytes of private data")
                .contains("-> RDMA Write: 30000 bytes to STag " + stag(region) + " TO 0x0")
                .contains("-> RDMA Write: 10000 bytes to STag " + stag(region) + " TO 0x15f90, last")
                .anyMatch(line -> line.startsWith(
                        "-> RDMA Read Request: MSN 1, 100000 bytes from STag " + stag(region) + " TO 0x0 into"))
                .anyMatch(line -> line.matches("<- RDMA Read Response: 10000 bytes to STag .* TO 0x15f90, last"))
                .hasSize(2 + 4 + 1 + 4);
    }

    private static String stag(MemoryRegion region) {
        return String.format("0x%08x", region.stag());
    }
}

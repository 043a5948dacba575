package io.iwarp.examples.records;

import io.iwarp.memory.AccessRight;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.verbs.Iwarp;
import io.iwarp.verbs.IwarpListener;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/** One client overwrites a record while another reads it. A CRC in the record shows a Read that mixes two versions. */
public final class Records {
    private static final int BODY = 1020;
    private static final int LENGTH = BODY + Integer.BYTES;
    private static final int MAX_READS = 100;

    /** A record that has the number in each of its words. */
    private static ByteBuf record(int number) {
        ByteBuf record = Unpooled.directBuffer(LENGTH);
        while (record.writerIndex() < BODY) {
            record.writeInt(number);
        }
        return record.writeInt(crc(record));
    }

    private static int crc(ByteBuf record) {
        CRC32C crc = new CRC32C();
        crc.update(record.nioBuffer(0, BODY));
        return (int) crc.getValue();
    }

    /** Returns the number of a record; empty if it stays torn, because its writer has died. */
    private static OptionalLong read(QueuePair queuePair, RemoteBuffer source) throws Exception {
        ByteBuf record = Unpooled.directBuffer(LENGTH);
        try {
            for (int reads = 0; reads < MAX_READS; reads++) {
                queuePair.read(record.clear(), source).get();
                if (record.getInt(BODY) == crc(record)) {
                    return OptionalLong.of(record.getInt(0));
                }
            }
            return OptionalLong.empty();
        } finally {
            record.release();
        }
    }

    private static void write(QueuePair queuePair, RemoteBuffer target, ByteBuf bytes) {
        queuePair.write(bytes, target);
        bytes.release(); // the post has a reference of its own
    }

    private static void run(EventLoopGroup group, IwarpListener server) throws Exception {
        Iwarp.Client client = Iwarp.client(group);
        QueuePair writer = client.connect(server.localAddress()).get();
        QueuePair reader = client.connect(server.localAddress()).get();
        RemoteBuffer record = writer.remoteBuffer();

        write(writer, record, record(1));
        writer.placed().get();
        System.out.println("read " + read(reader, record).getAsLong());
        for (int number = 2; number <= 500; number++) {
            write(writer, record, record(number));
            read(reader, record).orElseThrow();
        }
        writer.placed().get();
        System.out.println("read " + read(reader, record).getAsLong());

        write(writer, record, record(501).writerIndex(LENGTH / 2)); // as a writer that dies may leave it
        writer.placed().get();
        System.out.println(read(reader, record).isPresent() ? "whole" : "torn: store it again");
        client.shutdownGracefully(Duration.ofSeconds(5)).get();
    }

    public static void main(String[] args) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        ProtectionDomain domain = ProtectionDomain.create();
        MemoryRegion region = domain.allocate(LENGTH, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
        try {
            IwarpListener listener = Iwarp.server(group)
                    .domain(domain)
                    .onRequest(request -> request.accept(region))
                    .listen("localhost", 0)
                    .get();
            run(group, listener);
            listener.shutdownGracefully(Duration.ofSeconds(5)).get();
            region.close();
            domain.close();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}

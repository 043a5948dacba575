/** MPA: framing of DDP segments in a TCP stream (RFC 5044, RFC 6581). */
@SuppressWarnings("module") // the modules above are not there when this one is compiled
module io.iwarp.mpa {
    requires transitive io.iwarp.core;
    requires transitive io.netty.transport;
    requires io.netty.common;
    requires org.slf4j;
    requires static io.netty.transport.classes.epoll;
    requires static org.jspecify;

    exports io.iwarp.mpa;
    exports io.iwarp.internal.mpa to
            io.iwarp.ddp,
            io.iwarp.rdmap,
            io.iwarp.verbs,
            io.iwarp.tools;
}

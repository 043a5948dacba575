/** The application's interface to iWARP connections: queue pairs, completions, listening and connecting. */
module io.iwarp.verbs {
    exports io.iwarp.transport;
    exports io.iwarp.verbs;

    requires transitive io.iwarp.rdmap;
    requires io.netty.common;
    requires jdk.jfr;
    requires org.slf4j;
    requires static transitive io.netty.handler;
    requires static io.netty.transport.classes.epoll;
    requires static org.jspecify;
}

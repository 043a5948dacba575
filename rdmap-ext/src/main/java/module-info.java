/** RDMAP (RFC 5040) with its extensions (RFC 7306). */
@SuppressWarnings("module") // the module above is not there when this one is compiled
module io.iwarp.rdmap {
    exports io.iwarp.rdmap to
            io.iwarp.verbs;

    requires transitive io.iwarp.ddp;
    requires io.netty.common;
    requires org.slf4j;
    requires static org.jspecify;
}

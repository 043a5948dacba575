/** RDMAP (RFC 5040) with its extensions (RFC 7306). */
module io.iwarp.rdmap {
    exports io.iwarp.rdmap;

    requires transitive io.iwarp.ddp;
    requires io.netty.common;
    requires org.slf4j;
    requires static org.jspecify;
}

/** RDMAP (RFC 5040, RFC 7306) and the verbs over it. */
module io.iwarp.rdmap {
    exports io.iwarp.rdmap;
    exports io.iwarp.verbs;

    requires transitive io.iwarp.ddp;
    requires io.netty.common;
    requires org.slf4j;
    requires static org.jspecify;
}

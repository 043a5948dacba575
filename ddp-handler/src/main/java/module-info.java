/** DDP: direct data placement (RFC 5041). */
module io.iwarp.ddp {
    requires transitive io.iwarp.mpa;
    requires io.netty.common;
    requires static org.jspecify;

    exports io.iwarp.ddp;
}

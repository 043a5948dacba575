/** DDP: direct data placement (RFC 5041). */
@SuppressWarnings("module") // the modules above are not there when this one is compiled
module io.iwarp.ddp {
    requires transitive io.iwarp.mpa;
    requires io.netty.common;
    requires static org.jspecify;

    exports io.iwarp.ddp to
            io.iwarp.rdmap,
            io.iwarp.verbs;
}

/** Registered memory, and what all layers of the iWARP stack share. */
@SuppressWarnings({
    "requires-automatic", // Micrometer has a module name but no descriptor yet
    "module" // the modules above are not there when this one is compiled
})
module io.iwarp.core {
    requires transitive io.netty.buffer;
    requires transitive io.netty.common;
    requires org.slf4j;
    requires static micrometer.core;
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;

    exports io.iwarp;
    exports io.iwarp.memory;
    exports io.iwarp.metrics;
    exports io.iwarp.internal to
            io.iwarp.mpa,
            io.iwarp.ddp,
            io.iwarp.rdmap,
            io.iwarp.verbs;
    exports io.iwarp.internal.metrics to
            io.iwarp.verbs;
    exports io.iwarp.internal.memory to
            io.iwarp.mpa,
            io.iwarp.ddp,
            io.iwarp.rdmap,
            io.iwarp.verbs;
}

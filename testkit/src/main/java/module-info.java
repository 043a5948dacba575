/** What tests of the stack, and of programs that use it, share. It needs no other module of the stack. */
module io.iwarp.testing {
    requires transitive io.netty.buffer;
    requires transitive org.junit.jupiter.api;
    requires io.netty.common;
    requires org.opentest4j;
    requires static transitive ch.qos.logback.classic;
    requires static ch.qos.logback.core;
    requires static org.slf4j;
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;

    exports io.iwarp.testing;

    provides org.junit.jupiter.api.extension.Extension with
            io.iwarp.testing.LeakCheck;
}

/** What an application holds of a connection: queue pairs, completions, listen and connect. */
module io.iwarp.verbs {
    exports io.iwarp.verbs;

    requires transitive io.iwarp.rdmap;
    requires io.netty.common;
    requires jdk.jfr;
    requires org.slf4j;
    requires static org.jspecify;
}

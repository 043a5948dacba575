/** The {@code iwarp} command: the stack at work, and tools to try and measure it. */
module io.iwarp.examples {
    requires io.iwarp.rdmap;
    requires io.netty.handler;
    requires info.picocli;
    requires org.slf4j;
    requires static org.jspecify;

    opens io.iwarp.examples to
            info.picocli;
}

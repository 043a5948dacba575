/** The {@code iwarp} command: the stack at work, and tools to try and measure it. */
@SuppressWarnings("requires-automatic") // HdrHistogram is not a module; nothing depends on this one.
module io.iwarp.tools {
    requires ch.qos.logback.classic;
    requires com.fasterxml.jackson.core;
    requires HdrHistogram;
    requires info.picocli;
    requires io.iwarp.conformance;
    requires io.iwarp.verbs;
    requires io.netty.codec;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport.classes.epoll;
    requires io.netty.transport.classes.io_uring;
    requires io.netty.transport.unix.common;
    requires jdk.management;
    requires me.tongfei.progressbar;
    requires org.slf4j;
    requires static org.jspecify;

    opens io.iwarp.tools to
            info.picocli;
    opens io.iwarp.tools.cli to
            info.picocli;
    opens io.iwarp.tools.demo to
            info.picocli;
    opens io.iwarp.tools.echo to
            info.picocli;
    opens io.iwarp.tools.counter to
            info.picocli;
    opens io.iwarp.tools.file to
            info.picocli;
    opens io.iwarp.tools.rdma to
            info.picocli;
    opens io.iwarp.tools.perf to
            info.picocli;
    opens io.iwarp.tools.probe to
            info.picocli;
    opens io.iwarp.tools.conformance to
            info.picocli;
}

package io.iwarp.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/** An exception that Netty logs is one that no other code gets. Each thread that simulates has a watch of its own. */
final class LogWatch extends AppenderBase<ILoggingEvent> {
    private static final String[] WATCHED = {"io.iwarp", "io.netty"};
    private final World world;
    private final Thread thread = Thread.currentThread();

    LogWatch(World world) {
        this.world = world;
        start();
        for (String name : WATCHED) {
            Logger logger = (Logger) LoggerFactory.getLogger(name);
            synchronized (logger) {
                logger.setAdditive(false);
                logger.setLevel(Level.WARN);
                logger.addAppender(this);
            }
        }
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (Thread.currentThread() == thread && event.getThrowableProxy() instanceof ThrowableProxy proxy) {
            world.swallowed("logged: " + event.getFormattedMessage(), proxy.getThrowable());
        }
    }

    void close() {
        for (String name : WATCHED) {
            Logger logger = (Logger) LoggerFactory.getLogger(name);
            synchronized (logger) {
                logger.detachAppender(this);
                if (!logger.iteratorForAppenders().hasNext()) {
                    logger.setAdditive(true);
                    logger.setLevel(null);
                }
            }
        }
    }
}

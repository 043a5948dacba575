package io.iwarp.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Keeps what is logged while a test runs, and keeps it from the loggers above. For a field that is not static, with
 * {@code @RegisterExtension}. Afterwards the logger is as before, also if the test has changed its level.
 */
public final class LogCapture implements BeforeEachCallback, AfterEachCallback {
    private static final class Events extends AppenderBase<ILoggingEvent> {
        private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();

        @Override
        protected void append(ILoggingEvent event) {
            // Now, while what is logged is still as it is.
            event.prepareForDeferredProcessing();
            events.add(event);
        }
    }

    private final Logger logger;
    private final @Nullable Level level;
    private final Events appender = new Events();
    private @Nullable Level levelBefore;

    /** Captures what a logger and those below it would print. */
    public LogCapture(String logger) {
        this(logger, null);
    }

    /**
     * Captures what a logger and those below it are told from a level on.
     *
     * @param level null for that which the logger has
     */
    public LogCapture(String logger, @Nullable Level level) {
        this.logger = (Logger) LoggerFactory.getLogger(logger);
        this.level = level;
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        levelBefore = logger.getLevel();
        if (level != null) {
            logger.setLevel(level);
        }
        logger.setAdditive(false);
        appender.start();
        logger.addAppender(appender);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        logger.detachAppender(appender);
        logger.setAdditive(true);
        logger.setLevel(levelBefore);
    }

    /** {@return what was logged so far} */
    public List<ILoggingEvent> events() {
        return List.copyOf(appender.events);
    }

    /** {@return the messages of what was logged so far} */
    public List<String> messages() {
        return appender.events.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}

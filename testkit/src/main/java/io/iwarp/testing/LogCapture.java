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
 * Captures what is logged during a test, instead of printing it. Use it in a field that is not static, with
 * {@code @RegisterExtension}. After the test the logger is as before, even if the test has changed its level. Needs
 * Logback.
 */
public final class LogCapture implements BeforeEachCallback, AfterEachCallback {
    private static final class Events extends AppenderBase<ILoggingEvent> {
        private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();

        @Override
        protected void append(ILoggingEvent event) {
            // Formats the arguments now, before they change.
            event.prepareForDeferredProcessing();
            events.add(event);
        }
    }

    private final Logger logger;
    private final @Nullable Level level;
    private final Events appender = new Events();
    private @Nullable Level levelBefore;

    /** Captures what a logger, and the loggers below it, would print. */
    public LogCapture(String logger) {
        this(logger, null);
    }

    /**
     * Captures what a logger, and the loggers below it, log at a level or above.
     *
     * @param level the level, or null for the level of the logger
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

    /** Returns the events logged so far. */
    public List<ILoggingEvent> events() {
        return List.copyOf(appender.events);
    }

    /** Returns the messages logged so far. */
    public List<String> messages() {
        return appender.events.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}

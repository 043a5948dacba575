package io.iwarp.tools.cli;

import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;

/** The message of an entry of the log, as {@link PlainText}. Named by logback.xml. */
public final class PlainMessage extends MessageConverter {
    @Override
    public String convert(ILoggingEvent event) {
        return PlainText.of(String.valueOf(super.convert(event)));
    }
}

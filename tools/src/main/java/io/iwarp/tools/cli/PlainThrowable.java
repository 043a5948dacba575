package io.iwarp.tools.cli;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;

/** The exception of an entry of the log, as {@link PlainText}. Named by logback.xml. */
public final class PlainThrowable extends ThrowableProxyConverter {
    @Override
    protected String throwableProxyToString(IThrowableProxy failure) {
        return PlainText.ofLines(super.throwableProxyToString(failure));
    }
}

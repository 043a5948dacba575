package io.iwarp.verbs;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/**
 * Flight recorder event: a request that took long from its post to its completion. It needs one object per request, so
 * it is off by default.
 */
@Name("io.iwarp.LongOperation")
@Label("Long Operation")
@Category("iWARP")
@Description("A request other than a receive that took longer than the threshold from its post to its completion. It is"
        + " recorded for connections that begin while it is enabled.")
@Enabled(false)
@Threshold("10 ms")
@StackTrace(false)
final class LongOperationEvent extends Event {
    @Label("Channel")
    @Nullable
    String channel;

    @Label("Operation")
    @Nullable
    String operation;

    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Successful")
    boolean successful;
}

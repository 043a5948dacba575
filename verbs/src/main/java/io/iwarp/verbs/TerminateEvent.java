package io.iwarp.verbs;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** Flight recorder event: a Terminate message. */
@Name("io.iwarp.Terminate")
@Label("Terminate")
@Category("iWARP")
@Description("A Terminate message, with which one side ends a stream after an error")
@StackTrace(false)
final class TerminateEvent extends Event {
    @Label("Channel")
    @Nullable
    String channel;

    @Label("Sent")
    @Description("Whether this side sent it; else the peer did")
    boolean sent;

    @Label("Error")
    @Nullable
    String error;
}

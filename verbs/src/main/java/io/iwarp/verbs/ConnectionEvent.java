package io.iwarp.verbs;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** Flight recorder event: a connection, from the creation of its channel to its end. */
@Name("io.iwarp.Connection")
@Label("Connection")
@Category("iWARP")
@Description("A connection, from the beginning of its set-up to its end")
@StackTrace(false)
final class ConnectionEvent extends Event {
    @Label("Channel")
    @Nullable
    String channel;

    @Label("Role")
    @Nullable
    String role;

    @Label("Local Address")
    @Nullable
    String localAddress;

    @Label("Remote Address")
    @Nullable
    String remoteAddress;

    @Label("Established")
    @Description("Whether the set-up succeeded")
    boolean established;

    @Label("Ended By")
    @Nullable
    String endedBy;

    @Label("Reason")
    @Nullable
    String reason;

    @Label("Bytes Sent")
    @DataAmount
    long bytesSent;

    @Label("Bytes Received")
    @DataAmount
    long bytesReceived;
}

/**
 * What the stack needs of Netty's transports, and what they lack: TLS and in-JVM channels that close in halves, event loops that
 * wait awake, reads into buffers that are used again.
 */
@API(status = API.Status.MAINTAINED, since = "0.1.0")
@NullMarked
package io.iwarp.transport;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

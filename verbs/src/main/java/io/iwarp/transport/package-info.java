/**
 * Adapters for Netty's transports: half-close with TLS and in-JVM channels, event loops that poll, event loops of
 * io_uring that end safely, reads into reused buffers.
 */
@API(status = API.Status.MAINTAINED, since = "0.1.0")
@NullMarked
package io.iwarp.transport;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

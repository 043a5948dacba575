/** What a connection needs of its channel: half-close with TLS and in-JVM channels, reads into reused buffers. */
@API(status = API.Status.INTERNAL)
@NullMarked
package io.iwarp.internal.transport;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

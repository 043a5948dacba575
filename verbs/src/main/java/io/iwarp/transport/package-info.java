/** Netty's event loops: their channel types, loops that poll, and loops of io_uring that end safely. */
@API(status = API.Status.MAINTAINED, since = "0.1.0")
@NullMarked
package io.iwarp.transport;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

/**
 * What all layers of the stack share: the error numbers of RDMAP, DDP and MPA in one table, why a stream ended, the
 * exceptions an application sees, and the counters of a connection.
 *
 * <p>Errors come in two shapes. Inside the stack an error is a value, {@link io.iwarp.ProtocolFault}; at the edge it
 * becomes an {@link io.iwarp.IwarpException} that carries a {@link io.iwarp.CloseReason}. Misuse of the API is neither:
 * it is an {@link java.lang.IllegalArgumentException} or {@link java.lang.IllegalStateException} that says what to do.
 */
@API(status = API.Status.MAINTAINED, since = "0.1.0")
@NullMarked
package io.iwarp;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

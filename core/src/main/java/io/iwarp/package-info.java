/**
 * What all layers of the stack share: the error numbers of RDMAP, DDP and MPA, the reasons for the end of a stream, the
 * exceptions for applications, the states of a connection, and its counters.
 *
 * <p>The application gets an error as an {@link io.iwarp.IwarpException} with a {@link io.iwarp.CloseReason}. Misuse of
 * the API is an {@link java.lang.IllegalArgumentException} or {@link java.lang.IllegalStateException} that says what to
 * do.
 */
@API(status = API.Status.MAINTAINED, since = "0.1.0")
@NullMarked
package io.iwarp;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

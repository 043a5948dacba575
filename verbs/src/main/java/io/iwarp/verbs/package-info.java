/**
 * The application's interface to iWARP connections: queue pairs, completions, receive queues, listening and connecting.
 */
@API(status = API.Status.MAINTAINED, since = "0.1.0")
@NullMarked
package io.iwarp.verbs;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

/** What MPA (RFC 5044, RFC 6581) is asked for at start-up, and what both ends agreed on. */
@API(status = API.Status.MAINTAINED, since = "0.1.0")
@NullMarked
package io.iwarp.mpa;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

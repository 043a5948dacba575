/** What a case is, what it may do with the peer, and how its outcome is judged. */
@API(status = API.Status.INTERNAL)
@NullMarked
package io.iwarp.conformance.judge;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

/**
 * Registered memory: what a peer may read, write and change, and how that is checked and revoked.
 *
 * <p>An {@link io.iwarp.memory.IwarpDevice} owns the STags and the limits. A {@link io.iwarp.memory.ProtectionDomain}
 * groups streams and regions that belong together. A {@link io.iwarp.memory.MemoryRegion} makes bytes of the
 * application reachable under an STag, for all streams of its domain or for one
 * {@link io.iwarp.memory.StreamAssociation}. What the application tells its peer about a region is a
 * {@link io.iwarp.memory.RemoteBuffer}.
 *
 * <p>The rules are those of RFC 5040 section 8.1.1, RFC 5041 section 8 and RFC 5042: nothing is reachable that was not
 * registered, no right is granted that was not asked for, and once revocation of a region returns, no peer changes its
 * bytes any more.
 */
@API(status = API.Status.MAINTAINED, since = "0.1.0")
@NullMarked
package io.iwarp.memory;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

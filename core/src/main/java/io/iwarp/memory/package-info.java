/**
 * Registered memory: what a peer may read, write and change, and how this is checked and revoked.
 *
 * <p>An {@link io.iwarp.memory.IwarpDevice} owns the STags and the limits. A {@link io.iwarp.memory.ProtectionDomain}
 * groups streams and regions. A {@link io.iwarp.memory.MemoryRegion} makes bytes of the application accessible by an
 * STag, for all streams of its domain or for one. The application advertises a region to its peer as a
 * {@link io.iwarp.memory.RemoteBuffer}.
 *
 * <p>The rules are those of RFC 5040 section 8.1.1, RFC 5041 section 8 and RFC 5042: only registered memory is
 * accessible, only the named rights are granted, and after a revocation has returned, no peer changes the bytes any
 * more.
 */
@API(status = API.Status.MAINTAINED, since = "0.1.0")
@NullMarked
package io.iwarp.memory;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

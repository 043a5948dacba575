/** RDMAP (RFC 5040) and its extensions (RFC 7306). */
@API(status = API.Status.INTERNAL)
@NullMarked
package io.iwarp.rdmap;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

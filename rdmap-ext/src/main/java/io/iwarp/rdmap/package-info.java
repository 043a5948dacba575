/** RDMAP (RFC 5040) with its extensions (RFC 7306): the operations and their order. */
@API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
@NullMarked
package io.iwarp.rdmap;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

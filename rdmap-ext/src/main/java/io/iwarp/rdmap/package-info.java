/** RDMAP (RFC 5040) with its extensions (RFC 7306): the operations and their order. */
@NullMarked
package io.iwarp.rdmap;

import org.jspecify.annotations.NullMarked;

/** The same tests over every transport of Netty, with and without TLS: what an embedding application may choose. */
@NullMarked
package io.iwarp.transports;

import org.jspecify.annotations.NullMarked;

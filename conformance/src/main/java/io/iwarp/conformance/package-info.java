/**
 * A conformance suite for iWARP peers of any make. It talks to them over plain sockets, with an encoder and a decoder
 * of its own, so that it does not share the mistakes of a stack.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
@NullMarked
package io.iwarp.conformance;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

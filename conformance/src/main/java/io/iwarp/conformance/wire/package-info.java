/**
 * Bytes on the wire: an encoder and a decoder of start-up frames, FPDUs, markers, DDP and RDMAP, over plain sockets.
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package io.iwarp.conformance.wire;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

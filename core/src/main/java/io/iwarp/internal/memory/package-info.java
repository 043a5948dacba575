/**
 * The implementation of {@link io.iwarp.memory}, and what the layers call of it: a
 * {@link io.iwarp.internal.memory.StreamAssociation} finds and checks a {@link io.iwarp.internal.memory.TaggedBuffer},
 * and a {@link io.iwarp.internal.memory.ByteSpan} is the local memory of a request.
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package io.iwarp.internal.memory;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

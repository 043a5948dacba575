/** The implementation of {@link io.iwarp.metrics}, and what queue pairs report to it. */
@API(status = API.Status.INTERNAL)
@NullMarked
package io.iwarp.internal.metrics;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

/** Spark's own tests with the iWARP shuffle, and checks and benchmarks of whole applications. */
@API(status = API.Status.INTERNAL)
@NullMarked
package io.iwarp.spark;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

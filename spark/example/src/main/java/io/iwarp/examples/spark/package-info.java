/** A Spark job whose reducers fetch by RDMA Reads. */
@API(status = API.Status.INTERNAL)
@NullMarked
package io.iwarp.examples.spark;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

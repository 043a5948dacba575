/** The cases, in families: what differs between the cases of a family is data. */
@API(status = API.Status.INTERNAL)
@NullMarked
package io.iwarp.conformance.cases;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

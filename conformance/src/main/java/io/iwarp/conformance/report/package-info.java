/** Reports of a run, for people and for programs. */
@API(status = API.Status.INTERNAL)
@NullMarked
package io.iwarp.conformance.report;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

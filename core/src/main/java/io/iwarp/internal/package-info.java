/** Internal classes that the modules of the stack share. They may change at any time. */
@API(status = API.Status.INTERNAL)
@NullMarked
package io.iwarp.internal;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

/** Messages that come back. */
@NullMarked
package io.iwarp.tools.echo;

import org.jspecify.annotations.NullMarked;

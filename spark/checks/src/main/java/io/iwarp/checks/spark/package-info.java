/** Jobs that know nothing of the plugin, in a jar of their own. */
@NullMarked
package io.iwarp.checks.spark;

import org.jspecify.annotations.NullMarked;

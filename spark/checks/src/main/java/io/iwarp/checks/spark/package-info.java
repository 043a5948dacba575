/** Jobs that do not use the plugin's classes, in their own jar. */
@NullMarked
package io.iwarp.checks.spark;

import org.jspecify.annotations.NullMarked;

/** The demo: all operations in one process. */
@NullMarked
package io.iwarp.tools.demo;

import org.jspecify.annotations.NullMarked;

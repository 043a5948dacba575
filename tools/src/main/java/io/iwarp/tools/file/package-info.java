/** Files that are written into memory and read from it. */
@NullMarked
package io.iwarp.tools.file;

import org.jspecify.annotations.NullMarked;

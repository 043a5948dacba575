/** Registered memory: protection domains, regions, windows, access rights and STags. */
@NullMarked
package io.iwarp.memory;

import org.jspecify.annotations.NullMarked;

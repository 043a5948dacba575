/** What all layers share: error numbers and exceptions, close reasons, counters and their meters. */
@NullMarked
package io.iwarp;

import org.jspecify.annotations.NullMarked;

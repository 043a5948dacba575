/** What an application holds: queue pairs, completions, receive queues, listening and connecting. */
@NullMarked
package io.iwarp.verbs;

import org.jspecify.annotations.NullMarked;

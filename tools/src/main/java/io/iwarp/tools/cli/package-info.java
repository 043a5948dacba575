/** What the commands share: options, endpoints, conversations, output and errors. It knows no command. */
@NullMarked
package io.iwarp.tools.cli;

import org.jspecify.annotations.NullMarked;

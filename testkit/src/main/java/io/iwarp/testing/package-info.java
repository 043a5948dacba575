/**
 * What tests share: leak detection, captured logs, reproducible randomness, golden bytes, captures of a real peer, and
 * citations of requirements.
 *
 * <p>{@link io.iwarp.testing.LeakCheck} checks each test class if JUnit's autodetection of extensions is on
 * ({@code junit.jupiter.extensions.autodetection.enabled=true} in {@code junit-platform.properties}).
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
@NullMarked
package io.iwarp.testing;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;

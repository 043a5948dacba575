/**
 * Whole connections, verbs to MPA, in one thread: an in-memory wire, virtual time, and one seed that decides everything.
 * {@link io.iwarp.simulation.SimulationTest} runs it, {@code docs/testing.md} tells how to replay a seed.
 */
package io.iwarp.simulation;

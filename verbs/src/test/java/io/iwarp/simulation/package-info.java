/**
 * Whole connections, verbs to MPA, in one thread: an in-memory wire, virtual time, and one seed that decides
 * everything. {@link io.iwarp.simulation.SimulationTest} runs it, {@code docs/testing.md} tells how to replay a seed.
 *
 * <p>{@code Weaver} loads the project's classes again and inserts a call before each access to an atomic variable in
 * {@code io.iwarp.verbs}. There the simulation can stop a thread, for example between the claim of a slot and its
 * publication, and let others run. A thread inside a lock is not interrupted. Memory is sequentially consistent;
 * jcstress covers reordering by the processor.
 *
 * <p>To add something:
 *
 * <ul>
 *   <li><b>Trouble</b>: add it to {@code Trouble}, with an event in {@code Simulation.Connection.planTrouble} or an
 *       action in {@code Requests.act}. If it may end or delay a stream, tell the invariants ({@code disturbed},
 *       {@code onRest}, {@code judgeReason}).
 *   <li><b>An attack</b>: add an act to {@code Raider}, or a limit to {@code Siege}. A siege has a world of its own, so
 *       that it changes no other run.
 *   <li><b>An operation</b>: add a kind to {@code Post}, a method that posts it to {@code Requests}, and a check to
 *       {@code Completions.completed}.
 *   <li><b>An invariant</b>: call {@code world.violated(invariant, detail)}. Then break the code, and check with
 *       {@code --survey} that the invariant finds it.
 * </ul>
 *
 * <p>All random choices come from {@code Dice}. Use nothing else that differs between runs: identity hash codes,
 * wall-clock time, threads. {@code SimulationTest.aSeedDecidesEverything} checks that.
 */
package io.iwarp.simulation;

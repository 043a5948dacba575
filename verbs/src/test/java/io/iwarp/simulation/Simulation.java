package io.iwarp.simulation;

import io.iwarp.verbs.ConnectionRequest;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.netty.buffer.ByteBufAllocator;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One run of a seed, from the set-up of its connections until nothing is left of them. */
public final class Simulation {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1000 * MILLI;
    private static final long MAX_SLOW_ARRIVALS = 10_000;
    private static final long MAX_ACTIVITY = 100 * SECOND;
    private static final long MAX_END = 1000 * SECOND;

    private final Trouble trouble;
    private final Plan plan;
    private final World world;
    private final SimulatedAllocator stackMemory;
    /** Never out of memory. */
    private final SimulatedAllocator ampleMemory;

    private final SimulatedAllocator applicationMemory;
    private final List<Connection> connections = new ArrayList<>();
    private final List<AppThread> threads = new ArrayList<>();
    private final List<SimulatedLoop> loops = new ArrayList<>();
    private final @Nullable SharedPool pool;

    private Simulation(long seed, Trace trace) {
        Dice dice = new Dice(seed);
        trouble = new Trouble(seed);
        plan = new Plan(dice, trouble);
        world = new World(dice, trace, plan.interruptionPermille, plan.stallPermille);
        stackMemory = new SimulatedAllocator(world, plan.outOfMemoryPermille);
        ampleMemory = new SimulatedAllocator(world, 0);
        applicationMemory = new SimulatedAllocator(world, 0);
        pool = plan.receives == Plan.Receives.SHARED ? new SharedPool(world, applicationMemory) : null;
    }

    /**
     * Runs a seed.
     *
     * @param lines how many lines of what happened last are wanted
     * @return null if all invariants hold; or what was violated, with what happened before
     */
    public static @Nullable String run(long seed, int lines) {
        Trace trace = new Trace(lines);
        Simulation simulation = new Simulation(seed, trace);
        String violated = simulation.violated();
        if (violated != null) {
            return lines == 0 ? violated : violated + "\n" + simulation.plan + "\n" + trace;
        }
        Trace ofSiege = new Trace(lines);
        violated = Siege.run(seed, ofSiege);
        return violated == null || lines == 0 ? violated : violated + "\n" + ofSiege;
    }

    /** Returns a number that differs if a run did anything else; to see that a seed decides everything. */
    public static long fingerprint(long seed) {
        Trace trace = new Trace(1);
        long simulated = 31L * Objects.hashCode(new Simulation(seed, trace).violated()) + trace.hash();
        Trace ofSiege = new Trace(1);
        return 31L * (31L * simulated + Objects.hashCode(Siege.run(seed, ofSiege))) + ofSiege.hash();
    }

    private @Nullable String violated() {
        LogWatch log = new LogWatch(world);
        Points.watch(world);
        try {
            run();
            return null;
        } catch (Violation violation) {
            return violation.getMessage();
        } catch (RuntimeException | Error e) {
            StringWriter stack = new StringWriter();
            e.printStackTrace(new PrintWriter(stack));
            return "no exception is lost: " + stack;
        } finally {
            Points.watch(null);
            log.close();
        }
    }

    private void run() {
        if (pool != null) {
            for (int i = 0; i < plan.initialReceives; i++) {
                pool.post();
            }
            SharedPool owing = pool;
            new Replenisher(world, "replenish", () -> owing.owes() && !allOver(), owing::postOwed, this::receiveDelay);
        }
        for (int i = 0; i < plan.connections; i++) {
            connections.add(connection(i));
        }
        if (plan.exhaustions) {
            for (int i = world.dice.below(3); i >= 0; i--) {
                long length = world.dice.oneOf(10_000L, MILLI, SECOND);
                world.after(
                        world.dice.between(0, world.dice.oneOf(1, 100) * MILLI),
                        "no memory",
                        () -> stackMemory.exhaust(length));
            }
        }
        if (plan.fullWindows) {
            stackMemory.exhaustAfter(world.dice.below(1 << 20), world.dice.oneOf(5, 50, 1000) * MILLI);
        }
        world.onRest(nanos -> {
            connections.forEach(connection -> connection.onRest(nanos));
            if (pool != null) {
                pool.onRest();
            }
        });
        world.run(world.start() + MAX_ACTIVITY, () -> threads.stream().allMatch(AppThread::done));
        settle();
        end();
        world.quiet();
        judge();
        world.check();
    }

    /** Some quiet time, in which all posts must complete and keep-alives must continue. */
    private void settle() {
        stackMemory.heal();
        if (world.dice.permille(700)) {
            long until = world.now() + world.dice.oneOf(SECOND / 10, 2 * SECOND, plan.longestSettling);
            world.after(until - world.now(), "rest is over", () -> {});
            world.run(until, () -> world.now() >= until || allOver());
        }
    }

    private void end() {
        for (Connection connection : connections) {
            for (End end : connection.ends()) {
                world.after(
                        world.dice.between(0, plan.slowestWire * 2),
                        "time to close",
                        () -> new AppThread(
                                world,
                                end + "-close",
                                () -> {
                                    end.close();
                                    return !end.closing() && end.channel.isOpen();
                                },
                                () -> SECOND / 100));
            }
        }
        long until = world.now() + MAX_END;
        world.run(until, this::allOver);
        // Bytes of the last moments, resets, completions that were not polled.
        world.run(world.now() + 2000 * SECOND, () -> false);
    }

    private boolean allOver() {
        for (Connection connection : connections) {
            for (End end : connection.ends()) {
                if (!end.over() || end.channel.isOpen()) {
                    return false;
                }
            }
        }
        return true;
    }

    private void judge() {
        for (Connection connection : connections) {
            for (End end : connection.ends()) {
                end.judge(connection.disturbed());
            }
        }
        world.check();
        for (Connection connection : connections) {
            for (End end : connection.ends()) {
                end.dispose();
            }
        }
        if (pool != null) {
            pool.dispose();
        }
        for (SimulatedLoop loop : loops) {
            String left = world.as(loop, loop::left);
            if (!left.isEmpty()) {
                world.violated("nothing is left", loop + ": " + left);
            }
        }
        for (SimulatedAllocator memory : List.of(stackMemory, ampleMemory, applicationMemory)) {
            if (memory.live() > 0) {
                world.violated("nothing is left", memory.live() + " buffers:" + memory.describeLive());
            }
        }
    }

    private SimulatedLoop loop(String name) {
        if (plan.oneLoop && !loops.isEmpty()) {
            return loops.get(0);
        }
        SimulatedLoop loop = new SimulatedLoop(world, name);
        loops.add(loop);
        if (trouble.has(Trouble.Kind.SLOW_LOOPS) && trouble.dice.permille(500)) {
            loop.slow(trouble.dice.oneOf(10_000L, MILLI, 5 * MILLI));
        }
        return loop;
    }

    private Connection connection(int number) {
        Pipe fromInitiator = new Pipe(world, "there" + number, plan.pipeCapacity, plan.slowestWire, plan.cuts);
        Pipe fromResponder = new Pipe(world, "back" + number, plan.pipeCapacity, plan.slowestWire, plan.cuts);
        Pipe toResponder = trouble.onTheWire() ? secondHalf(fromInitiator) : fromInitiator;
        Pipe toInitiator = trouble.onTheWire() ? secondHalf(fromResponder) : fromResponder;
        SimulatedChannel initiatorChannel = new SimulatedChannel(world, "i" + number, toInitiator, fromInitiator);
        SimulatedChannel responderChannel = new SimulatedChannel(world, "r" + number, toResponder, fromResponder);
        initiatorChannel.connectedTo(responderChannel);
        responderChannel.connectedTo(initiatorChannel);
        End initiator = new End(world, plan, "I" + number, plan.initiator, initiatorChannel, applicationMemory, null);
        End responder = new End(world, plan, "R" + number, plan.responder, responderChannel, applicationMemory, pool);
        initiator.peer(responder);
        responder.peer(initiator);
        if (pool != null) {
            pool.serves(responder);
        }
        Connection connection = new Connection(initiator, responder);
        if (trouble.onTheWire()) {
            responder.middlebox(
                    new Middlebox(world, plan, "box" + number, fromInitiator, toResponder, connection::disturb));
            initiator.middlebox(
                    new Middlebox(world, plan, "backbox" + number, fromResponder, toInitiator, connection::disturb));
        }
        start(
                responderChannel,
                stackMemory,
                loop("loopR" + number),
                IwarpChannelInitializer.responder(
                        responder.domain, plan.responder, request -> decide(responder, request)));
        start(
                initiatorChannel,
                plan.fullWindows ? ampleMemory : stackMemory,
                loop("loopI" + number),
                IwarpChannelInitializer.initiator(initiator.domain, plan.initiator, new byte[0], initiator::prepare));
        startThreads(initiator, plan.actions);
        startThreads(responder, plan.fullWindows ? 0 : plan.actions);
        connection.planTrouble();
        return connection;
    }

    private Pipe secondHalf(Pipe first) {
        return new Pipe(world, first + "'", plan.pipeCapacity, plan.slowestWire, plan.cuts);
    }

    private void start(
            SimulatedChannel channel,
            ByteBufAllocator memory,
            SimulatedLoop loop,
            IwarpChannelInitializer initializer) {
        channel.config().setAllocator(memory);
        channel.pipeline().addLast(initializer);
        channel.runsOn(loop);
        loop.add(channel);
        loop.execute(() -> loop.register(channel));
    }

    private void decide(End end, ConnectionRequest request) {
        end.prepare(request.queuePair());
        if (plan.rejects) {
            request.reject();
        } else if (world.dice.permille(700)) {
            request.accept();
        } else {
            new AppThread(
                    world,
                    end + "-accept",
                    new AppThread.Work() {
                        private boolean waited;

                        @Override
                        public boolean goOn() {
                            if (waited) {
                                request.accept();
                            }
                            waited = !waited;
                            return waited;
                        }
                    },
                    () -> world.dice.between(0, plan.longestRest));
        }
    }

    private void startThreads(End end, int actions) {
        for (int i = 0; i < plan.threads; i++) {
            int[] left = {world.dice.below(actions + 1)};
            threads.add(new AppThread(
                    world,
                    end + "-" + i,
                    () -> {
                        if (end.prepared() && left[0] > 0) {
                            left[0]--;
                            end.requests.act();
                        }
                        return left[0] > 0 && end.channel.isOpen() && world.now() < world.start() + MAX_ACTIVITY;
                    },
                    () -> end.prepared() ? pause() : world.dice.between(0, 50_000_000)));
        }
        if (plan.receives != Plan.Receives.MANAGED && end.pool == null) {
            new Replenisher(
                    world, end + "-receive", end.requests::owesReceives, end.requests::postOwed, this::receiveDelay);
        }
    }

    private long receiveDelay() {
        return world.dice.between(plan.receiveDelay / 2, plan.receiveDelay);
    }

    private long pause() {
        if (world.dice.permille(plan.restPermille)) {
            return world.dice.between(0, plan.longestRest);
        }
        return world.dice.permille(500) ? 0 : world.dice.between(1000, 200_000);
    }

    private final class Connection {
        private final End initiator;
        private final End responder;
        private boolean disturbed;

        Connection(End initiator, End responder) {
            this.initiator = initiator;
            this.responder = responder;
        }

        List<End> ends() {
            return List.of(initiator, responder);
        }

        boolean disturbed() {
            return disturbed || stackMemory.failures() > 0;
        }

        void onRest(long nanos) {
            for (End end : ends()) {
                if (end.prepared()) {
                    end.waits.onRest(nanos, disturbed);
                }
            }
        }

        private long sometime() {
            return world.dice.between(0, world.dice.oneOf(100_000L, 5_000_000L, SECOND));
        }

        void disturb() {
            disturbed = true;
        }

        void planTrouble() {
            if (trouble.has(Trouble.Kind.LOOP_ENDS)) {
                SimulatedLoop loop = (trouble.dice.permille(500) ? initiator : responder).loop();
                loop.mayEnd();
                boolean busy = trouble.dice.permille(500);
                world.after(trouble.dice.between(0, trouble.dice.oneOf(100_000L, MILLI, SECOND)), "loop ends", () -> {
                    disturbed = true;
                    loop.end(busy);
                });
            }
            if (trouble.shortOfReceives()) {
                // The time limits are so short that they may end a stream that continues.
                disturbed = true;
            }
            if (trouble.has(Trouble.Kind.CHANNEL_CLOSES)) {
                later("close the channel", (trouble.dice.permille(500) ? initiator : responder)::closeChannel);
            }
            if (trouble.has(Trouble.Kind.FREEZE)) {
                End end = trouble.dice.permille(500) ? initiator : responder;
                long thaw = trouble.dice.between(1, trouble.dice.oneOf(1, 400)) * SECOND;
                world.after(trouble.dice.between(0, trouble.dice.oneOf(MILLI, SECOND)), "freeze", () -> {
                    disturbed = true;
                    end.loop().freeze(true);
                    world.after(thaw, "thaw", () -> end.loop().freeze(false));
                });
            }
            if (trouble.has(Trouble.Kind.SLOW_PEER)) {
                End end = trouble.dice.permille(500) ? initiator : responder;
                int bytes = trouble.dice.oneOf(1, 10, 1000);
                long pause = trouble.dice.oneOf(MILLI, SECOND / 10, SECOND);
                world.after(trouble.dice.between(0, trouble.dice.oneOf(MILLI, SECOND)), "slow peer", () -> {
                    disturbed = true;
                    end.channel.in().throttle(bytes, pause, Math.min(MAX_SLOW_ARRIVALS, 1000 * SECOND / pause));
                });
            }
            if (plan.resets) {
                world.after(sometime(), "cut", () -> {
                    disturbed = true;
                    initiator.channel.fail("Connection reset by peer");
                    responder.channel.fail("Connection reset by peer");
                });
            }
            if (plan.silences) {
                world.after(sometime(), "silence", () -> {
                    disturbed = true;
                    initiator.channel.in().kill();
                    initiator.channel.out().kill();
                    world.after(world.dice.between(SECOND, 200 * SECOND), "TCP gives up", () -> {
                        for (End end : ends()) {
                            if (end.channel.out().undelivered()) {
                                end.channel.fail("Connection timed out");
                            }
                        }
                    });
                });
            }
            if (trouble.has(Trouble.Kind.HOARDERS)) {
                for (End end : ends()) {
                    end.hoarder(new Hoarder(end));
                }
            }
            for (End end : ends()) {
                if (plan.aborts && world.dice.permille(500)) {
                    later("abort", end::abort);
                }
                if (plan.revokes && world.dice.permille(700)) {
                    later("revoke", end.regions::revoke);
                }
            }
        }

        private void later(String name, Runnable action) {
            world.after(
                    sometime(),
                    name,
                    () -> new AppThread(
                            world,
                            name,
                            () -> {
                                action.run();
                                return false;
                            },
                            () -> 0));
        }
    }
}

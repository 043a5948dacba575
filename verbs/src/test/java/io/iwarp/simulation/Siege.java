package io.iwarp.simulation;

import io.iwarp.internal.InputBudget;
import io.iwarp.internal.SendReservation;
import io.iwarp.internal.memory.StreamAssociation;
import io.iwarp.memory.AccessRight;
import io.iwarp.memory.IwarpDevice;
import io.iwarp.memory.MemoryRegion;
import io.iwarp.memory.ProtectionDomain;
import io.iwarp.memory.RemoteBuffer;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.verbs.IwarpChannelInitializer;
import io.iwarp.verbs.QueuePair;
import io.iwarp.verbs.QueuePairSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One device with small limits, and several {@linkplain Raider peers without a stack} that try to make it hold more, or
 * to make it wait. What the stack has allocated is compared with what the device counts.
 */
final class Siege {
    static final int LONGEST_MESSAGE = 16 * 1024;
    private static final long OWN_DICE = 0x51e6_e0_5eedL;
    private static final long SECOND = 1_000_000_000L;
    private static final long MAX_TIME = 400 * SECOND;
    /** The least that can be configured. Other streams of the device may hold most of it. */
    private static final int LEAST_LIMIT = 1 << 20;

    private static final int PERMILLE = 250;
    private static final int MOST_RAIDERS = 12;
    /** What a stream without output may hold beside what is counted. */
    private static final long SMALL = 1024;
    /** The least capacity of a batch of FPDUs. Others have at most twice the capacity that they need. */
    private static final int LEAST_BATCH = 512;

    /** An incomplete FPDU or message holds at most this many times what arrived of it. */
    private static final int GROWTH = 4;

    private static final int LEAST_FPDU_BUFFER = 256;
    private static final int GREATEST_FPDU = 66 * 1024;
    /** An FPDU and a read that wait while a stream does not read. */
    private static final int PAUSED_INPUT = 320 * 1024;

    private static final int GREATEST_IRD = 16;
    /** Each of twice the IRD of responses may have a batch of its own, and so may the few requests. */
    private static final long SENDING = 2 * SendReservation.FREE_BYTES + LEAST_BATCH * (2 * GREATEST_IRD + 8);

    final World world;
    final Dice dice;
    final int ird;
    final int transmitWindow;
    final long longestWait;
    final boolean closesWithPeer;

    private final SimulatedAllocator memory;
    private final SimulatedAllocator applicationMemory;
    private final IwarpDevice device;
    private final ProtectionDomain domain;
    private final StreamAssociation others;
    private final long othersInput;
    private final InputBudget.Reservation othersMessages;
    private final ByteBuf bytes;
    private final MemoryRegion region;
    private final RemoteBuffer remote;
    private final QueuePairSettings settings;
    private final List<SimulatedLoop> loops = new ArrayList<>();
    private final List<Raider> raiders = new ArrayList<>();

    private Siege(Dice dice, Trace trace) {
        this.dice = dice;
        world = new World(dice, trace, 0, 0);
        memory = new SimulatedAllocator(world, 0);
        applicationMemory = new SimulatedAllocator(world, 0);
        device = IwarpDevice.builder()
                .maxSendingBytes(LEAST_LIMIT)
                .maxPartialFpduBytes(LEAST_LIMIT)
                .maxManagedReceiveBytes(dice.oneOf(1, 1 << 13, 1 << 17))
                .build();
        domain = device.createProtectionDomain();
        try (StreamAssociation other = StreamAssociation.open(domain)) {
            others = other;
            others.inputBudget().reserveBeyondLimit(LEAST_LIMIT - dice.oneOf(1 << 12, 1 << 17, LEAST_LIMIT));
            for (int i = dice.oneOf(0, 4, 7); i > 0; i--) {
                others.sendReservation().grow();
            }
        }
        othersMessages = others.managedReceiveBudget().reservation(() -> {});
        if (dice.permille(500)) {
            othersMessages.reserveOrWait(device.maxManagedReceiveBytes());
        }
        othersInput = device.partialFpduBytes();
        bytes = applicationMemory.directBuffer(Raider.MEMORY, Raider.MEMORY).writeZero(Raider.MEMORY);
        region = domain.register(bytes, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC);
        remote = region.remoteBuffer();
        ird = dice.oneOf(1, 2, 4, GREATEST_IRD);
        transmitWindow = dice.oneOf(1 << 17, 1 << 20);
        closesWithPeer = dice.permille(800);
        Duration wait = Duration.ofSeconds(dice.oneOf(1L, 5L));
        settings = QueuePairSettings.builder()
                .managedReceiveBytes(LONGEST_MESSAGE)
                .receiveQueueDepth(16)
                .transmitWindow(transmitWindow)
                .transmitTimeout(wait)
                .responseTimeout(wait)
                .closeTimeout(wait)
                .messageTimeout(wait)
                .closeWithPeer(closesWithPeer)
                .mpa(MpaSettings.builder()
                        .ird(ird)
                        .ord(ird)
                        .enhanced(false)
                        .fpduTimeout(wait)
                        .startupTimeout(wait)
                        .mulpdu(dice.oneOf(1000, 1460, 8000, MpaSettings.MAX_MULPDU))
                        .build())
                .build();
        // Each raider may be the oldest in turn, for twice its time.
        longestWait = wait.toNanos() * (8 + 4L * MOST_RAIDERS);
    }

    /** Returns what was violated, or null. */
    static @Nullable String run(long seed, Trace trace) {
        Dice dice = new Dice(seed ^ OWN_DICE);
        if (!dice.permille(PERMILLE)) {
            return null;
        }
        Siege siege = new Siege(dice, trace);
        LogWatch log = new LogWatch(siege.world);
        Points.watch(siege.world);
        try {
            siege.run();
            return null;
        } catch (Violation violation) {
            return violation.getMessage() + siege.describe(trace);
        } finally {
            Points.watch(null);
            log.close();
        }
    }

    private String describe(Trace trace) {
        if (!trace.on()) {
            return "";
        }
        StringBuilder text = new StringBuilder("\n" + device + "\n" + settings);
        for (Raider raider : raiders) {
            text.append('\n').append(raider.describe());
        }
        return text.append("\nallocated:").append(memory.describeLive()).toString();
    }

    RemoteBuffer memory() {
        return remote;
    }

    private void run() {
        int count = 1 + dice.below(MOST_RAIDERS);
        for (int i = 0; i < 2; i++) {
            loops.add(new SimulatedLoop(world, "loop" + i));
        }
        world.onRest(this::onRest);
        for (int i = 0; i < count; i++) {
            int number = i;
            world.after(dice.between(0, dice.oneOf(0, 1, 20) * SECOND), "raider", () -> begin(number));
        }
        world.run(world.start() + MAX_TIME, () -> false);
        for (Raider raider : raiders) {
            QueuePair queuePair = raider.queuePair();
            if (queuePair != null) {
                queuePair.close();
            }
            raider.goAway();
        }
        world.run(world.now() + MAX_TIME, () -> false);
        raiders.forEach(Raider::judge);
        world.check();
        dispose();
        world.check();
    }

    private void begin(int number) {
        boolean initiates = dice.permille(700);
        Raider raider = new Raider(this, "raider" + number, initiates, number > 0 && dice.permille(250));
        raiders.add(raider);
        SimulatedChannel channel = raider.channel;
        SimulatedLoop loop = dice.oneOf(loops.toArray(new SimulatedLoop[0]));
        channel.config().setAllocator(memory);
        channel.pipeline()
                .addLast(
                        initiates
                                ? IwarpChannelInitializer.responder(domain, settings, request -> {
                                    prepare(raider, request.queuePair());
                                    request.accept();
                                })
                                : IwarpChannelInitializer.initiator(
                                        domain, settings, new byte[0], queuePair -> prepare(raider, queuePair)));
        channel.runsOn(loop);
        loop.add(channel);
        loop.execute(() -> loop.register(channel));
    }

    /** Its application takes messages at once, and may post requests that get no response. */
    private void prepare(Raider raider, QueuePair queuePair) {
        raider.prepared(queuePair);
        queuePair.setCompletionListener((same, completion) -> {
            ByteBuf message = completion.buffer();
            if (message != null) {
                message.release();
            }
        });
        if (!raider.honest() && dice.permille(300)) {
            queuePair.ready().thenAccept(ready -> post(raider, ready));
        }
    }

    private void post(Raider raider, QueuePair queuePair) {
        RemoteBuffer somewhere = new RemoteBuffer(1, 0, Long.BYTES);
        for (int i = dice.below(4); i >= 0; i--) {
            ByteBuf source = Unpooled.directBuffer(Long.BYTES).writeLong(i);
            raider.posted.add(
                    switch (dice.below(3)) {
                        case 0 -> queuePair.write(source, somewhere);
                        case 1 -> queuePair.send(source);
                        default -> queuePair.fetchAdd(somewhere, 1);
                    });
            source.release();
        }
    }

    private void onRest(long nanos) {
        long free = 0;
        for (Raider raider : raiders) {
            raider.onRest(nanos);
            free += raider.channel.isOpen() ? SMALL + (raider.hasOutput() ? SENDING : 0) : 0;
        }
        long sending = device.sendingBytes() - others.sendReservation().reservedBytes();
        long input =
                device.partialFpduBytes() - othersInput + device.managedReceiveBytes() - othersMessages.reservedBytes();
        long held = memory.liveBytes();
        long messages = device.managedReceiveBytes() - othersMessages.reservedBytes();
        if (messages > 0 && raiders.stream().noneMatch(Raider::mayHoldMessage)) {
            world.violated("what is counted is held", messages + " bytes of messages, and none is incomplete");
        }
        requireInputWithinLimits(device.partialFpduBytes() - othersInput, messages);
        if (held > free + 2 * sending + input) {
            world.violated(
                    "what is held is counted",
                    held + " bytes are allocated; counted are " + sending + " to send and " + input + " of input, and "
                            + free + " need not be");
        }
        if (device.sendingBytes() > device.maxSendingBytes()) {
            world.violated("what is held has a limit", device.sendingBytes() + " bytes are reserved to send");
        }
    }

    /** The oldest FPDU and the oldest message may exceed the limit, and so may what was read before a pause. */
    private void requireInputWithinLimits(long fpdus, long messages) {
        long paused = 0;
        long fpduBytes = 0;
        long messageBytes = 0;
        for (Raider raider : raiders) {
            paused += raider.channel.isOpen() && !raider.channel.config().isAutoRead() ? PAUSED_INPUT : 0;
            fpduBytes += Math.min(GREATEST_FPDU, Math.max(LEAST_FPDU_BUFFER, GROWTH * raider.sentBytes()));
            messageBytes += Math.min(LONGEST_MESSAGE, GROWTH * raider.longestMessage());
        }
        if (fpdus > fpduBytes + paused || messages > messageBytes) {
            world.violated(
                    "what is held follows what arrived",
                    fpdus + " bytes of FPDUs of at most " + fpduBytes + ", " + messages + " of messages of at most "
                            + messageBytes);
        }
        if (device.partialFpduBytes() > device.maxPartialFpduBytes() + GREATEST_FPDU + paused
                || device.managedReceiveBytes() > device.maxManagedReceiveBytes() + LONGEST_MESSAGE) {
            world.violated(
                    "what is held has a limit",
                    device.partialFpduBytes() + " bytes of FPDUs, " + device.managedReceiveBytes() + " of messages");
        }
    }

    private void dispose() {
        others.inputBudget().release(othersInput);
        othersMessages.close();
        others.sendReservation().shrinkTo(0);
        region.close();
        bytes.release();
        long counted = device.sendingBytes() + device.partialFpduBytes() + device.managedReceiveBytes();
        if (counted != 0) {
            world.violated(
                    "nothing is left",
                    device.sendingBytes() + " bytes to send, " + device.partialFpduBytes() + " of FPDUs, "
                            + device.managedReceiveBytes() + " of messages");
        }
        for (SimulatedAllocator allocator : List.of(memory, applicationMemory)) {
            if (allocator.live() > 0) {
                world.violated("nothing is left", allocator.live() + " buffers:" + allocator.describeLive());
            }
        }
        for (SimulatedLoop loop : loops) {
            String left = world.as(loop, loop::left);
            if (!left.isEmpty()) {
                world.violated("nothing is left", loop + ": " + left);
            }
        }
        domain.close();
    }
}

package io.iwarp.tools.counter;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.memory.RemoteBuffer;
import io.iwarp.testing.Requirement;
import io.iwarp.tools.CommandRun;
import io.iwarp.tools.PlainEndpoint;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.PeerAddress;
import io.iwarp.tools.cli.ServerOptions;
import io.iwarp.verbs.QueuePair;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CounterTest {
    private static final long FREE = 0;

    @ParameterizedTest
    @ValueSource(strings = {"", "--markers", "--no-crc"})
    @Requirement("EXT-4")
    void nothingIsLostBetweenClientsInOneProcess(String option) {
        CommandRun counter = CommandRun.of(("counter --clients 3 --adds 2000 --rounds 60 " + option)
                .strip()
                .split(" "));

        assertThat(counter.err()).isEmpty();
        assertThat(counter.exitCode()).isZero();
        assertThat(counter.out())
                .contains("3 clients to 127.0.0.1:")
                .contains("180 rounds in ")
                .contains("6,000 operations in ")
                .contains("counter 6,000, number 180: exactly what all clients added");
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 0", "1, 1, 0", "2, 0, 1"})
    void alsoNothingCanBeCounted(int clients, int adds, int rounds) {
        CommandRun counter =
                CommandRun.of("counter", "--clients", "" + clients, "--adds", "" + adds, "--rounds", "" + rounds);

        assertThat(counter.exitCode()).isZero();
        assertThat(counter.out())
                .contains("counter " + clients * adds + ", number " + clients * rounds + ": exactly what");
    }

    @Test
    void aPhaseThatIsInterruptedHasAResultAndNoCheck() throws Exception {
        CommandRun counter = CommandRun.start("counter", "--rounds", "1000000000", "--interval", "0.05");
        counter.awaitLine(Pattern.compile("until s .*"));
        counter.awaitLine(Pattern.compile("[0-9.]+ .*"));

        assertThat(counter.stop()).as(counter.err()).isZero();
        assertThat(counter.out())
                .containsPattern("spin lock +[\\d,]+ rounds? in .*\\R +min ")
                .doesNotContain("check");
    }

    @Test
    void severalProcessesCountTogether() throws Exception {
        try (CommandRun server = CommandRun.start("counter", "--listen", "--port", "0")) {
            String[] client = {"counter", server.address(), "--clients", "2", "--adds", "3000", "--rounds", "30"};
            CommandRun one = CommandRun.start(client);
            CommandRun other = CommandRun.start(client);

            assertThat(one.exitCode()).isZero();
            assertThat(other.exitCode()).isZero();
            assertThat(one.out() + other.out()).contains("counter 12,000, number 120: exactly what all clients added");
            server.awaitLine(Pattern.compile(".* counter 12,000, number 120: exactly what all clients added"));

            CommandRun third = CommandRun.of(client);
            assertThat(third.out()).contains("counter 18,000, number 180: exactly what all clients added");
            assertThat(server.stop()).isZero();
        }
    }

    @Test
    void aLockIsTakenFromAClientThatWasLost() throws Exception {
        try (CommandRun server = CommandRun.start("counter", "--listen", "--port", "0");
                Endpoint endpoint = PlainEndpoint.open()) {
            String address = server.address();
            QueuePair holder = connect(endpoint, address);
            CounterGrant grant = grant(holder);
            assertThat(Endpoint.await(holder.compareSwap(grant.lock(), FREE, grant.client())))
                    .isEqualTo(FREE);
            CommandRun client = CommandRun.start("counter", address, "--clients", "1", "--adds", "1", "--rounds", "5");
            client.awaitLine(Pattern.compile("connect .*"));

            holder.abort();

            server.awaitLine(Pattern.compile(".* disconnected before it finished; the lock was taken from it: .*"));
            assertThat(client.exitCode()).isZero();
            assertThat(client.out()).contains("counter 1, number 5; cannot be checked, clients lost: 1");
            assertThat(CommandRun.of("counter", address, "--adds", "1", "--rounds", "1")
                            .out())
                    .contains("counter 5, number 9: exactly what was there after the loss of 1 client, and clients"
                            + " added since");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void aLockIsTakenFromAClientThatLeavesWhenItIsDone(long other) throws Exception {
        try (CommandRun server = CommandRun.start("counter", "--listen", "--port", "0");
                Endpoint endpoint = PlainEndpoint.open()) {
            String address = server.address();
            QueuePair holder = connect(endpoint, address);
            CounterGrant grant = grant(holder);
            ByteBuf answer = Unpooled.buffer(CounterTotals.ENCODED_LENGTH);
            var answered = holder.receive(answer);
            Endpoint.await(holder.send(new CounterDone(0, 0).encode()));
            Endpoint.await(answered);
            long word = other == 0 ? grant.client() : other;
            Endpoint.await(holder.compareSwap(grant.lock(), FREE, word));

            holder.close();

            server.awaitLine(Pattern.compile(".* disconnected; the lock was taken from it: .*"));
            assertThat(CommandRun.of("counter", address, "--adds", "1", "--rounds", "1")
                            .out())
                    .contains("counter 4, number 4: exactly what all clients added");
        }
    }

    @Test
    void wrongNumbersAreAFailure() throws Exception {
        try (CommandRun server = CommandRun.start("counter", "--listen", "--port", "0");
                Endpoint endpoint = PlainEndpoint.open()) {
            String address = server.address();
            QueuePair liar = connect(endpoint, address);
            ByteBuf answer = Unpooled.buffer(CounterTotals.ENCODED_LENGTH);
            var answered = liar.receive(answer);
            Endpoint.await(liar.send(new CounterDone(7, 0).encode()));
            Endpoint.await(answered);
            assertThat(CounterTotals.decode(answer)).isEqualTo(new CounterTotals(0, 7, 0, 0, 0, 0, 0));

            CommandRun client = CommandRun.of("counter", address, "--adds", "1", "--rounds", "0");

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).contains("counter 4, number 0, but the clients added 11 and 0");
        }
    }

    @Test
    void aWindowEndsWithTheConnectionItWasFor() throws Exception {
        try (CommandRun server = CommandRun.start("counter", "--listen", "--port", "0");
                Endpoint endpoint = PlainEndpoint.open()) {
            String address = server.address();
            QueuePair first = connect(endpoint, address);
            RemoteBuffer counter = grant(first).counter();
            QueuePair second = connect(endpoint, address);

            assertThat(second.fetchAdd(counter, 1)).failsWithin(Duration.ofSeconds(10));
            assertThat(Endpoint.await(second.closed()).toString()).contains("not associated");
            assertThat(Endpoint.await(first.fetchAdd(counter, 0))).isZero();
        }
    }

    @Test
    void aServerThatIsStoppedInTheMiddleIsReported() throws Exception {
        CommandRun server = CommandRun.start("counter", "--listen", "--port", "0");
        CommandRun client = CommandRun.start("counter", server.address(), "--rounds", "1000000000");
        client.awaitLine(Pattern.compile("connect .*"));

        assertThat(server.stop()).isZero();

        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.error()).matches(".*(closed|lost).*");
    }

    @Test
    void aServerOfAnotherKindIsReported() throws Exception {
        try (CommandRun server = CommandRun.start("echo-server", "--port", "0")) {
            CommandRun client = CommandRun.of("counter", server.address());

            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.error()).contains("this is an echo-server");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--clients=0", "--clients=257", "--adds=-1", "--rounds=-1", "--rounds=x"})
    void refusesWhatItCannotDo(String option) {
        CommandRun counter = CommandRun.of("counter", option);

        assertThat(counter.exitCode()).isEqualTo(2);
        assertThat(counter.err()).contains("'iwarp counter --help'");
        assertThat(counter.out()).isEmpty();
    }

    private static QueuePair connect(Endpoint endpoint, String address) throws Exception {
        return endpoint.connect(
                new PeerAddress.Converter().convert(address).resolve(),
                new ServerOptions().settings().build(),
                CounterGrant.PROTOCOL.request(),
                fresh -> {});
    }

    private static CounterGrant grant(QueuePair queuePair) {
        return CounterGrant.decode(CounterGrant.PROTOCOL.restOfReply(queuePair, CounterGrant.ENCODED_LENGTH));
    }
}

package io.iwarp.soak;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a run does.
 *
 * @param minutes how long at most
 * @param seed decides what clients and servers do
 * @param posters the threads that post on each connection
 * @param clients the clients of each transport, at a time
 * @param connections after how many ended connections to stop before the time is over; 0 not to stop
 * @param transports those under load
 * @param ends how clients end their connections, each as often as it is named
 * @param hostile the hostile clients of each server with plain TCP, at a time
 * @param slowestMillis how long a request may take
 */
record SoakOptions(
        long minutes,
        long seed,
        int posters,
        int clients,
        long connections,
        List<SoakTransport> transports,
        List<ClientEnd> ends,
        int hostile,
        long slowestMillis) {

    /**
     * Returns the options of a command line.
     *
     * @param args {@code NAME=VALUE}, with all names
     * @throws IllegalArgumentException if a value is none; the message is for the user
     */
    static SoakOptions parse(String... args) {
        Map<String, String> values = new HashMap<>();
        for (String arg : args) {
            int separator = arg.indexOf('=');
            values.put(arg.substring(0, separator), arg.substring(separator + 1));
        }
        return new SoakOptions(
                Long.parseLong(values.get("minutes")),
                Long.parseLong(values.get("seed")),
                Integer.parseInt(values.get("posters")),
                Integer.parseInt(values.get("clients")),
                Long.parseLong(values.get("ends")),
                transports(values.getOrDefault("transports", "")),
                ends(values.getOrDefault("client-ends", "")),
                Integer.parseInt(values.get("hostile")),
                Long.parseLong(values.get("slowest")));
    }

    private static List<SoakTransport> transports(String names) {
        if (names.isEmpty()) {
            return Arrays.stream(SoakTransport.values())
                    .filter(SoakTransport::isAvailable)
                    .toList();
        }
        List<SoakTransport> transports = Arrays.stream(names.split(","))
                .map(name -> Arrays.stream(SoakTransport.values())
                        .filter(transport -> transport.toString().equals(name))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException(
                                "--transports " + name + " is none of " + Arrays.toString(SoakTransport.values()))))
                .toList();
        for (SoakTransport transport : transports) {
            if (!transport.isAvailable()) {
                throw new IllegalArgumentException("--transports " + transport + " cannot be used here");
            }
        }
        return transports;
    }

    private static List<ClientEnd> ends(String names) {
        if (names.isEmpty()) {
            return List.of(ClientEnd.values());
        }
        return Arrays.stream(names.split(","))
                .map(name -> Arrays.stream(ClientEnd.values())
                        .filter(end -> end.name().toLowerCase(Locale.ROOT).equals(name))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("--client-ends " + name + " is none of "
                                + Arrays.toString(ClientEnd.values()).toLowerCase(Locale.ROOT))))
                .toList();
    }
}

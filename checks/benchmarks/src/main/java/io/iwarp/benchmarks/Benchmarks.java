package io.iwarp.benchmarks;

import java.util.Arrays;

/**
 * The entry to the benchmarks: {@code netty-server PORT TRANSPORT}, {@code netty-client ...}, {@code jucx-server PORT
 * SIZE}, {@code jucx-client ...}, {@code distance} and {@code chart ...}, see {@code checks/benchmarks/compare};
 * {@code jmh ...} runs the microbenchmarks with JMH's own options.
 */
public final class Benchmarks {
    private Benchmarks() {}

    /**
     * Runs one of the programs.
     *
     * @param arguments its name and what it needs
     * @throws Exception whatever stops it
     */
    public static void main(String[] arguments) throws Exception {
        String program = arguments.length == 0 ? "" : arguments[0];
        String[] rest = Arrays.copyOfRange(arguments, Math.min(1, arguments.length), arguments.length);
        switch (program) {
            case "netty-server" -> FrameServer.run(rest);
            case "netty-client" -> FrameClient.run(rest);
            case "jucx-server" -> JucxServer.run(rest);
            case "jucx-client" -> JucxClient.run(rest);
            case "distance" -> ProcessorDistance.print();
            case "chart" -> RatioPlot.draw(rest);
            case "jmh" -> org.openjdk.jmh.Main.main(rest);
            default ->
                throw new IllegalArgumentException("'" + program
                        + "' is none of netty-server, netty-client, jucx-server, jucx-client, distance, chart, jmh");
        }
    }
}

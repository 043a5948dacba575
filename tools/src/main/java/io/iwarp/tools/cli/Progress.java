package io.iwarp.tools.cli;

import java.io.Console;
import java.io.PrintWriter;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** A progress bar on one line of the terminal, or none. */
public final class Progress implements AutoCloseable {
    private static final int COLUMNS = 79;
    private static final long MEGABYTE = 1_000_000;

    private final PrintWriter terminal;
    private final @Nullable ProgressBar bar;

    private Progress(PrintWriter terminal, @Nullable ProgressBar bar) {
        this.terminal = terminal;
        this.bar = bar;
    }

    /**
     * Draws an empty bar.
     *
     * @param terminal where to draw
     * @param size at the end, in bytes
     * @param wanted null to show it on a terminal only
     */
    public static Progress begin(PrintWriter terminal, String name, long size, @Nullable Boolean wanted) {
        boolean show = wanted == null ? onTerminal() : wanted;
        if (!show) {
            return new Progress(terminal, null);
        }
        ProgressBarBuilder builder = new ProgressBarBuilder()
                .setTaskName(PlainText.of(name))
                .setInitialMax(size)
                .setUnit(" MB", MEGABYTE)
                .showSpeed()
                .setStyle(ProgressBarStyle.ASCII)
                .setConsumer(new DelegatingProgressBarConsumer(
                        line -> {
                            terminal.print("\r" + line);
                            terminal.flush();
                        },
                        COLUMNS));
        ProgressBar bar = builder.build();
        // It is drawn by a thread of its own otherwise, when that has begun.
        bar.refresh();
        return new Progress(terminal, bar);
    }

    @SuppressWarnings("SystemConsoleNull") // From Java 22 on it is never null, and isTerminal says what it is.
    private static boolean onTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    /** Moves the bar to this number of bytes. */
    public void at(long bytes) {
        if (bar != null) {
            bar.stepTo(bytes);
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            terminal.println();
        }
    }
}

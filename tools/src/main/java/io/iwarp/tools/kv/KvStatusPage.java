package io.iwarp.tools.kv;

import java.time.Duration;
import java.util.Locale;
import java.util.function.IntSupplier;

/** The status of a cache as a small HTML page that refreshes itself. Thread-safe. */
public final class KvStatusPage {
    private static final String STYLE = "body{font-family:sans-serif;max-width:40em;margin:2em auto;padding:0 1em}"
            + "td{padding:.2em 1em .2em 0}td+td{text-align:right;font-variant-numeric:tabular-nums}";
    private static final int REFRESH_SECONDS = 5;

    private final KvStore store;
    private final IntSupplier connections;
    private final long begin = System.nanoTime();

    /**
     * @param store whose status is shown
     * @param connections how many clients are connected
     */
    public KvStatusPage(KvStore store, IntSupplier connections) {
        this.store = store;
        this.connections = connections;
    }

    /** Returns the current page. */
    public String html() {
        StringBuilder page = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
                .append("<meta name=\"viewport\" content=\"width=device-width\">")
                .append("<meta http-equiv=\"refresh\" content=\"" + REFRESH_SECONDS + "\">")
                .append("<title>iwarp kv-server</title><style>")
                .append(STYLE)
                .append("</style></head><body>\n<h1>iwarp kv-server</h1>\n<table>\n");
        row(page, "clients connected", "%,d", connections.getAsInt());
        row(page, "keys", "%,d of %,d", store.entries(), store.mostEntries());
        row(page, "bytes of keys and values", "%,d of %,d", store.usedBytes(), store.mostBytes());
        row(page, "puts", "%,d", store.puts());
        row(page, "puts refused for lack of room", "%,d", store.refusals());
        Duration up = Duration.ofNanos(System.nanoTime() - begin);
        row(
                page,
                "running for",
                "%d d %02d:%02d:%02d",
                up.toDays(),
                up.toHoursPart(),
                up.toMinutesPart(),
                up.toSecondsPart());
        return page.append("</table>\n<p><a href=\"metrics\">metrics</a> for Prometheus, ")
                .append("<a href=\"health\">health</a> as JSON</p>\n</body></html>\n")
                .toString();
    }

    private static void row(StringBuilder page, String name, String format, Object... values) {
        page.append("<tr><td>")
                .append(name)
                .append("</td><td>")
                .append(String.format(Locale.ROOT, format, values))
                .append("</td></tr>\n");
    }
}

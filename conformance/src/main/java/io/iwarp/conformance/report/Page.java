package io.iwarp.conformance.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A page of HTML under construction. All text that is not markup of this package passes {@link #text}, which escapes
 * it.
 */
final class Page {
    private static final String STYLE = """
            body { font-family: sans-serif; margin: 2em; max-width: 90em; }
            table { border-collapse: collapse; }
            th, td { border: 1px solid #bbb; padding: .25em .5em; text-align: left; vertical-align: top; }
            td.n { text-align: right; }
            .PASSED { background: #e3f5e1; } .FAILED { background: #f9d4d0; }
            .KNOWN { background: #fbeecb; } .SKIPPED { background: #eee; }
            pre { background: #f6f6f6; padding: .5em; overflow-x: auto; font-size: 85%; }
            code { font-size: 95%; }
            """;

    private final StringBuilder html = new StringBuilder();

    Page(String title) {
        markup("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
                .text(title)
                .markup("</title><style>\n" + STYLE + "</style></head><body>\n");
        element("h1", title).markup("\n");
    }

    /** Adds markup as it is. */
    Page markup(String markup) {
        html.append(markup);
        return this;
    }

    /** Adds text, also as the value of an attribute in double quotes. */
    Page text(Object text) {
        html.append(text.toString()
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;"));
        return this;
    }

    /** Adds an element that holds text alone. */
    Page element(String name, Object text) {
        return markup("<" + name + ">").text(text).markup("</" + name + ">");
    }

    /** Adds a cell of a table. */
    Page cell(String style, Object text) {
        return markup("<td class=\"").text(style).markup("\">").text(text).markup("</td>");
    }

    /** Ends the page and writes it. */
    void write(Path file) throws IOException {
        Files.writeString(file, markup("</body></html>\n").html);
    }
}

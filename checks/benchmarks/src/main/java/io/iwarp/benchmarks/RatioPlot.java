package io.iwarp.benchmarks;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;

/**
 * Draws how far each figure of a comparison is from its target: a line with a dot for each row, on a logarithmic axis.
 */
final class RatioPlot {
    private static final int WIDTH = 1400;
    private static final int ROW = 36;
    private static final int TOP = 76;
    private static final int BOTTOM = 44;
    private static final int LABELS = 560;
    private static final int VALUES = 110;
    private static final double RADIUS = 7;
    private static final double MIN = 0.5;
    private static final double[] TICKS = {0.5, 1, 2, 5, 10, 20, 50, 100};

    private static final Color TEXT = new Color(0x22, 0x22, 0x22);
    private static final Color GRID = new Color(0xdd, 0xdd, 0xdd);
    private static final Color MET = new Color(0x1f, 0x77, 0xb4);
    private static final Color MISSED = new Color(0xd9, 0x5f, 0x02);

    private final List<Row> rows;
    private final double most;
    private final BufferedImage image;
    private final Graphics2D graphics;

    private record Row(String label, double reached) {}

    private RatioPlot(List<Row> rows) {
        this.rows = rows;
        double greatest = rows.stream().mapToDouble(Row::reached).max().orElse(1);
        this.most = Math.max(2, greatest * 1.1);
        this.image = new BufferedImage(WIDTH, TOP + rows.size() * ROW + BOTTOM, BufferedImage.TYPE_INT_RGB);
        this.graphics = image.createGraphics();
    }

    /** Arguments: a file with lines of a label, a tab and a number; the file of the picture, in PNG. */
    static void draw(String[] arguments) throws IOException {
        List<Row> rows = Files.readAllLines(Path.of(arguments[0])).stream()
                .map(line -> line.split("\t", 2))
                .map(columns -> new Row(columns[0], Double.parseDouble(columns[1])))
                .toList();
        RatioPlot plot = new RatioPlot(rows);
        plot.paint();
        ImageIO.write(plot.image, "png", Path.of(arguments[1]).toFile());
    }

    private void paint() {
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, WIDTH, image.getHeight());
        title();
        axis();
        for (int i = 0; i < rows.size(); i++) {
            row(rows.get(i), TOP + i * ROW + ROW / 2);
        }
        graphics.dispose();
    }

    private void title() {
        font(Font.BOLD, 22);
        text("Measured, relative to the target (1 = just met, more is better)", 16, 30, TEXT);
        font(Font.PLAIN, 18);
        text("met", x(1) + 14, TOP - 14, MET);
        textBefore("missed", x(1) - 14, TOP - 14, MISSED);
    }

    private void axis() {
        int bottom = TOP + rows.size() * ROW;
        for (double tick : TICKS) {
            if (tick <= most) {
                boolean target = tick == 1;
                graphics.setStroke(new BasicStroke(target ? 2.5F : 1));
                graphics.setColor(target ? TEXT : GRID);
                graphics.draw(new Line2D.Double(x(tick), TOP, x(tick), bottom));
                String number = tick < 1 ? Double.toString(tick) : Integer.toString((int) tick);
                text(number, x(tick) - graphics.getFontMetrics().stringWidth(number) / 2.0, bottom + 26, TEXT);
            }
        }
    }

    private void row(Row row, int y) {
        int baseline = y + 6;
        Color color = row.reached() >= 1 ? MET : MISSED;
        textBefore(row.label(), LABELS - 24, baseline, TEXT);
        graphics.setColor(color);
        graphics.setStroke(new BasicStroke(3));
        double x = x(Math.max(MIN, row.reached()));
        graphics.draw(new Line2D.Double(x(1), y, x, y));
        graphics.fill(new Ellipse2D.Double(x - RADIUS, y - RADIUS, 2 * RADIUS, 2 * RADIUS));
        String value = String.format(Locale.ROOT, row.reached() < 10 ? "%.2f" : "%.0f", row.reached());
        textBefore(value, WIDTH - 24, baseline, color);
    }

    private double x(double ratio) {
        return LABELS + (WIDTH - VALUES - LABELS) * Math.log(ratio / MIN) / Math.log(most / MIN);
    }

    private void font(int style, int size) {
        graphics.setFont(new Font(Font.SANS_SERIF, style, size));
    }

    private void text(String text, double x, double baseline, Color color) {
        graphics.setColor(color);
        graphics.drawString(text, (float) x, (float) baseline);
    }

    private void textBefore(String text, double end, double baseline, Color color) {
        text(text, end - graphics.getFontMetrics().stringWidth(text), baseline, color);
    }
}

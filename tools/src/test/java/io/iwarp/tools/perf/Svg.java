package io.iwarp.tools.perf;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** A chart of a page, as an XML parser sees it. */
final class Svg {
    private static final Pattern CHART = Pattern.compile("<svg .*?</svg>", Pattern.DOTALL);

    private final Element root;

    private Svg(Element root) {
        this.root = root;
    }

    static Svg of(String text) throws Exception {
        return new Svg(DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(text)))
                .getDocumentElement());
    }

    static List<Svg> in(String page) throws Exception {
        List<Svg> charts = new ArrayList<>();
        Matcher chart = CHART.matcher(page);
        while (chart.find()) {
            charts.add(of(chart.group()));
        }
        return charts;
    }

    private List<Element> elements(String tag) {
        NodeList nodes = root.getElementsByTagName(tag);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            elements.add((Element) nodes.item(i));
        }
        return elements;
    }

    /** The texts of a class: x, y, unit or name. */
    List<Element> texts(String kind) {
        return elements("text").stream()
                .filter(text -> text.getAttribute("class").equals(kind))
                .toList();
    }

    List<String> labels(String kind) {
        return texts(kind).stream().map(Element::getTextContent).toList();
    }

    /** The points of each curve: x and y in turn. */
    List<List<Double>> curves() {
        return elements("polyline").stream()
                .map(line -> Pattern.compile("[ ,]")
                        .splitAsStream(line.getAttribute("points"))
                        .map(Double::valueOf)
                        .toList())
                .toList();
    }

    double width() {
        return Double.parseDouble(root.getAttribute("viewBox").split(" ", -1)[2]);
    }

    double height() {
        return Double.parseDouble(root.getAttribute("viewBox").split(" ", -1)[3]);
    }
}

package dev.weft.lab.repro.plot;

import java.util.Locale;

/** A chart as SVG text. */
public final class SvgPlot implements Canvas {
  private final StringBuilder text = new StringBuilder();

  private SvgPlot() {}

  /** The whole document. */
  public static String of(Chart chart) {
    SvgPlot plot = new SvgPlot();
    plot.add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">",
        ChartPainter.WIDTH, ChartPainter.HEIGHT, ChartPainter.WIDTH, ChartPainter.HEIGHT);
    new ChartPainter(chart, plot).paint();
    plot.add("</svg>");
    return plot.text.toString();
  }

  /** Text for the inside of an element or an attribute. */
  public static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
  }

  private void add(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  @Override
  public void line(double x1, double y1, double x2, double y2, int colour, double width) {
    add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#%06x\" stroke-width=\"%.1f\"/>", x1, y1, x2, y2, colour, width);
  }

  @Override
  public void rectangle(double x, double y, double width, double height, int colour, boolean isFilled) {
    add("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s/>", x, y, width, height, paint(colour, isFilled));
  }

  @Override
  public void circle(double x, double y, double radius, int colour, boolean isFilled) {
    add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" %s/>", x, y, radius, paint(colour, isFilled));
  }

  private static String paint(int colour, boolean isFilled) {
    return String.format(Locale.ROOT, isFilled ? "fill=\"#%06x\"" : "fill=\"none\" stroke=\"#%06x\" stroke-width=\"2\"", colour);
  }

  @Override
  public void text(double x, double y, String words, int sizePx, Anchor anchor, boolean isUpright) {
    String turn = isUpright ? String.format(Locale.ROOT, " transform=\"rotate(-90 %.1f %.1f)\"", x, y) : "";
    add("<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\"%s>%s</text>", x, y, sizePx,
        anchor.name().toLowerCase(Locale.ROOT), turn, escape(words));
  }
}

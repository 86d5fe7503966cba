package dev.weft.lab.repro.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import javax.imageio.ImageIO;

/** A chart as PNG, drawn without a display. Its letters are those of the machine's sans-serif font. */
public final class PngPlot implements Canvas {
  private static final float OUTLINE_PX = 2;

  private final Graphics2D graphics;

  private PngPlot(Graphics2D graphics) {
    this.graphics = graphics;
  }

  /** The whole file. */
  public static byte[] of(Chart chart) throws IOException {
    System.setProperty("java.awt.headless", "true");
    BufferedImage image = new BufferedImage(ChartPainter.WIDTH, ChartPainter.HEIGHT, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    try {
      graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
      graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
      new ChartPainter(chart, new PngPlot(graphics)).paint();
    } finally {
      graphics.dispose();
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ImageIO.write(image, "png", bytes);
    return bytes.toByteArray();
  }

  @Override
  public void line(double x1, double y1, double x2, double y2, int colour, double width) {
    graphics.setColor(new Color(colour));
    graphics.setStroke(new BasicStroke((float) width));
    graphics.draw(new Line2D.Double(x1, y1, x2, y2));
  }

  @Override
  public void rectangle(double x, double y, double width, double height, int colour, boolean isFilled) {
    paint(new Rectangle2D.Double(x, y, width, height), colour, isFilled);
  }

  @Override
  public void circle(double x, double y, double radius, int colour, boolean isFilled) {
    paint(new Ellipse2D.Double(x - radius, y - radius, 2 * radius, 2 * radius), colour, isFilled);
  }

  private void paint(Shape shape, int colour, boolean isFilled) {
    graphics.setColor(new Color(colour));
    graphics.setStroke(new BasicStroke(OUTLINE_PX));
    if (isFilled) {
      graphics.fill(shape);
    } else {
      graphics.draw(shape);
    }
  }

  @Override
  public void text(double x, double y, String words, int sizePx, Anchor anchor, boolean isUpright) {
    graphics.setColor(Color.BLACK);
    graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, sizePx));
    double width = graphics.getFontMetrics().stringWidth(words);
    double shift = switch (anchor) {
      case START -> 0;
      case MIDDLE -> -width / 2;
      case END -> -width;
    };
    AffineTransform before = graphics.getTransform();
    graphics.translate(x, y);
    if (isUpright) {
      graphics.rotate(-Math.PI / 2);
    }
    graphics.drawString(words, (float) shift, 0f);
    graphics.setTransform(before);
  }
}

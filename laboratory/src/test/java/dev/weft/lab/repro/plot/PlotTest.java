package dev.weft.lab.repro.plot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.repro.plot.Chart.Point;
import dev.weft.lab.repro.plot.Chart.Series;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class PlotTest {
  private static final Chart BARS = Chart.bars("bars", "a < b & \"c\"", "s", List.of("x", "y"),
      List.of(Series.bars("ours", false, 3, 4), Series.bars("seed", true, 3.5, Double.NaN)));
  private static final Chart LINES = Chart.lines("lines", "t", "bytes", "us", true,
      List.of(new Series("ours", false, List.of(new Point(4, 1), new Point(1024, 30), new Point(4096, 900)))));

  private static Document parse(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
  }

  @Test
  void shouldWriteWellFormedSvgWithOneBarForEachNumber() throws Exception {
    Document svg = parse(SvgPlot.of(BARS));
    // Ground, three bars, two of the legend.
    assertEquals(6, svg.getElementsByTagName("rect").getLength());
    assertEquals("a < b & \"c\"", svg.getElementsByTagName("text").item(0).getTextContent());
  }

  @Test
  void shouldDrawEveryPointOfALine() throws Exception {
    assertEquals(3, parse(SvgPlot.of(LINES)).getElementsByTagName("circle").getLength());
  }

  @Test
  void shouldDrawADistributionAsStepsDownToItsLargest() throws Exception {
    Chart chart = Chart.distributions("d", "t", "us",
        List.of(new Series("ours", false, List.of(new Point(45, 0.1), new Point(60_000, 0)))));
    Document svg = parse(SvgPlot.of(chart));
    int strokes = 0;
    for (int i = 0; i < svg.getElementsByTagName("line").getLength(); i++) {
      strokes += svg.getElementsByTagName("line").item(i).getAttributes().getNamedItem("stroke").getTextContent().equals("#1f5fa8") ? 1 : 0;
    }
    assertEquals(4, strokes, "along and down for each point");
    assertTrue(SvgPlot.of(chart).contains(">1000<") && SvgPlot.of(chart).contains(">0.1<"), "ticks of both axes");
    assertThrows(IllegalArgumentException.class,
        () -> Chart.distributions("d", "t", "us", List.of(new Series("s", false, List.of(new Point(0, 1))))));
  }

  @Test
  void shouldDrawTheSamePlotTwice() throws IOException {
    assertEquals(SvgPlot.of(LINES), SvgPlot.of(LINES));
    assertArrayEquals(PngPlot.of(BARS), PngPlot.of(BARS));
  }

  @Test
  void shouldPaintBarsIntoThePicture() throws IOException {
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(PngPlot.of(BARS)));
    assertNotNull(image);
    int coloured = 0;
    for (int x = 0; x < image.getWidth(); x++) {
      coloured += (image.getRGB(x, 380) & 0xffffff) == 0x1f5fa8 ? 1 : 0;
    }
    assertTrue(coloured > 100, "pixels of our bars: " + coloured);
  }

  @Test
  void shouldRefuseChartsThatCannotBeDrawn() {
    assertThrows(IllegalArgumentException.class, () -> Chart.bars("a/b", "", "", List.of("x"), List.of(Series.bars("s", false, 1))));
    assertThrows(IllegalArgumentException.class, () -> Chart.bars("a", "", "", List.of("x"), List.of(Series.bars("s", false))));
    assertThrows(IllegalArgumentException.class,
        () -> Chart.lines("a", "", "", "", true, List.of(new Series("s", false, List.of(new Point(1, 0))))));
  }
}

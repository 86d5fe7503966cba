package dev.weft.lab.repro.plot;

/** What a painter draws on. Coordinates are pixels from the upper left corner; colours are 0xRRGGBB. */
interface Canvas {
  /** Where text is placed at x. */
  enum Anchor {
    START,
    MIDDLE,
    END
  }

  void line(double x1, double y1, double x2, double y2, int colour, double width);

  /** A rectangle, filled or as an outline. */
  void rectangle(double x, double y, double width, double height, int colour, boolean isFilled);

  /** A circle, filled or as an outline. */
  void circle(double x, double y, double radius, int colour, boolean isFilled);

  /** Text with its base line at y; turned a quarter to the left if {@code isUpright}. */
  void text(double x, double y, String text, int sizePx, Anchor anchor, boolean isUpright);
}

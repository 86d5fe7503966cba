package dev.weft.lab.figures;

/** The {@code calibrate} rows and nothing else: a profile or an experiment that asks for another row fails. */
public final class Calibration {
  private final Figures figures;

  Calibration(Figures figures) {
    this.figures = figures;
  }

  /**
   * The number that a calibrate row reports, in the row's unit.
   *
   * @throws IllegalArgumentException if there is no such row, it is for another use, or it is not a single number
   */
  public double value(String id) {
    Figure row = figures.find(id).orElseThrow(() -> new IllegalArgumentException("figures.csv has no row " + id));
    if (row.use() != Figure.Use.CALIBRATE) {
      throw new IllegalArgumentException("row " + id + " is for " + row.use().text() + "; only calibrate rows may be read");
    }
    if (row.isOrder() || row.low().getAsDouble() != row.high().getAsDouble()) {
      throw new IllegalArgumentException("row " + id + " is '" + row.value() + "', not a single number");
    }
    return row.low().getAsDouble();
  }
}

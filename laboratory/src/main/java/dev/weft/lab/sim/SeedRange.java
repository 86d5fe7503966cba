package dev.weft.lab.sim;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The seeds {@code first} to {@code last}, inclusive. */
record SeedRange(long first, long last) {
  long count() {
    return last - first + 1;
  }

  /** Reads {@code A..B}, or {@code A} for one seed. */
  static final class Converter implements ITypeConverter<SeedRange> {
    @Override
    public SeedRange convert(String text) {
      int dots = text.indexOf("..");
      try {
        SeedRange range = dots < 0 ? new SeedRange(Long.parseLong(text), Long.parseLong(text))
            : new SeedRange(Long.parseLong(text.substring(0, dots)), Long.parseLong(text.substring(dots + 2)));
        if (range.last < range.first || range.count() <= 0) {
          throw new TypeConversionException("'" + text + "' is empty or too long; give the smaller seed first, e.g. 1..200");
        }
        return range;
      } catch (NumberFormatException e) {
        throw new TypeConversionException("'" + text + "' is no range of seeds; give one like 1..200, or one seed");
      }
    }
  }
}

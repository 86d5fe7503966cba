package dev.weft.service;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Converts sizes such as {@code 4096}, {@code 256M} or {@code 1G} to bytes. K, M, G and T are powers of 1024; {@code iB} or {@code B} may follow them.
 */
public final class SizeConverter implements ITypeConverter<Long> {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,12})\\s*([KMGT]?)(I?B)?");
  private static final Map<String, Integer> SHIFTS = Map.of("", 0, "K", 10, "M", 20, "G", 30, "T", 40);

  @Override
  public Long convert(String text) {
    Matcher matcher = FORM.matcher(text.trim().toUpperCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new TypeConversionException("'" + text + "' is not a size; write for example 64K, 256M, 1G or 1048576");
    }
    long number = Long.parseLong(matcher.group(1));
    int shift = SHIFTS.get(matcher.group(2));
    if (number > Long.MAX_VALUE >> shift) {
      throw new TypeConversionException("'" + text + "' is too large for a number of bytes");
    }
    return number << shift;
  }

  /** Returns the size as an option takes it, with the largest unit that divides it: {@code 64K}, {@code 1G} or {@code 1000}. */
  public static String text(long bytes) {
    if (bytes <= 0) {
      return Long.toString(bytes);
    }
    int unit = Math.min(4, Long.numberOfTrailingZeros(bytes) / 10);
    return (bytes >> 10 * unit) + (unit == 0 ? "" : "KMGT".substring(unit - 1, unit));
  }

  /** The same for sizes up to 2 GiB. */
  public static final class OfInt implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      long size = new SizeConverter().convert(text);
      if (size > Integer.MAX_VALUE) {
        throw new TypeConversionException("'" + text + "' is too large; at most " + Integer.MAX_VALUE + " bytes");
      }
      return (int) size;
    }
  }
}

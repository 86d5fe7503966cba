package dev.weft.fabric;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;

/** Checks of settings and of arguments, with messages that name them. */
public final class Check {
  private Check() {}

  /** Returns {@code value} if it is not null, else throws NullPointerException that names the argument. */
  public static <T> T given(String name, T value) {
    if (value == null) {
      throw new NullPointerException(name + " is null");
    }
    return value;
  }

  /** Throws NullPointerException if the list or one of its elements is null. The message names the element's index. */
  public static void allGiven(String name, Iterable<?> values) {
    given(name, values);
    int index = 0;
    for (Object value : values) {
      if (value == null) {
        throw new NullPointerException("element " + index + " of " + name + " is null");
      }
      index++;
    }
  }

  /** Returns {@code value} if it is from {@code min} to {@code max}, else throws IllegalArgumentException. */
  public static long range(String key, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(key + " = " + value + " must be from " + min + " to " + max);
    }
    return value;
  }

  /** Returns {@code value} if it is a power of two from {@code min} to {@code max}, else throws IllegalArgumentException. */
  public static int powerOfTwo(String key, long value, long min, long max) {
    if (Long.bitCount(value) != 1) {
      throw new IllegalArgumentException(key + " = " + value + " must be a power of two from " + min + " to " + max);
    }
    return (int) range(key, value, min, max);
  }

  /** Reads a size in bytes. Throws ConfigException, which names the place of the setting, if the size does not fit an int. */
  public static int bytes(Config config, String key) {
    long bytes = config.getBytes(key);
    if (bytes != (int) bytes) {
      throw new ConfigException.BadValue(config.getValue(key).origin(), key, bytes + " bytes, must be at most " + Integer.MAX_VALUE);
    }
    return (int) bytes;
  }

  /**
   * The settings below one path.
   *
   * @param path for example {@code weft.hca}
   */
  public record Section(String path) {
    /** Throws IllegalArgumentException unless {@code value} is from {@code min} to {@code max}. */
    public void check(String key, long value, long min, long max) {
      if (value < min || value > max) {
        throw new IllegalArgumentException(path + "." + key + " is " + value + ", must be from " + min + " to " + max);
      }
    }
  }
}

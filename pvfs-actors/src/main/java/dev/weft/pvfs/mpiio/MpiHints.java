package dev.weft.pvfs.mpiio;

import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.layout.StripingWish;
import java.util.Locale;
import java.util.Map;

/**
 * Hints, under the names that MPI reserves and ROMIO's two for the use of two phases. All ranks must give the same hints.
 *
 * @param cbNodes ranks that read and write for all in a collective call ({@code cb_nodes}); 0 for as many as the file has daemons
 * @param cbBufferBytes bytes that each of them moves at a time ({@code cb_buffer_size}), 4 KiB to 16 MiB
 * @param cbRead when a collective read uses two phases ({@code romio_cb_read}: enable, disable, automatic)
 * @param cbWrite the same for writing
 * @param wish striping of a new file ({@code striping_factor}, {@code striping_unit}, {@code start_iodevice})
 */
public record MpiHints(int cbNodes, int cbBufferBytes, When cbRead, When cbWrite, StripingWish wish) {
  /** When a collective call uses two phases. */
  public enum When {
    ENABLE,
    DISABLE,
    /** If accesses of the ranks interleave. */
    AUTOMATIC
  }

  private static final int BUFFER_BYTES = 4 << 20;
  private static final int BUFFER_BYTES_MAX = 16 << 20;
  private static final int NODES_MAX = 4096;
  public static final MpiHints NONE = new MpiHints(0, BUFFER_BYTES, When.AUTOMATIC, When.AUTOMATIC, StripingWish.NONE);

  public MpiHints {
    check("cb_nodes", cbNodes, 0, NODES_MAX);
    check("cb_buffer_size", cbBufferBytes, 4096, BUFFER_BYTES_MAX);
  }

  private static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException("hint " + name + " is " + value + ", must be from " + min + " to " + max);
    }
  }

  /**
   * Makes hints from names and values. Hints with other names are ignored, as MPI requires.
   *
   * @throws IllegalArgumentException if a value is invalid
   */
  public static MpiHints of(Map<String, String> hints) {
    return new MpiHints((int) number(hints, "cb_nodes", 0, 0, NODES_MAX), (int) number(hints, "cb_buffer_size", BUFFER_BYTES, 4096, BUFFER_BYTES_MAX),
        when(hints, "romio_cb_read"), when(hints, "romio_cb_write"),
        new StripingWish((int) number(hints, "start_iodevice", StripingWish.ANY, -1, Striping.DAEMONS_MAX - 1),
            (int) number(hints, "striping_factor", StripingWish.ANY, 1, Striping.DAEMONS_MAX),
            (int) number(hints, "striping_unit", StripingWish.ANY, 1, Striping.STRIPE_BYTES_MAX)));
  }

  private static long number(Map<String, String> hints, String name, long otherwise, long min, long max) {
    String text = hints.get(name);
    if (text == null) {
      return otherwise;
    }
    try {
      long value = Long.parseLong(text.strip());
      check(name, value, min, max);
      return value;
    } catch (NumberFormatException wrong) {
      throw new IllegalArgumentException("hint " + name + " is '" + text + "', must be a number from " + min + " to " + max, wrong);
    }
  }

  private static When when(Map<String, String> hints, String name) {
    String text = hints.getOrDefault(name, "automatic").strip().toUpperCase(Locale.ROOT);
    for (When each : When.values()) {
      if (each.name().equals(text)) {
        return each;
      }
    }
    throw new IllegalArgumentException("hint " + name + " is '" + hints.get(name) + "', must be enable, disable or automatic");
  }
}

package dev.weft.pvfs.layout;

/**
 * How somebody wants files to be striped; {@link #ANY} leaves a part open. A file that nobody has a wish for gets that of its directory, which directories
 * inherit.
 *
 * @param base first daemon; {@link #ANY} spreads files, so that one after the other starts at the next daemon
 * @param count daemons; {@link #ANY} is what the manager was told, all of them unless it was
 * @param stripeBytes {@link #ANY} is what the manager was told, {@link Striping#STRIPE_BYTES_DEFAULT} unless it was
 */
public record StripingWish(int base, int count, int stripeBytes) {
  public static final int ANY = -1;
  public static final StripingWish NONE = new StripingWish(ANY, ANY, ANY);

  public StripingWish {
    check("base", base, 0, Striping.DAEMONS_MAX - 1);
    check("count", count, 1, Striping.DAEMONS_MAX);
    check("stripe size", stripeBytes, 1, Striping.STRIPE_BYTES_MAX);
  }

  private static void check(String what, int value, int min, int max) {
    if (value != ANY && (value < min || value > max)) {
      throw new IllegalArgumentException("wished " + what + " is " + value + ", must be from " + min + " to " + max + ", or " + ANY + " for any");
    }
  }

  /**
   * What becomes of it with so many daemons.
   *
   * @param next the daemon to start at if {@code base} is free
   * @throws IllegalArgumentException if it cannot be met; the text says what can
   */
  public Striping resolve(int daemons, int next) {
    return new Striping(base == ANY ? next : base, count == ANY ? daemons : count, stripeBytes == ANY ? Striping.STRIPE_BYTES_DEFAULT : stripeBytes, daemons);
  }

  /** The same, where what it leaves open is as in another one. */
  public StripingWish orElse(StripingWish other) {
    return new StripingWish(base == ANY ? other.base : base, count == ANY ? other.count : count, stripeBytes == ANY ? other.stripeBytes : stripeBytes);
  }

  /** The same for fewer daemons than there were when somebody wished it. */
  public StripingWish fitted(int daemons) {
    return new StripingWish(base == ANY ? ANY : base % daemons, count == ANY ? ANY : Math.min(count, daemons), stripeBytes);
  }
}

package dev.weft.pvfs.layout;

/**
 * A request for a striping; {@link #ANY} leaves a part open. A file without a wish takes that of its directory, which new directories inherit.
 *
 * @param base first daemon; {@link #ANY} spreads files: each starts at the next daemon
 * @param count daemons; {@link #ANY} means the manager's default, which is all daemons unless configured
 * @param stripeBytes {@link #ANY} means the manager's default, which is {@link Striping#STRIPE_BYTES_DEFAULT} unless configured
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
   * Returns the striping for so many daemons.
   *
   * @param next the first daemon if {@code base} is left open
   * @throws IllegalArgumentException if the wish cannot be met; the message says what is possible
   */
  public Striping resolve(int daemons, int next) {
    return new Striping(base == ANY ? next : base, count == ANY ? daemons : count, stripeBytes == ANY ? Striping.STRIPE_BYTES_DEFAULT : stripeBytes, daemons);
  }

  /** Returns this wish with its open parts taken from another one. */
  public StripingWish orElse(StripingWish other) {
    return new StripingWish(base == ANY ? other.base : base, count == ANY ? other.count : count, stripeBytes == ANY ? other.stripeBytes : stripeBytes);
  }

  /** Returns this wish adapted to a file system that now has fewer daemons. */
  public StripingWish fitted(int daemons) {
    return new StripingWish(base == ANY ? ANY : base % daemons, count == ANY ? ANY : Math.min(count, daemons), stripeBytes);
  }
}

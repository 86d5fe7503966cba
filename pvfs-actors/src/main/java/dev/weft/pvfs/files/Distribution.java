package dev.weft.pvfs.files;

import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.layout.Striping;
import java.util.ArrayList;
import java.util.List;

/**
 * Which daemon has which bytes of a file.
 *
 * @param bytes length of the file
 * @param parts the share of each of its daemons, in the order of its stripes
 */
public record Distribution(Striping striping, long bytes, List<Part> parts) {
  /**
   * The share of one daemon.
   *
   * @param daemon its number in the file system
   * @param bytes bytes of the file at this daemon, holes included
   */
  public record Part(int daemon, DaemonAddress address, long bytes) {}

  /**
   * A piece of the file at one daemon.
   *
   * @param localOffset its offset in the daemon's local object
   */
  public record Stripe(long offset, long bytes, int daemon, long localOffset) {}

  static Distribution of(Striping striping, long bytes, List<DaemonAddress> daemons) {
    List<Part> parts = new ArrayList<>();
    for (int slot = 0; slot < striping.count(); slot++) {
      int daemon = striping.daemonOf(slot);
      parts.add(new Part(daemon, daemons.get(daemon), striping.localBytes(slot, bytes)));
    }
    return new Distribution(striping, bytes, List.copyOf(parts));
  }

  /** Returns the stripes of a range of the file, at most {@code max}. */
  public List<Stripe> stripes(long from, long length, int max) {
    if (from < 0 || length < 0 || max < 0) {
      throw new IllegalArgumentException(max + " stripes of " + length + " bytes from " + from + ", must be 0 or more each");
    }
    List<Stripe> stripes = new ArrayList<>();
    long end = length > bytes - from ? bytes : from + length;
    for (long at = from; at < end && stripes.size() < max;) {
      long piece = Math.min(striping.restOfStripe(at), end - at);
      stripes.add(new Stripe(at, piece, striping.daemonOf(striping.slotOf(at)), striping.localOf(at)));
      at += piece;
    }
    return stripes;
  }
}

package dev.weft.pvfs.files;

/**
 * How a file that is made should be striped; 0 or -1 leaves a choice to the directory, and to the manager.
 *
 * @param base first daemon; -1 to begin where the last file has not
 * @param count daemons; 0 for all, or as the directory says
 * @param stripeBytes bytes of a stripe; 0 as the directory says
 */
public record StripingWish(int base, int count, int stripeBytes) {
  /** No wish. */
  public static final StripingWish NONE = new StripingWish(-1, 0, 0);
}

package dev.weft.pvfs.check;

/**
 * An error in a file system.
 *
 * @param kind one word: one of {@link dev.weft.pvfs.manager.Finding.Kind}, or an error of the comparison with the daemons
 * @param text what is wrong, and where
 * @param isMended whether it is repaired
 */
public record Problem(String kind, String text, boolean isMended) {
  /** A daemon has an object of a missing file. */
  public static final String ORPHAN_OBJECT = "ORPHAN_OBJECT";
  /** A daemon has an object of a file that is not striped over it. */
  public static final String STRAY_OBJECT = "STRAY_OBJECT";
  /** The manager and the daemons know different lengths of a file. */
  public static final String WRONG_LENGTH = "WRONG_LENGTH";
  /** A daemon's data differs from what was written. */
  public static final String BAD_CHECKSUM = "BAD_CHECKSUM";
  /** A part could not be checked. */
  public static final String NOT_CHECKED = "NOT_CHECKED";

  @Override
  public String toString() {
    return kind + ": " + text + (isMended ? " (mended)" : "");
  }
}

package dev.weft.pvfs.check;

/**
 * Something that is wrong with a file system.
 *
 * @param kind in one word: one of {@link dev.weft.pvfs.manager.Finding.Kind}, or what a comparison with the daemons shows
 * @param text what and where
 * @param isMended whether it is right now
 */
public record Problem(String kind, String text, boolean isMended) {
  /** A daemon has an object of a file that is not there. */
  public static final String ORPHAN_OBJECT = "ORPHAN_OBJECT";
  /** A daemon has an object of a file that is not striped over it. */
  public static final String STRAY_OBJECT = "STRAY_OBJECT";
  /** The manager and the daemons know different lengths of a file. */
  public static final String WRONG_LENGTH = "WRONG_LENGTH";
  /** A daemon has not what was written. */
  public static final String BAD_CHECKSUM = "BAD_CHECKSUM";
  /** Something could not be looked at. */
  public static final String NOT_CHECKED = "NOT_CHECKED";

  @Override
  public String toString() {
    return kind + ": " + text + (isMended ? " (mended)" : "");
  }
}
